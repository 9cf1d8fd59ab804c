import { Owner } from "../../canonical/crm/Owner.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { enumeration, text } from "../../mapping/Transform.ts"
import { rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { endpoint } from "./Records.ts"
import { notDated, stamps } from "./Values.ts"

/** Members are suspended, never deleted. https://docs.attio.com/rest-api/endpoint-reference/workspace-members */
const mapping = plainMapping(Owner, (of) => [
  of.variant({
    nativeType: "workspace_members",
    entries: [
      ...stamps(of, "workspace_member_id"),
      of.computed({
        canonical: "name",
        native: ["first_name", "last_name"],
        decode: ({ record }) => [record.first_name, record.last_name].filter(Boolean).join(" ") || null
      }),
      of.readField("first_name", "first_name", text),
      of.readField("last_name", "last_name", text),
      of.readField("email", "email_address", text),
      of.readField("is_active", "access_level", enumeration("access", { admin: true, member: true, suspended: false }))
    ],
    notHeld: notDated
  })
])

export const owner = (call: Caller) =>
  rest(call, {
    ...endpoint("workspace_member_id"),
    mapping,
    verbs: ["list", "get"],
    path: (type) => `/v2/${type}`
  })
