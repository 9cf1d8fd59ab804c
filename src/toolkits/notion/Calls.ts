import { Effect } from "effect"
import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { Call, Caller } from "../../providers/base/Upstream.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { formed, limit, optional } from "../Fields.ts"
import type { JsonObject } from "../Tool.ts"

/** An id in Notion, with or without hyphens. */
export const id = (description: string) =>
  formed(
    description,
    /^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$/,
    "an id of Notion, 32 hexadecimal digits"
  )

/** Fields of every tool that answers a page of a list. */
export const paging = {
  limit,
  cursor: optional(
    formed(
      "Where the list goes on: `next_cursor` of the answer before.",
      /^[\w-]{1,200}$/,
      "`next_cursor` of an answer"
    )
  )
}

export const calls = (call: Caller) => {
  const one = (connection: ConnectionRef, request: Call): Effect.Effect<Native, ProviderError> =>
    Effect.flatMap(call(connection, request), ({ body, status }) =>
      isNative(body)
        ? Effect.succeed(body)
        : new ProviderError({
            provider: "notion",
            operation: request.operation,
            reason: new Malformed(),
            status,
            detail: "the answer lacks what the API promises"
          })
    )
  return {
    /** A call that answers one object. */
    one,
    get: (connection: ConnectionRef, kind: "pages" | "blocks" | "databases" | "data_sources", id: string) =>
      one(connection, { operation: `${kind}.get`, method: "GET", path: `/v1/${kind}/:id`, params: { id } }),
    /** A page of a list, under a name, with `next_cursor`, null at the end. */
    page: (
      connection: ConnectionRef,
      request: Call,
      list: { readonly name: string; readonly show: (entry: Native) => JsonObject }
    ) =>
      Effect.map(one(connection, request), ({ has_more, next_cursor, results }) => ({
        [list.name]: natives(results).map(list.show),
        next_cursor: has_more === true ? next_cursor : null
      }))
  }
}

export type Calls = ReturnType<typeof calls>
