import { field } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, text } from "../../mapping/Transform.ts"
import { company, identity, isActive } from "./Common.ts"
import { entities } from "./Entities.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Jobs: projects, of a customer or the company's own. */
const mapping = plainMapping([
  {
    nativeType: "job",
    entries: [
      ...identity("dateCreated"),
      field("name", "companyName", text),
      isActive,
      company,
      field("contact", "parent.id", reference("contact", "customer"))
    ]
  }
])

export const project = (own: Suite) =>
  records(
    own,
    mapping,
    [
      {
        name: "job",
        list: entities("job", {
          companyName: Query.text("c.companyname"),
          parent: Query.ref("c.parent", "c.customer")
        }),
        retires: true
      }
    ],
    ["company"]
  )
