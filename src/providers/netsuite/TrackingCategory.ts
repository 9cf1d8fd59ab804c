import { TrackingCategory } from "../../canonical/accounting/TrackingCategory.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, text } from "../../mapping/Transform.ts"
import { activity, companies, noCreationTime, undated } from "./Common.ts"
import { active, beginning, modified } from "./Conditions.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Classes, departments and locations, each with levels of its own. */

const kinds = [
  { name: "classification", is: "CLASS", called: "classes" },
  { name: "department", is: "DEPARTMENT", called: "departments" },
  { name: "location", is: "LOCATION", called: "locations" }
]

const mapping = plainMapping(TrackingCategory, (of) =>
  kinds.map(({ called, is, name }) =>
    of.variant({
      nativeType: name,
      when: { category_type: is },
      ...(is === "CLASS" ? { isDefault: true } : {}),
      entries: [
        ...undated(of),
        of.field("name", "name", text),
        activity(of, "ARCHIVED"),
        of.constant("category_type", is),
        of.field("parent_category", "parent.id", reference("tracking_category", name)),
        companies(of)
      ],
      notHeld: { remote_created_at: noCreationTime(called) }
    })
  )
)

export const trackingCategory = (own: Suite) =>
  records(
    own,
    mapping,
    kinds.map(({ name }) => ({
      name,
      list: {
        select: {
          from: `${name} g`,
          columns: {
            id: Query.text("g.id"),
            name: Query.text("g.name"),
            parent: Query.ref("g.parent"),
            isInactive: Query.flag("g.isinactive"),
            lastModifiedDate: Query.instant("g.lastmodifieddate")
          },
          order: "g.id"
        },
        filters: {
          ...modified("g.lastmodifieddate"),
          name: beginning("g.name"),
          status: active("g.isinactive", "ARCHIVED")
        }
      },
      retires: true
    })),
    ["company"]
  )
