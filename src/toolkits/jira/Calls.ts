import { Cache, Data, Effect } from "effect"
import { getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import type { Answer, Call, Caller } from "../../providers/base/Upstream.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { formed, limit, optional } from "../Fields.ts"
import type { JsonObject } from "../Tool.ts"

// Shared by all Jira tools: the site in each path, keys of issues, and answers in pages.

/** Below the site that the connection is for. https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/#other-integrations */
export const root = "/ex/jira/:cloudId/rest/api/3"

export const issueKey = formed(
  "Key of the issue, such as `HARBOR-12`, or its id.",
  /^([A-Za-z][A-Za-z0-9_]{1,30}-\d{1,10}|\d{1,19})$/,
  "an issue's key such as HARBOR-12"
)

export const projectKey = formed(
  "Key of the project, such as `HARBOR`, from jira_list_projects; or its id.",
  /^([A-Za-z][A-Za-z0-9_]{1,30}|\d{1,19})$/,
  "a project's key such as HARBOR"
)

export const accountId = (description: string) =>
  formed(description, /^[\w:.-]{1,128}$/, "an account id, from jira_search_users")

/** Fields of a tool whose list Jira counts through. */
export const paging = {
  limit,
  cursor: optional(
    formed("Where the list goes on: `next_cursor` of the answer before.", /^\d{1,9}$/, "`next_cursor` of an answer")
  )
}

interface Paging {
  readonly limit: number
  readonly cursor?: string
}

const malformed = ({ operation }: Call, { status }: Answer) =>
  new ProviderError({
    provider: "jira",
    operation,
    reason: new Malformed(),
    status,
    detail: "the answer lacks what the API promises"
  })

type Query = { readonly [name: string]: string | number | boolean | undefined }

/** Connections' sites that are remembered, and for how long. */
const remembered = { capacity: 1000, timeToLive: "1 hour" } as const

export const calls = (call: Caller) =>
  Effect.gen(function* () {
    const one = (connection: ConnectionRef, request: Call) =>
      Effect.flatMap(call(connection, request), (answer) =>
        isNative(answer.body) ? Effect.succeed(answer.body) : malformed(request, answer)
      )

    // addresses for people are on the site, which only this answer names
    const sites = yield* Cache.make({
      ...remembered,
      lookup: (connection: ConnectionRef) =>
        Effect.map(one(connection, { operation: "site", method: "GET", path: `${root}/serverInfo` }), (info) =>
          getPath(info, "baseUrl")
        )
    })

    return {
      call,
      one,
      /** The address of an issue for people; undefined where the site does not say its own. */
      addressOf: (connection: ConnectionRef) =>
        sites
          .get(
            Data.struct({
              id: connection.id,
              provider: connection.provider,
              environment: connection.environment,
              organisation: connection.organisation
            })
          )
          .pipe(
            Effect.orElseSucceed(() => undefined),
            Effect.map(
              (site) => (key: unknown) =>
                typeof site === "string" && typeof key === "string" ? `${site}/browse/${key}` : undefined
            )
          ),
      /** A page of a list that is counted through, under a name, with `next_cursor`, null at the end. */
      page: (
        connection: ConnectionRef,
        request: Call & { readonly query?: Query },
        { cursor = "0", limit }: Paging,
        list: { readonly name: string; readonly member?: string; readonly show: (entry: unknown) => JsonObject }
      ): Effect.Effect<JsonObject, ProviderError> =>
        Effect.gen(function* () {
          const start = Number(cursor)
          const answer = yield* call(connection, {
            ...request,
            query: { ...request.query, startAt: start, maxResults: limit }
          })
          const holder: Native = isNative(answer.body) ? answer.body : {}
          const entries = list.member === undefined ? answer.body : holder[list.member]
          if (!Array.isArray(entries)) return yield* malformed(request, answer)
          const { total } = holder
          const end = start + entries.length
          // lists of people do not say how many there are
          const isLast = entries.length === 0 || (typeof total === "number" ? end >= total : entries.length < limit)
          return {
            ...(typeof total === "number" ? { total } : {}),
            [list.name]: entries.map(list.show),
            next_cursor: isLast ? null : String(end)
          }
        })
    }
  })

export type Calls = Effect.Effect.Success<ReturnType<typeof calls>>
