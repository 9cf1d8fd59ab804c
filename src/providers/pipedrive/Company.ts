import { Company } from "../../canonical/crm/Company.ts"
import { closest } from "../../mapping/Closest.ts"
import { computed } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { address } from "./Address.ts"
import { deleted, mappingOf, noActivityTime, numericId, stamps } from "./Common.ts"
import { link, named, search, stamped } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { optionOf, optionsOf } from "./Options.ts"

/** An option of the account's own list, by its label. https://developers.pipedrive.com/docs/api/v1/OrganizationFields */
const industry = computed({
  canonical: "industry",
  native: ["industry"],
  lookups: ["organizationFields"],
  encodeLookups: ["organizationFields"],
  decode: ({ lookups, record }) => optionOf(optionsOf(lookups?.organizationFields, "industry"), record.industry)?.label,
  encode: (value, { lookups, prefix, set, warn }) => {
    if (value === null) return set("industry", null)
    const labelOf = ({ label }: Native) => String(label)
    const options = optionsOf(lookups.organizationFields, "industry")
    const option = closest(value, options, labelOf)
    const path = `${prefix}industry`
    if (option === undefined) return warn(path, "NOT_HELD", `must be one of ${options.map(labelOf).join(", ")} here`)
    if (labelOf(option) !== value) warn(path, "CHANGED", `is held as ${labelOf(option)}`)
    set("industry", Number(option.id))
  }
})

/** https://developers.pipedrive.com/docs/api/v1/Organizations */
const mapping = mappingOf(Company, "custom_fields", (of) => [
  of.variant({
    nativeType: "organizations",
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("name", "name", text),
      industry(of),
      of.field("website", "website", text),
      of.field("number_of_employees", "employee_count", integer),
      of.lasting("owner", "owner_id", numericId),
      address(of, "address")
    ],
    notHeld: {
      description: "Pipedrive organizations have no description.",
      phone_numbers: "Pipedrive organizations have no phone numbers.",
      last_activity_at: noActivityTime
    }
  })
])

export const company = (call: Caller): ResourceAdapter =>
  objects(call, mapping, { filters: { ...stamped, name: named("name"), owner: link("owner_id"), q: search } })
