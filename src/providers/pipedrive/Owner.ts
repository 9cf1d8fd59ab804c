import { computed, readField } from "../../mapping/Mapping.ts"
import { boolean, text } from "../../mapping/Transform.ts"
import { rest } from "../axes/Rest.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, instant, mappingOf } from "./Common.ts"
import { envelope, idForm } from "./Objects.ts"

const wordsOf = (name: unknown) => (typeof name === "string" ? name.trim().split(/\s+/) : [])

/** https://developers.pipedrive.com/docs/api/v1/Users */
const mapping = mappingOf("users", "", [
  readField("remote_id", "id", text),
  readField("remote_created_at", "created", instant),
  readField("remote_updated_at", "modified", instant),
  deleted,
  readField("name", "name", text),
  computed({
    canonical: "first_name",
    native: ["name"],
    decode: ({ record }) => wordsOf(record.name).slice(0, -1).join(" ") || null
  }),
  computed({ canonical: "last_name", native: ["name"], decode: ({ record }) => wordsOf(record.name).at(-1) || null }),
  readField("email", "email", text),
  readField("is_active", "active_flag", boolean)
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
