import { Effect } from "effect"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { Answer, Call, Caller } from "../../providers/base/Upstream.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { formed, limit, otherwise, whole } from "../Fields.ts"
import type { JsonObject } from "../Tool.ts"

// Shared by all GitHub tools: the fields that name a repository, and answers in pages.

/** Fields that name a repository; they are also the places of its path. */
export const repository = {
  owner: formed(
    "Account that owns the repository: the part of its full name before the slash, such as `octocat`.",
    /^[\w-]{1,100}$/,
    "an account's name: letters, digits and hyphens"
  ),
  repo: formed(
    "Name of the repository: the part of its full name after the slash.",
    /^(?!\.{1,2}$)[\w.-]{1,100}$/,
    "a repository's name: letters, digits, hyphens, dots and underscores"
  )
}

/** Fields of every tool that answers a page of a list. */
export const paging = {
  limit,
  page: otherwise(whole("Page of the list: `next_page` of the answer before. 1 when left out.", 1, 100_000), 1)
}

interface Paging {
  readonly limit: number
  readonly page: number
}

/** Where a list goes on: `<https://…?page=2>; rel="next"`. https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api */
const nextPage = ({ headers }: Answer): number | null => {
  const next = /<[^>]*[?&]page=(\d+)[^>]*>;\s*rel="next"/.exec(headers.link ?? "")?.[1]
  return next === undefined ? null : Number(next)
}

const malformed = ({ operation }: Call, { status }: Answer) =>
  new ProviderError({
    provider: "github",
    operation,
    reason: new Malformed(),
    status,
    detail: "the answer lacks what the API promises"
  })

/** How to answer a page of a list. */
interface List {
  /** Name of the list of entries. */
  readonly name: string
  readonly show: (entry: unknown) => JsonObject
  /** Where the list stands in the answer, when it is not the answer itself. */
  readonly member?: string
  /** Members of the answer beside the list. */
  readonly about?: (answer: Native) => JsonObject
}

type Query = { readonly [name: string]: string | number | undefined }

/** A call that GitHub answers in pages. */
type ListCall = Call & { readonly query?: Query }

/** A native page: the entries, the answer they stand in, and the number of the next one, null at the end. */
interface NativePage {
  readonly entries: ReadonlyArray<unknown>
  readonly answer: Native
  readonly next: number | null
}

export interface Calls {
  readonly call: Caller
  /** A call that answers one object. */
  readonly one: (connection: ConnectionRef, call: Call) => Effect.Effect<Native, ProviderError>
  /** A page as GitHub has it; `member` where the list stands inside of an object. */
  readonly native: (
    connection: ConnectionRef,
    call: ListCall,
    paging: Paging,
    member?: string
  ) => Effect.Effect<NativePage, ProviderError>
  /** A page of a list under a name, with `next_page`, null at the end. */
  readonly page: (
    connection: ConnectionRef,
    call: ListCall,
    paging: Paging,
    list: List
  ) => Effect.Effect<JsonObject, ProviderError>
}

export const calls = (call: Caller): Calls => {
  const native: Calls["native"] = (connection, request, { limit, page }, member) =>
    Effect.gen(function* () {
      const found = yield* call(connection, { ...request, query: { ...request.query, per_page: limit, page } })
      const answer = isNative(found.body) ? found.body : {}
      const entries = member === undefined ? found.body : answer[member]
      if (!Array.isArray(entries)) return yield* malformed(request, found)
      return { entries, answer, next: nextPage(found) }
    })
  return {
    call,
    native,
    one: (connection, request) =>
      Effect.flatMap(call(connection, request), (answer) =>
        isNative(answer.body) ? Effect.succeed(answer.body) : malformed(request, answer)
      ),
    page: (connection, request, paging, { about, member, name, show }) =>
      Effect.map(native(connection, request, paging, member), ({ answer, entries, next }) => ({
        ...about?.(answer),
        [name]: entries.map(show),
        next_page: next
      }))
  }
}

/** How many hits a search has in all; it answers the first 1,000 of them. */
export const total = (answer: Native): JsonObject => ({ total: answer["total_count"] })
