import { Owner } from "../../canonical/crm/Owner.ts"
import { boolean, text } from "../../mapping/Transform.ts"
import { rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, instant, mappingOf } from "./Common.ts"
import { envelope, idForm } from "./Objects.ts"

const wordsOf = (name: unknown) => (typeof name === "string" ? name.trim().split(/\s+/) : [])

/** https://developers.pipedrive.com/docs/api/v1/Users */
const mapping = mappingOf(Owner, "", (of) => [
  of.variant({
    nativeType: "users",
    entries: [
      of.readField("remote_id", "id", text),
      of.readField("remote_created_at", "created", instant),
      of.readField("remote_updated_at", "modified", instant),
      deleted(of),
      of.readField("name", "name", text),
      of.computed({
        canonical: "first_name",
        native: ["name"],
        decode: ({ record }) => wordsOf(record.name).slice(0, -1).join(" ") || null
      }),
      of.computed({
        canonical: "last_name",
        native: ["name"],
        decode: ({ record }) => wordsOf(record.name).at(-1) || null
      }),
      of.readField("email", "email", text),
      of.readField("is_active", "active_flag", boolean)
    ],
    notHeld: {}
  })
])

/** Users come all in one answer. */
export const owner = (call: Caller): ResourceAdapter =>
  rest(call, {
    envelope,
    mapping,
    verbs: ["list", "get"],
    path: (type) => `/api/v1/${type}`,
    id: idForm
  })
