import { constant, field } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, companies, identity } from "./Common.ts"
import { records } from "./Records.ts"

/** Classes, departments and locations, each with levels of its own. */

const kinds = [
  { name: "classification", is: "CLASS" },
  { name: "department", is: "DEPARTMENT" },
  { name: "location", is: "LOCATION" }
]

const mapping = plainMapping(
  kinds.map(({ is, name }) => ({
    nativeType: name,
    when: { category_type: is },
    entries: [
      ...identity(null),
      field("name", "name", text),
      activity("ARCHIVED"),
      constant("category_type", is),
      field("parent_category", "parent.id", reference("tracking_category", name)),
      companies
    ]
  }))
)

export const trackingCategory = (call: Caller) =>
  records(
    call,
    mapping,
    kinds.map(({ name }) => ({ name, table: name, retires: true }))
  )
