import { computed, type Entry, field, getPath } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, company, identity } from "./Common.ts"
import { entities } from "./Entities.ts"

/**
 * Classes and departments. A company calls its departments what it likes (stores, properties); only "Location" is a word
 * of ours.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/class
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/department
 */

/** A category under another of the same kind; `under` says that it is one. */
const parent = (nativeType: string, under: string) => {
  const toParent = reference("tracking_category", nativeType)
  return computed({
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

/** What a category is stays what it is; a department reads as the company's word for it. */
const kind = (held: ReadonlyArray<string>, wordOf: (terminology: unknown) => string) =>
  computed({
    canonical: "category_type",
    native: [],
    lookups: ["preferences"],
    decode: ({ lookups }) => wordOf(getPath(lookups, "preferences.AccountingInfoPrefs.DepartmentTerminology")),
    encode: (value, { prefix, refuse }) => {
      if (value !== null && !held.includes(String(value))) refuse(`${prefix}category_type`, `is ${held.join(" or ")}`)
    }
  })

const shared: ReadonlyArray<Entry> = [...identity, field("name", "Name", text), activity("ARCHIVED"), company]

const mapping = plainMapping([
  {
    nativeType: "Class",
    when: { category_type: "CLASS" },
    entries: [...shared, kind(["CLASS"], () => "CLASS"), parent("Class", "SubClass")]
  },
  {
    nativeType: "Department",
    entries: [
      ...shared,
      kind(["DEPARTMENT", "LOCATION"], (word) => (word === "Location" ? "LOCATION" : "DEPARTMENT")),
      parent("Department", "SubDepartment")
    ]
  }
])

export const trackingCategory = (call: Caller) => ({
  ...entities(call, mapping, [
    { name: "Class", removal: "deactivate" },
    { name: "Department", removal: "deactivate" }
  ]),
  needs: ["category_type"]
})
