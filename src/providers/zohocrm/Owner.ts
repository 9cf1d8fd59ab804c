import { Effect } from "effect"
import { Owner } from "../../canonical/crm/Owner.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import { whole } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { mappingOf } from "./Common.ts"
import { idOf } from "./IdPages.ts"
import { api, failure, idForm, rowOf, rowsOf } from "./Rows.ts"

/** Users are deactivated first and deleted then; https://www.zoho.com/crm/developer/docs/api/v8/get-users.html */
const nativeType = "users"

const mapping = mappingOf(Owner, (of) => [
  of.variant({
    nativeType,
    entries: [
      of.readField("remote_id", "id", text),
      of.readField("remote_created_at", "created_time", dateTime),
      of.readField("remote_updated_at", "Modified_Time", dateTime),
      of.computed({
        canonical: "remote_was_deleted",
        native: ["status"],
        decode: ({ record }) => record.status === "deleted"
      }),
      of.readField("name", "full_name", text),
      of.readField("first_name", "first_name", text),
      of.readField("last_name", "last_name", text),
      of.readField("email", "email", text),
      of.computed({ canonical: "is_active", native: ["status"], decode: ({ record }) => record.status === "active" })
    ],
    notHeld: {}
  })
])

/** Most users of one answer; few accounts have as many. */
const pageSize = 200

const native = (record: Native): NativeRecord => ({ nativeType, record })

export const owner = (call: Caller): ResourceAdapter => {
  const page = (connection: ConnectionRef, number: number): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
    const request: Call = {
      operation: "users.list",
      method: "GET",
      path: `${api}/users`,
      query: { type: "AllUsers", page: number, per_page: pageSize }
    }
    return call(connection, request).pipe(
      Effect.flatMap((answer) => rowsOf(request, "users", answer)),
      Effect.flatMap((users) =>
        users.length < pageSize
          ? Effect.succeed(users)
          : Effect.map(page(connection, number + 1), (rest) => [...users, ...rest])
      )
    )
  }

  const get = (connection: ConnectionRef, id: string): Effect.Effect<NativeRecord, ProviderError> => {
    const request: Call = { operation: "users.get", method: "GET", path: `${api}/users/:id`, params: { id } }
    return idForm.test(id)
      ? call(connection, request).pipe(
          Effect.flatMap((answer) => rowOf(request, "users", answer)),
          Effect.map(native)
        )
      : failure(request.operation, new Missing())
  }

  const all = (connection: ConnectionRef) => Effect.map(page(connection, 1), (users) => users.map(native))

  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) => whole(idOf, all(connection))(position, limit),
    get: ({ connection, id }) => get(connection, id),
    // those who were deleted are not in the list
    getMany: Effect.fnUntraced(function* ({ connection, ids }) {
      const listed = (yield* all(connection)).filter((one) => ids.includes(idOf(one)))
      const known = new Set(listed.map(idOf))
      const others = yield* Effect.forEach(
        ids.filter((id) => !known.has(id)),
        (id) =>
          get(connection, id).pipe(
            Effect.map((one) => [one]),
            Effect.catchIf(
              ({ reason }) => reason._tag === "Missing",
              () => Effect.succeed([])
            )
          ),
        { concurrency: 5 }
      )
      return [...listed, ...others.flat()]
    })
  }
}
