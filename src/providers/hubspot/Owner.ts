import { Array, Effect } from "effect"
import { Owner } from "../../canonical/crm/Owner.ts"
import { variantsOf } from "../../mapping/Entries.ts"
import { getPath, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { boolean, dateTime, negated, text } from "../../mapping/Transform.ts"
import { type Fetch, inOrder } from "../base/Paginator.ts"
import { type Query, textOf } from "../base/Paging.ts"
import { rest } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import { type Clauses, wide } from "../Filtering.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter, Target } from "../ProviderAdapter.ts"
import { archivedPaging, envelope, next, paging, recordsOf } from "./Answers.ts"

// Users who can own records; `hubspot_owner_id` of a record holds `id`, not `userId`.
// https://developers.hubspot.com/docs/guides/api/crm/owners

const mapping: Mapping = {
  blank: null,
  root: "",
  dialect: { raw: text, text, boolean, dateTime },
  ...variantsOf(Owner, (of) => [
    of.variant({
      nativeType: "owners",
      entries: [
        of.readField("remote_id", "id", text),
        of.readField("remote_created_at", "createdAt", dateTime),
        of.readField("remote_updated_at", "updatedAt", dateTime),
        of.readField("remote_was_deleted", "archived", boolean),
        of.computed({
          canonical: "name",
          native: ["firstName", "lastName"],
          decode: ({ record }) => [record.firstName, record.lastName].filter(Boolean).join(" ") || null
        }),
        of.readField("first_name", "firstName", text),
        of.readField("last_name", "lastName", text),
        of.readField("email", "email", text),
        of.readField("is_active", "archived", negated)
      ],
      notHeld: {}
    })
  ])
}

/** Their addresses are in lower case, as those that users sign in with. */
const filters: Clauses<Query> = { email: wide(({ text }) => ({ email: text.toLowerCase() })) }

export const owner = (call: Caller): ResourceAdapter => {
  const facts = { envelope, mapping, path: (type: string) => `/crm/v3/${type}`, filters }
  const active = rest(call, { ...facts, verbs: ["list", "get"], paging })
  const archived = rest(call, {
    ...facts,
    verbs: ["list", "get"],
    paging: archivedPaging,
    fields: () => ({ archived: true })
  })

  /** Also finds deactivated owners, which HubSpot returns only with `archived=true`. */
  const get = (target: Target) =>
    Effect.catchIf(
      active.get(target),
      ({ reason }) => reason._tag === "Missing",
      () => archived.get(target)
    )

  /** The first page of owners, which has all of them in most accounts. */
  const firstPage = (connection: ConnectionRef, isArchived: boolean) => {
    const query = { limit: 500, archived: isArchived }
    const request: Call = { operation: "owners.list", method: "GET", path: "/crm/v3/owners", query }
    return Effect.flatMap(call(connection, request), (answer) =>
      Effect.map(recordsOf(request, answer), (owners) => ({
        owners,
        isWhole: textOf(getPath(answer.body, next)) === null
      }))
    )
  }

  return {
    ...active,
    get,
    finds: [...(active.finds ?? []), "include_deleted"],
    list: (request) => {
      const of =
        (list: typeof active.list): Fetch =>
        (position, limit) =>
          list({ ...request, position, limit })
      // HubSpot does not say when an owner was deactivated
      const gone: Fetch = (position, limit) =>
        Effect.map(of(archived.list)(position, limit), (page) => ({
          ...page,
          records: page.records.map((one) => ({ ...one, deletedAt: null }))
        }))
      return request.wanted.include_deleted === undefined
        ? active.list(request)
        : inOrder("hubspot", [of(active.list), gone])(request.position, request.limit)
    },
    getMany: Effect.fnUntraced(function* ({ connection, ids, variant }) {
      const found = new Map<string, Native>()
      const left = () => ids.filter((id) => !found.has(id))
      let isWhole = true
      for (const isArchived of [false, true]) {
        if (left().length === 0) break
        const page = yield* firstPage(connection, isArchived)
        isWhole = isWhole && page.isWhole
        for (const one of page.owners) if (ids.includes(String(one.id))) found.set(String(one.id), one)
      }
      const others = yield* Effect.forEach(
        isWhole ? [] : left(),
        (id) =>
          get({ connection, variant, id }).pipe(
            Effect.asSome,
            Effect.catchIf(
              ({ reason }) => reason._tag === "Missing",
              () => Effect.succeedNone
            )
          ),
        { concurrency: 4 }
      )
      const known = [...found.values()].map((record) => ({ nativeType: variant.nativeType, record }))
      return [...known, ...Array.getSomes(others)]
    })
  }
}
