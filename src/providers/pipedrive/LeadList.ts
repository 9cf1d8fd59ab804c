import { Effect, Either, Option, Schema } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import { type Fetch, inOrder } from "../base/Paginator.ts"
import { byOffset, type Query } from "../base/Paging.ts"
import type { Caller } from "../base/Upstream.ts"
import { type Clauses, clausesFor, exact, wide } from "../Filtering.ts"
import type { ListRequest, NativeRecord, Page } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { offsets } from "./Common.ts"
import { byEmail, isId } from "./Filters.ts"
import { ask, hits, idOf } from "./Objects.ts"

/**
 * A list has the leads in work, then the archived ones; a lead that is archived meanwhile can come in both.
 * https://developers.pipedrive.com/docs/api/v1/Leads#getLeads
 */

/** A filter as the two lists take it. */
interface Part {
  readonly query?: Query
  /** Parameters that the list of archived leads lacks. */
  readonly ofWorking?: Query
  readonly states?: ReadonlyArray<State>
  /** An e-mail address of the person that a lead hangs on. */
  readonly email?: string
  readonly keeps?: (record: Native) => boolean
  /** The newest come first. */
  readonly isDown?: boolean
  /** From this record on, none is meant. */
  readonly isPast?: (record: Native) => boolean
}

type State = "OPEN" | "CLOSED"

const lists: ReadonlyArray<{ readonly state: State; readonly path: string }> = [
  { state: "OPEN", path: "/api/v1/leads" },
  { state: "CLOSED", path: "/api/v1/leads/archived" }
]

const timeOf = ({ add_time }: Native) => (typeof add_time === "string" ? Date.parse(add_time) : NaN)

const link = (parameter: string) => exact<Part>(({ text }) => (isId(text) ? { query: { [parameter]: text } } : null))

export const leadFilters: Clauses<Part> = {
  // there is an order, and no parameter
  created_after: exact(({ text }) => {
    const bound = Date.parse(text)
    return { keeps: (lead) => timeOf(lead) >= bound, isDown: true, isPast: (lead) => timeOf(lead) < bound }
  }),
  created_before: exact(({ text }) => {
    const bound = Date.parse(text)
    return { keeps: (lead) => timeOf(lead) < bound, isDown: false, isPast: (lead) => timeOf(lead) >= bound }
  }),
  modified_after: wide(({ text }) => ({ ofWorking: { updated_since: `${text.slice(0, 19)}Z` } })),
  email: wide(({ text }) => ({ email: text })),
  account: link("organization_id"),
  owner: link("owner_id"),
  status: exact(({ values }) => {
    const states = lists.flatMap(({ state }) => (values.includes(state) ? [state] : []))
    return states.length === 0 ? null : { states }
  })
}

/** Milliseconds that no time has more of: what it lacks of them counts down. */
const longest = 1e15

/** Leads come from the oldest to the newest. */
const paging = (isDown: boolean) =>
  byOffset({
    ...offsets,
    ...(isDown ? { order: { sort: "add_time DESC" } } : {}),
    key: ({ record }) => {
      const time = timeOf(record)
      if (Number.isNaN(time)) return ""
      return isDown ? String(longest - time).padStart(16, "0") : new Date(time).toISOString()
    }
  })

/** People whose leads are asked for one after the other; of more, all leads are looked through. */
const fewPeople = 3

/** The people whose leads are meant, who are found at the start of a walk; null: all. */
const Position = Schema.parseJson(
  Schema.Struct({ people: Schema.NullOr(Schema.Array(Schema.String)), at: Schema.NullOr(Schema.String) })
)
const readPosition = Schema.decodeUnknownEither(Position)
const writePosition = Schema.encodeSync(Position)

export const foundLeads =
  (call: Caller) =>
  ({ connection, limit, position, wanted }: ListRequest): Effect.Effect<Page, ProviderError> => {
    const clauses = clausesFor(leadFilters, { wanted })
    if (Option.isNone(clauses)) return Effect.succeed({ records: [], next: null })
    const parts = clauses.value
    const order = parts.find(({ isPast }) => isPast)
    const isMeant = ({ record }: NativeRecord) => parts.every(({ keeps }) => keeps?.(record) ?? true)
    const isPast = ({ record }: NativeRecord) => order?.isPast?.(record) === true

    const listOf = (path: string, query: Query): Fetch => {
      const fetch = paging(order?.isDown === true)(ask(call, connection, { nativeType: "leads", path, query }), idOf)
      return (at, size) =>
        Effect.map(fetch(at, size), ({ next, records }) => {
          const meant = records.filter(isMeant)
          return { records: meant, next: records.some(isPast) ? null : next, sparse: meant.length < records.length }
        })
    }
    const query = parts.reduce<Query>((all, part) => ({ ...all, ...part.query }), {})
    const ofWorking = parts.reduce<Query>((all, part) => ({ ...all, ...part.ofWorking }), query)
    const states = parts.find((part) => part.states)?.states
    const listsOf = (person_id: string | undefined) =>
      lists
        .filter(({ state }) => states?.includes(state) ?? true)
        .map(({ path, state }) => listOf(path, { ...(state === "OPEN" ? ofWorking : query), person_id }))

    const email = parts.find((part) => part.email)?.email
    if (email === undefined) return inOrder("pipedrive", listsOf(undefined))(position, limit)
    const before = position === null ? undefined : Either.getOrUndefined(readPosition(position))
    const people =
      before === undefined
        ? Effect.map(hits(call, connection, "persons", byEmail(email))(null, fewPeople), ({ ids, next }) =>
            next === null ? ids : null
          )
        : Effect.succeed(before.people)
    return Effect.flatMap(people, (some) =>
      Effect.map(
        inOrder("pipedrive", some === null ? listsOf(undefined) : some.flatMap(listsOf))(before?.at ?? null, limit),
        (page) => ({ ...page, next: page.next === null ? null : writePosition({ people: some, at: page.next }) })
      )
    )
  }
