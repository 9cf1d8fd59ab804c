import { constant, readField } from "../../mapping/Mapping.ts"
import { boolean, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_user.htm */
const type = "User"

const mapping = mappingOf(type, [
  ...stamps,
  // users are deactivated, never deleted
  constant("remote_was_deleted", false),
  readField("name", "Name", text),
  readField("first_name", "FirstName", text),
  readField("last_name", "LastName", text),
  readField("email", "Email", text),
  readField("is_active", "IsActive", boolean)
])

export const owner = (org: Org): ResourceAdapter => {
  // the others are portal, guest and automated users
  const { get, list } = sobject(org, { type, where: () => "UserType = 'Standard'" })
  return { mapping, consistency: "exact", list, get }
}
