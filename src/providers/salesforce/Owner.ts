import { Owner } from "../../canonical/crm/Owner.ts"
import { boolean, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, stamps } from "./Common.ts"
import { begins, equals } from "./Conditions.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_user.htm */
const type = "User"

const mapping = mappingOf(Owner, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      // users are deactivated, never deleted
      of.constant("remote_was_deleted", false),
      of.readField("name", "Name", text),
      of.readField("first_name", "FirstName", text),
      of.readField("last_name", "LastName", text),
      of.readField("email", "Email", text),
      of.readField("is_active", "IsActive", boolean)
    ],
    notHeld: {}
  })
])

export const owner = (org: Org): ResourceAdapter => {
  // the others are portal, guest and automated users
  const { finds, get, getMany, list } = sobject(org, {
    type,
    where: () => "UserType = 'Standard'",
    keeping: "lasting",
    clauses: { name: begins("Name", "LastName"), email: equals("Email") }
  })
  return { mapping, consistency: "exact", finds, list, get, getMany }
}
