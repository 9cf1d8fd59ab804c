import { Project } from "../../canonical/accounting/Project.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { remoteIdOf, text } from "../../mapping/Transform.ts"
import { company, identity, isActive, toCustomer } from "./Common.ts"
import { beginning } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Projects are customers under customers. Version 3 of the API makes none: what it makes is a sub-customer, which Intuit does
 * not show among the projects. Neither does one hold a whole project to put in the place of another.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer (Job, IsProject)
 */

/** Other customers under customers are contacts. Queries cannot ask for projects, only for both. */
export const isProject = ({ IsProject }: Native): boolean => IsProject === true

const contact = computed({
  canonical: "contact",
  native: ["ParentRef"],
  decode: ({ record }, context) => {
    const id = getPath(record, "ParentRef.value")
    return typeof id === "string" ? toCustomer.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const path = `${encoding.prefix}contact`
    if (value === null) encoding.warn(path, "CHANGED", "cannot be cleared: a project is of a customer")
    else encoding.set("ParentRef", { value: remoteIdOf(value, "contact", ["Customer"], encoding, path) })
  }
})

const mapping = plainMapping(Project, (of) => [
  of.variant({
    nativeType: "Customer",
    entries: [...identity(of), of.field("name", "DisplayName", text), isActive(of), contact(of), company(of)],
    notHeld: {}
  })
])

export const project = (books: Books) => {
  const {
    create: _,
    replace: __,
    ...verbs
  } = entities(books, mapping, [
    {
      name: "Customer",
      removal: "deactivate",
      where: ["Job = true"],
      filters: { name: beginning("DisplayName") },
      // not whether it was one
      isForgotten: true,
      isOne: isProject
    }
  ])
  return { ...verbs, needs: ["contact"] }
}
