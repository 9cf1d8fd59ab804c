import { Clock, Effect } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { readFailure } from "../../providers/base/Errors.ts"
import type { Caller } from "../../providers/base/Upstream.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Invalid, Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { formed, limit, optional, text } from "../Fields.ts"
import type { JsonObject } from "../Tool.ts"
import { readError } from "./ReadError.ts"

// Shared by all Linear tools: one address, operations in GraphQL, ids, and answers in pages.

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

/** An id of Linear's; `from` is the tool that gives it. */
export const id = (what: string, from: string) =>
  formed(`Id of the ${what}, from ${from}.`, new RegExp(`^${uuid}$`), `an id from ${from}`)

export const issueId = formed(
  "Identifier of the issue, such as `HAR-12`, or its id.",
  new RegExp(`^([A-Za-z][A-Za-z0-9]{0,9}-\\d{1,9}|${uuid})$`),
  "an issue's identifier such as HAR-12"
)

export const teamKey = formed(
  "Key of the team, such as `HAR`, from linear_list_teams; or its id.",
  new RegExp(`^([A-Za-z][A-Za-z0-9]{0,9}|${uuid})$`),
  "a team's key such as HAR"
)

/** A filter for one team, whichever way it is named. */
export const teamFilter = (team: string | undefined) =>
  team === undefined ? undefined : team.includes("-") ? { id: { eq: team } } : { key: { eq: team.toUpperCase() } }

export const paging = {
  limit,
  cursor: optional(text("Where the list goes on: `next_cursor` of the answer before.", 500))
}

interface Paging {
  readonly limit: number
  readonly cursor?: string
}

/** An operation in GraphQL, which says what is asked for; `isRead` for queries. */
interface Operation {
  readonly operation: string
  readonly query: string
  readonly variables?: { readonly [name: string]: unknown }
  readonly isRead?: boolean
}

export const calls = (call: Caller) => {
  const ask = (
    connection: ConnectionRef,
    { isRead = false, operation, query, variables = {} }: Operation
  ): Effect.Effect<Native, ProviderError> =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call(connection, {
        operation,
        method: "POST",
        path: "/graphql",
        json: { query, variables },
        reads: isRead
      })
      const fail = (reason: ProviderError["reason"], detail?: string) =>
        new ProviderError({
          provider: "linear",
          operation,
          reason,
          status,
          ...(detail === undefined ? {} : { detail })
        })
      // GraphQL says what went wrong with status 200, too
      if (natives(getPath(body, "errors")).length > 0) {
        const now = yield* Clock.currentTimeMillis
        const { detail, reason } = readFailure(readError, { status: 400, headers, body, now })
        return yield* fail(reason, detail)
      }
      const data = getPath(body, "data")
      return isNative(data) ? data : yield* fail(new Malformed(), "the answer lacks what the API promises")
    })

  const nodesAt = (data: Native, path: string) => natives(getPath(data, `${path}.nodes`))

  /** The id of a team, given that id or the team's key. */
  const teamId = (connection: ConnectionRef, team: string) =>
    team.includes("-")
      ? Effect.succeed(team)
      : Effect.gen(function* () {
          const data = yield* ask(connection, {
            operation: "teams.find",
            query: "query($filter: TeamFilter) { teams(filter: $filter, first: 1) { nodes { id } } }",
            variables: { filter: teamFilter(team) },
            isRead: true
          })
          const found = getPath(nodesAt(data, "teams")[0], "id")
          if (typeof found === "string") return found
          return yield* new ProviderError({
            provider: "linear",
            operation: "teams.find",
            reason: new Invalid({ fields: { team: "is not a team of this workspace" } }),
            detail: `there is no team with the key ${team.toUpperCase()}; linear_list_teams lists them`
          })
        })

  return {
    ask,
    teamId,
    /** A page of the connection at a path, under a name, with `next_cursor`, null at the end. */
    page: (
      connection: ConnectionRef,
      operation: Operation,
      { cursor, limit }: Paging,
      {
        name,
        path,
        show
      }: { readonly path: string; readonly name: string; readonly show: (entry: unknown) => JsonObject }
    ): Effect.Effect<JsonObject, ProviderError> =>
      Effect.map(
        ask(connection, {
          ...operation,
          variables: { ...operation.variables, first: limit, after: cursor },
          isRead: true
        }),
        (data) => {
          const total = getPath(data, `${path}.totalCount`)
          const isMore = getPath(data, `${path}.pageInfo.hasNextPage`) === true
          return {
            ...(typeof total === "number" ? { total } : {}),
            [name]: nodesAt(data, path).map(show),
            next_cursor: isMore ? (getPath(data, `${path}.pageInfo.endCursor`) ?? null) : null
          }
        }
      )
  }
}

export type Calls = ReturnType<typeof calls>
