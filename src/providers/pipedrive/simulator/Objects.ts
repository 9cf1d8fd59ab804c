import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import {
  type Answered,
  bodyOf,
  choiceIn,
  failure,
  flagIn,
  idIn,
  integerIn,
  listIn,
  notFound,
  ok,
  type Query,
  queryOf,
  refuse,
  stamp,
  timeIn
} from "./Answers.ts"
import { counts } from "./Counts.ts"
import { entities, type Entity, liveOf, recordOf } from "./Entities.ts"
import { v2 } from "./Limits.ts"
import { cursorPage, cursorParameters } from "./Paging.ts"
import { type Shown, view, write } from "./Records.ts"

// Persons, organizations, deals and activities: https://developers.pipedrive.com/docs/api/v1/Persons

const viewParameters = (entity: Entity) => [
  "include_fields",
  ...(entity.customFields === undefined ? [] : ["custom_fields", "include_option_labels", "include_labels"])
]

/** How records are to be shown. */
const shownBy = (query: Query, entity: Entity): Answered<Shown> =>
  Either.gen(function* () {
    const known = [
      ...Object.keys(counts[entity.name]),
      ...entity.fields.flatMap(({ code, isOptional }) => (isOptional === true ? [code] : []))
    ]
    const optional = yield* listIn(query, "include_fields", known.length)
    const unknown = optional?.find((name) => !known.includes(name))
    if (unknown !== undefined) return yield* refuse("include_fields", `must be one of [${known.join(", ")}]`)
    return {
      optional,
      customFields: yield* listIn(query, "custom_fields", 15),
      optionLabels: yield* flagIn(query, "include_option_labels"),
      labels: yield* flagIn(query, "include_labels")
    }
  })

const show = (account: Account, entity: Entity, record: Doc, shown: Shown = {}): Doc => ({
  ...view(entity, record, shown),
  ...Object.fromEntries(
    Object.entries(counts[entity.name])
      .filter(([name]) => shown.optional?.includes(name) === true)
      .map(([name, valueOf]) => [name, valueOf(account, record)])
  )
})

const timeParameters = ["updated_since", "updated_until"]

/** Records that filters leave. */
const filtered = (query: Query, account: Account, entity: Entity, records: ReadonlyArray<Doc>) =>
  Either.gen(function* () {
    // there are no filters in the account
    if (query("filter_id") !== undefined) {
      yield* integerIn(query, "filter_id")
      return yield* Either.left(failure(404, "Filter not found", "Object was not found."))
    }
    const ids = yield* listIn(query, "ids", 100)
    const since = yield* timeIn(query, "updated_since")
    const until = yield* timeIn(query, "updated_until")
    const done = yield* flagIn(query, "done")
    const deal = yield* integerIn(query, "deal_id")
    for (const name of entity.filters) if (name !== "lead_id") yield* integerIn(query, name)
    const contact = entity.name !== "persons" || deal === undefined ? undefined : account.get("deals", String(deal))
    return records.filter(
      (record) =>
        (ids === undefined || ids.includes(String(record.id))) &&
        (since === undefined || String(record.update_time) >= since) &&
        (until === undefined || String(record.update_time) < until) &&
        (done === undefined || record.done === done) &&
        (entity.name !== "persons" || deal === undefined || record.id === contact?.person_id) &&
        entity.filters.every((name) => query(name) === undefined || query(name) === String(record[name]))
    )
  })

const ownParameters: { readonly [name in Entity["name"]]: ReadonlyArray<string> } = {
  persons: ["deal_id"],
  organizations: [],
  deals: ["status"],
  activities: ["done"]
}

const statuses = ["open", "won", "lost", "deleted"]

/** Deals by their status; deleted ones only when they are asked for. */
const withStatus = (query: Query, account: Account, isArchived: boolean) =>
  Either.gen(function* () {
    const asked = yield* listIn(query, "status", statuses.length)
    for (const one of asked ?? []) yield* choiceIn(() => one, "status", statuses)
    return account.all("deals").filter((deal) => {
      if (deal.is_archived !== isArchived || recordOf(account, "deals", String(deal.id)) === undefined) return false
      if (deal.is_deleted === true) return asked?.includes("deleted") === true
      return asked?.includes(String(deal.status)) ?? true
    })
  })

const list =
  (entity: Entity, isArchived = false) =>
  (request: SimulatedRequest, account: Account): Answered =>
    Either.gen(function* () {
      const query = yield* queryOf(request, [
        "filter_id",
        "ids",
        "sort_by",
        "sort_direction",
        ...timeParameters,
        ...entity.filters,
        ...ownParameters[entity.name],
        ...viewParameters(entity),
        ...cursorParameters
      ])
      const shown = yield* shownBy(query, entity)
      const all = entity.name === "deals" ? yield* withStatus(query, account, isArchived) : liveOf(account, entity.name)
      const records = yield* filtered(query, account, entity, all)
      const { next_cursor, slice } = yield* cursorPage(query, records, entity.sorts)
      return ok(
        slice.map((record) => show(account, entity, record, shown)),
        { next_cursor }
      )
    })

const found = (account: Account, entity: Entity, request: SimulatedRequest): Answered<Doc> => {
  const record = recordOf(account, entity.name, idIn(request))
  return record === undefined ? Either.left(notFound) : Either.right(record)
}

const routesOf = (entity: Entity): ReadonlyArray<Route> => {
  const path = entity.name
  const { costs } = entity
  return [
    v2("GET", path, costs.list, list(entity)),
    v2("POST", path, costs.write, (request, account) =>
      Either.gen(function* () {
        yield* queryOf(request, [])
        const body = yield* bodyOf(request)
        return ok(show(account, entity, yield* write(account, entity, body)))
      })
    ),
    v2("GET", `${path}/:id`, costs.get, (request, account) =>
      Either.gen(function* () {
        const query = yield* queryOf(request, viewParameters(entity))
        const shown = yield* shownBy(query, entity)
        return ok(show(account, entity, yield* found(account, entity, request), shown))
      })
    ),
    v2("PATCH", `${path}/:id`, costs.write, (request, account) =>
      Either.gen(function* () {
        yield* queryOf(request, [])
        const body = yield* bodyOf(request)
        const record = yield* found(account, entity, request)
        // what was deleted can only be taken back, and only a deal
        if (record.is_deleted === true && body.is_deleted !== false) return yield* Either.left(notFound)
        return ok(show(account, entity, yield* write(account, entity, body, record)))
      })
    ),
    v2("DELETE", `${path}/:id`, costs.remove, (request, account) =>
      Either.gen(function* () {
        yield* queryOf(request, [])
        const record = yield* found(account, entity, request)
        if (record.is_deleted === true) return yield* Either.left(notFound)
        account.put(entity.name, String(record.id), { ...record, is_deleted: true, update_time: stamp(account.now) })
        return ok({ id: record.id })
      })
    )
  ]
}

export const objectRoutes: ReadonlyArray<Route> = [
  v2("GET", "deals/archived", 20, list(entities.deals, true)),
  ...Object.values(entities).flatMap(routesOf)
]
