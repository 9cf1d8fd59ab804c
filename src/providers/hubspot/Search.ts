import { Effect, Option, Record } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { type Fetch, keyset } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor } from "../Filtering.ts"
import type { ListRequest, NativeRecord, Page } from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { next, recordsOf } from "./Answers.ts"

// Search: https://developers.hubspot.com/docs/api-reference/search/guide

/** A condition on a property, or on the links to a type (`associations.contact`). */
export interface Condition {
  readonly propertyName: string
  readonly operator:
    "EQ" | "NEQ" | "IN" | "NOT_IN" | "GTE" | "GT" | "LT" | "HAS_PROPERTY" | "NOT_HAS_PROPERTY" | "CONTAINS_TOKEN"
  readonly value?: string
  readonly values?: ReadonlyArray<string>
}

/** Alternatives, each a list of conditions that must all hold. */
export type Groups = ReadonlyArray<ReadonlyArray<Condition>>

export const anything: Groups = [[]]

const both = (one: Groups, other: Groups): Groups => one.flatMap((a) => other.map((b) => [...a, ...b]))

/** The most groups, conditions of one and conditions altogether. */
const most = { groups: 5, each: 6, all: 18 }

/** Characters that a body may have, and that its groups take at most. */
const bodyLength = 3000
const groupsLength = 1600

/** Whether a search takes the groups, with one condition more in each to page by. */
const fits = (groups: Groups): boolean =>
  groups.length <= most.groups &&
  groups.every((group) => group.length < most.each) &&
  groups.flat().length + groups.length <= most.all &&
  JSON.stringify(groups).length <= groupsLength

/** Characters of the text that a search looks for in properties of HubSpot's choice, as the body has bounds. */
const queryLength = 500

export const searchText = {
  pattern: new RegExp(`^.{1,${queryLength}}$`, "su"),
  expected: `must have ${queryLength} characters at most`
}

/** A list as it is cut down. */
export interface Cut {
  /** Asked for. */
  readonly groups: Groups
  readonly query: string | undefined
  /** All that must hold, and the part of it that is not asked for. */
  readonly exact: ReadonlyArray<Groups>
  readonly left: ReadonlyArray<Groups>
}

/** How the list of a type is cut down; undefined: nothing can be meant. */
export const cutOf = (clauses: Clauses<Groups>, request: Pick<ListRequest, "wanted">): Cut | undefined => {
  const [exactly, widely] = Record.partition(clauses, ({ isWide }) => isWide)
  const said = Option.all([clausesFor(exactly, request), clausesFor(widely, request)])
  if (Option.isNone(said)) return undefined
  const [meant, found] = said.value
  const exact = meant.toSorted((a, b) => a.length - b.length)
  const left: Array<Groups> = []
  let groups = anything
  for (const more of exact) {
    const together = both(groups, more)
    if (fits(together)) groups = together
    else left.push(more)
  }
  for (const more of found) {
    const together = both(groups, more)
    if (fits(together)) groups = together
  }
  return { groups, query: request.wanted.q?.text, exact, left }
}

/** Adds conditions to a search. Conditions that no longer fit are checked afterwards. */
export const narrowed = (cut: Cut, more: Groups): Cut => {
  const groups = both(more, cut.groups)
  return fits(groups) ? { ...cut, groups } : { ...cut, groups: more, left: cut.exact }
}

export const isCut = ({ groups, query }: Cut) => query !== undefined || groups.some((group) => group.length > 0)

/** The properties that conditions look at. */
export const lookedAt = (exact: ReadonlyArray<Groups>) => [
  ...new Set(exact.flat(2).map(({ propertyName }) => propertyName))
]

const changed = ["lastmodifieddate", "hs_lastmodifieddate"]

/** The value that a search compares; an archived record was last changed when it was archived. */
const valueOf = (record: Native, name: string): string => {
  const isDeletion = record.archived === true && changed.includes(name)
  return String((isDeletion ? record.archivedAt : getPath(record, `properties.${name}`)) ?? "")
}

/** Whether an exact condition holds for a record. */
const holds =
  (record: Native) =>
  ({ operator, propertyName, value = "", values = [] }: Condition): boolean => {
    const own = valueOf(record, propertyName)
    switch (operator) {
      case "EQ":
        return own === value
      case "NEQ":
        return own !== value
      case "IN":
        return values.includes(own)
      case "NOT_IN":
        return !values.includes(own)
      case "GTE":
        return Date.parse(own) >= Number(value)
      case "LT":
        return Date.parse(own) < Number(value)
      case "NOT_HAS_PROPERTY":
        return own === ""
      case "HAS_PROPERTY":
        return own !== ""
      // no exact clause has these
      case "GT":
      case "CONTAINS_TOKEN":
        return true
    }
  }

export const areMet =
  (exact: ReadonlyArray<Groups>) =>
  ({ record }: NativeRecord): boolean =>
    exact.every((groups) => groups.some((group) => group.every(holds(record))))

const idOf = ({ record }: NativeRecord) => String(record.id)

/** Most records of one answer. */
const pageSize = 200

/** Reads records by their ids in one call; leaves out those that are not there. */
export const readBatch = (
  call: Caller,
  connection: ConnectionRef,
  operation: string,
  path: string,
  ids: ReadonlyArray<string>,
  properties: ReadonlyArray<string>,
  archived = false
): Effect.Effect<ReadonlyMap<string, Native>, ProviderError> => {
  const json = { inputs: ids.map((id) => ({ id })), properties }
  const request: Call = { operation, method: "POST", path: `${path}/batch/read`, json, reads: true }
  return call(connection, archived ? { ...request, query: { archived } } : request).pipe(
    Effect.flatMap((answer) => recordsOf(request, answer)),
    Effect.map((found) => new Map(found.map((record) => [String(record.id), record])))
  )
}

/**
 * The records of a type that a search finds, in the order of their ids: so it pages beyond the 10,000 results that a search
 * counts to. `path` is that of the type's list.
 */
export const searching = (
  call: Caller,
  connection: ConnectionRef,
  { cut, nativeType, path, properties }: Searched
): Fetch => {
  const operation = `${nativeType}.search`
  const asked = [...new Set([...properties, ...lookedAt(cut.left)])]
  const bodyOf = (after: string | undefined, limit: number, named: ReadonlyArray<string>) => {
    const page: Groups =
      after === undefined ? anything : [[{ propertyName: "hs_object_id", operator: "GT", value: after }]]
    return {
      filterGroups: both(cut.groups, page).flatMap((filters) => (filters.length === 0 ? [] : [{ filters }])),
      ...(cut.query === undefined ? {} : { query: cut.query }),
      sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
      properties: named,
      limit
    }
  }
  // more properties than a search can be asked for are read after it
  const isLong = JSON.stringify(bodyOf("9".repeat(20), pageSize, asked)).length > bodyLength
  const pages = keyset(pageSize, idOf, (after, limit) => {
    const json = bodyOf(after, limit, isLong ? ["hs_object_id"] : asked)
    const request: Call = { operation, method: "POST", path: `${path}/search`, json, reads: true }
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordsOf(request, answer)),
      Effect.filterOrFail(
        (found) => found.every(({ id }) => typeof id === "string"),
        () =>
          new ProviderError({ provider: "hubspot", operation, reason: new Malformed(), detail: "a record has no id" })
      ),
      Effect.map((found) => found.map((record): NativeRecord => ({ nativeType, record })))
    )
  })
  const completed = (page: Page): Effect.Effect<Page, ProviderError> =>
    Effect.map(readBatch(call, connection, operation, path, page.records.map(idOf), asked), (byId) => ({
      ...page,
      records: page.records.flatMap((one) => {
        const record = byId.get(idOf(one))
        return record === undefined ? [] : [{ nativeType, record }]
      })
    }))
  return (position, limit) =>
    Effect.flatMap(pages(position, limit), (page) =>
      isLong && page.records.length > 0 ? completed(page) : Effect.succeed(page)
    )
}

interface Searched {
  readonly cut: Cut
  readonly nativeType: string
  readonly path: string
  readonly properties: ReadonlyArray<string>
}

/** A link as records have it. */
const linksIn = (result: Native): ReadonlyArray<Native> =>
  natives(result.to).flatMap((link) =>
    natives(link.associationTypes).map(({ label }) => ({ id: String(link.toObjectId), label }))
  )

/**
 * Records of a type with their links to others, which a search does not give: one call for each of those types, side by
 * side. https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide
 */
export const withLinks = (
  call: Caller,
  connection: ConnectionRef,
  nativeType: string,
  to: ReadonlyArray<string>,
  records: ReadonlyArray<NativeRecord>
): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> => {
  if (records.length === 0 || to.length === 0) return Effect.succeed(records)
  const linked = Effect.forEach(
    to,
    (type) => {
      const request: Call = {
        operation: `${nativeType}.associations`,
        method: "POST",
        path: `/crm/v4/associations/${nativeType}/${type}/batch/read`,
        json: { inputs: records.map((one) => ({ id: idOf(one) })) },
        reads: true
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => recordsOf(request, answer)),
        Effect.map(
          (found) => [type, new Map(found.map((one) => [String(getPath(one, "from.id")), one] as const))] as const
        )
      )
    },
    { concurrency: "unbounded" }
  )
  return Effect.map(linked, (all) =>
    records.map((one) => {
      const associations = all.flatMap(([type, byId]) => {
        const result = byId.get(idOf(one))
        if (result === undefined) return []
        const after = getPath(result, next)
        return [
          [type, { results: linksIn(result), ...(after === undefined ? {} : { paging: result.paging }) }] as const
        ]
      })
      return { ...one, record: { ...one.record, associations: Object.fromEntries(associations) } }
    })
  )
}
