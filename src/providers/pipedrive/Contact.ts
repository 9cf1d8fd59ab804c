import { Contact } from "../../canonical/crm/Contact.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, mappingOf, noActivityTime, numericId, stamps } from "./Common.ts"
import { email, link, named, search, stamped } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { personEntries, withName } from "./Person.ts"

/** https://developers.pipedrive.com/docs/api/v1/Persons */
const mapping = mappingOf(Contact, "custom_fields", (of) => [
  of.variant({
    nativeType: "persons",
    entries: [
      ...stamps(of),
      deleted(of),
      ...personEntries(of, ""),
      of.field("account", "org_id", numericId),
      of.lasting("owner", "owner_id", numericId)
    ],
    notHeld: {
      last_activity_at: noActivityTime
    }
  })
])

export const contact = (call: Caller): ResourceAdapter => ({
  ...objects(call, mapping, {
    written: withName,
    filters: {
      ...stamped,
      email,
      name: named("name"),
      account: link("org_id"),
      owner: link("owner_id"),
      q: search
    }
  }),
  rules: [{ rule: "oneOf", fields: ["last_name", "first_name"] }]
})
