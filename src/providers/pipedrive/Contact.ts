import { field } from "../../mapping/Mapping.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, kept, mappingOf, numericId, stamps } from "./Common.ts"
import { objects } from "./Objects.ts"
import { personEntries, withName } from "./Person.ts"

/** https://developers.pipedrive.com/docs/api/v1/Persons */
const mapping = mappingOf("persons", "custom_fields", [
  ...stamps,
  deleted,
  ...personEntries(""),
  field("account", "org_id", numericId),
  kept("owner", "owner_id", numericId)
])

export const contact = (call: Caller): ResourceAdapter => objects(call, mapping, { written: withName })
