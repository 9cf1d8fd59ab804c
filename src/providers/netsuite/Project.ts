import { Project } from "../../canonical/accounting/Project.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, text } from "../../mapping/Transform.ts"
import { company, identity, isActive } from "./Common.ts"
import { beginning } from "./Conditions.ts"
import { entities } from "./Entities.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Jobs: projects, of a customer or the company's own. */
const mapping = plainMapping(Project, (of) => [
  of.variant({
    nativeType: "job",
    entries: [
      ...identity(of, "dateCreated"),
      of.field("name", "companyName", text),
      isActive(of),
      company(of),
      of.field("contact", "parent.id", reference("contact", "customer"))
    ],
    notHeld: {}
  })
])

export const project = (own: Suite) =>
  records(
    own,
    mapping,
    [
      {
        name: "job",
        list: entities(
          "job",
          { companyName: Query.text("c.companyname"), parent: Query.ref("c.parent", "c.customer") },
          { name: beginning("c.companyname") }
        ),
        retires: true
      }
    ],
    ["company"]
  )
