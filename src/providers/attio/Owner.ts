import { computed, readField } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { rest } from "../axes/Rest.ts"
import type { Caller } from "../axes/Upstream.ts"
import { endpoint } from "./Records.ts"
import { stamps } from "./Values.ts"

/** Members are suspended, never deleted. https://docs.attio.com/rest-api/endpoint-reference/workspace-members */
const mapping = plainMapping([
  {
    nativeType: "workspace_members",
    entries: [
      ...stamps("workspace_member_id"),
      computed({
        canonical: "name",
        native: ["first_name", "last_name"],
        decode: ({ record }) => [record.first_name, record.last_name].filter(Boolean).join(" ") || null
      }),
      readField("first_name", "first_name", text),
      readField("last_name", "last_name", text),
      readField("email", "email_address", text),
      computed({
        canonical: "is_active",
        native: ["access_level"],
        decode: ({ record }) => record.access_level !== "suspended"
      })
    ]
  }
])

export const owner = (call: Caller) =>
  rest(call, {
    ...endpoint("workspace_member_id"),
    mapping,
    verbs: ["list", "get"],
    path: (type) => `/v2/${type}`
  })
