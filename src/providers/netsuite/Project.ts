import { field } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { company, created, identity, isActive } from "./Common.ts"
import { records } from "./Records.ts"

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

export const project = (call: Caller) =>
  records(call, mapping, [{ name: "job", table: "job", created: created.ofEntities, retires: true }])
