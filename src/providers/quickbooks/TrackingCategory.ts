import { TrackingCategory } from "../../canonical/accounting/TrackingCategory.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import { activity, company, identity } from "./Common.ts"
import { active } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Classes and departments. A company chooses its own word for departments (stores, properties); only "Location" is
 * canonical.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/class
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/department
 */

/** The parent, a category of the same kind; the member `under` marks a child. */
const parent = (of: Entries<"parent_category">, nativeType: string, under: string) => {
  const toParent = reference("tracking_category", nativeType)
  return of.computed({
    canonical: "parent_category",
    native: ["ParentRef"],
    decode: ({ record }, context) => {
      const id = getPath(record, "ParentRef.value")
      return typeof id === "string" ? toParent.decode(id, context) : null
    },
    encode: (value, encoding) => {
      const path = `${encoding.prefix}parent_category`
      const id = value === null ? undefined : remoteIdOf(value, "tracking_category", [nativeType], encoding, path)
      encoding.set("ParentRef", id === undefined ? null : { value: id })
      encoding.set(under, id !== undefined)
    }
  })
}

/** The kind of a category never changes; a department's depends on the company's word for it. */
const kind = (of: Entries<"category_type">, held: ReadonlyArray<string>, wordOf: (terminology: unknown) => string) =>
  of.computed({
    canonical: "category_type",
    native: [],
    lookups: ["preferences"],
    decode: ({ lookups }) => wordOf(getPath(lookups, "preferences.AccountingInfoPrefs.DepartmentTerminology")),
    encode: (value, { prefix, warn }) => {
      if (value !== null && !held.includes(String(value))) {
        warn(`${prefix}category_type`, "CHANGED", `stays what it was made as, which is ${held.join(" or ")}`)
      }
    }
  })

const shared = (of: EntriesOf<typeof TrackingCategory>) => [
  ...identity(of),
  of.field("name", "Name", text),
  activity(of, "ARCHIVED"),
  company(of)
]

const mapping = plainMapping(TrackingCategory, (of) => [
  of.variant({
    nativeType: "Class",
    when: { category_type: "CLASS" },
    isDefault: true,
    entries: [...shared(of), kind(of, ["CLASS"], () => "CLASS"), parent(of, "Class", "SubClass")],
    notHeld: {}
  }),
  of.variant({
    nativeType: "Department",
    entries: [
      ...shared(of),
      kind(of, ["DEPARTMENT", "LOCATION"], (word) => (word === "Location" ? "LOCATION" : "DEPARTMENT")),
      parent(of, "Department", "SubDepartment")
    ],
    notHeld: {}
  })
])

const kinds = { removal: "deactivate", isShort: true, filters: { status: active("ARCHIVED") } } as const

export const trackingCategory = (books: Books) =>
  entities(books, mapping, [
    { name: "Class", ...kinds },
    { name: "Department", ...kinds }
  ])
