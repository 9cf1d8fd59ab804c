import { Effect } from "effect"
import { Owner } from "../../canonical/crm/Owner.ts"
import { boolean, text } from "../../mapping/Transform.ts"
import { whole } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { deleted, instant, mappingOf } from "./Common.ts"
import { failure, isNumericId, recordOf, recordsOf } from "./Objects.ts"

const wordsOf = (name: unknown) => (typeof name === "string" ? name.trim().split(/\s+/) : [])

/** https://developers.pipedrive.com/docs/api/v1/Users */
const mapping = mappingOf(Owner, "users", "", (of) => [
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
])

/** Users come all in one answer. */
export const owner = (call: Caller): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  list: ({ connection, limit, position }) => {
    const request: Call = { operation: "users.list", method: "GET", path: "/api/v1/users" }
    const users = call(connection, request).pipe(
      Effect.flatMap((answer) => recordsOf(request, answer)),
      Effect.map((found) => found.map((record) => ({ nativeType: "users", record })))
    )
    return whole(({ record }) => String(record.id), users)(position, limit)
  },
  get: ({ connection, id }) => {
    const request: Call = { operation: "users.get", method: "GET", path: "/api/v1/users/:id", params: { id } }
    if (!isNumericId(id)) return failure(request.operation, new Missing())
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordOf(request, answer)),
      Effect.map((record) => ({ nativeType: "users", record }))
    )
  }
})
