import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import type { Complaint } from "../../simulation/table/Complaint.ts"
import { type Field, type Kind, recordOf, remove } from "../../simulation/table/Kind.ts"
import { asked, bodyOf, none } from "../../simulation/table/Routes.ts"
import { ok, v1Style, v1Time } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { leads } from "./Leads.ts"
import { v1 } from "./Limits.ts"
import { notes } from "./Notes.ts"

/**
 * Two records become one: that of `merge_with_id` stays and keeps what it has, what it does not have it takes of the other, which
 * is removed, and all that hangs on that one hangs on it from then on.
 * https://pipedrive.readme.io/docs/merging-two-persons
 * https://pipedrive.readme.io/docs/merging-two-deals
 * https://developers.pipedrive.com/tutorials/merging-two-organizations-via-pipedrive-api
 */

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

const filled = (winner: Doc, other: Doc): Doc =>
  Object.fromEntries(
    [...new Set([...Object.keys(other), ...Object.keys(winner)])].map((name) => [
      name,
      isEmpty(winner[name]) ? (other[name] ?? null) : winner[name]
    ])
  )

/** A value that leads to another record now; people among several stand there once. */
const led = (value: unknown, from: unknown, to: unknown): unknown => {
  if (value === from) return to
  if (!Array.isArray(value)) return value
  const members = value
    .filter(Predicate.isRecord)
    .map((member) => (member.person_id === from ? { ...member, person_id: to } : member))
  return members.filter(
    ({ person_id }, i) =>
      typeof person_id !== "number" || members.findIndex((member) => member.person_id === person_id) === i
  )
}

const ledIn = (fields: ReadonlyArray<Field>, doc: Doc, name: string, from: unknown, to: unknown): Doc => ({
  ...doc,
  ...Object.fromEntries(
    fields.flatMap(({ code, value: { links = [] } }) =>
      links.includes(name) && doc[code] !== undefined ? [[code, led(doc[code], from, to)]] : []
    )
  )
})

/** Makes everything that leads to a record lead to another one. */
const transfer = (account: Account, { name }: Kind, from: unknown, to: unknown): void => {
  for (const kind of [...Object.values(entities), leads, notes]) {
    const customs = kind.bags?.custom_fields ?? []
    for (const [id, doc] of account.entries(kind.name)) {
      const bag = partAt(doc, "custom_fields")
      const own = ledIn(kind.fields, doc, name, from, to)
      const changed = customs.length === 0 ? own : { ...own, custom_fields: ledIn(customs, bag, name, from, to) }
      if (JSON.stringify(changed) !== JSON.stringify(doc)) account.put(kind.name, id, changed)
    }
  }
}

/** A record as API v1 answers a merge with it. */
const answered: { readonly [name: string]: (record: Doc) => Doc } = {
  persons: ({ emails: email, is_deleted, phones: phone, ...person }) => ({
    ...person,
    email,
    phone,
    active_flag: is_deleted !== true,
    visible_to: String(person.visible_to)
  }),
  deals: ({ is_deleted: deleted, owner_id: user_id, ...deal }) => ({
    ...deal,
    user_id,
    deleted,
    active: deal.status === "open",
    visible_to: String(deal.visible_to)
  }),
  organizations: ({ id }) => ({ id })
}

const inV1 = (name: string, { custom_fields: _, ...record }: Doc, other: Doc): Doc => ({
  ...answered[name]?.(
    Object.fromEntries(
      Object.entries(record).map(([field, value]) => [field, field.endsWith("_time") ? v1Time(value) : value])
    )
  ),
  ...(name === "organizations" ? {} : { merge_what_id: other.id })
})

const refuse = (path: string, complaint: Complaint) => Either.left(v1Style.refuse([{ path, complaint }], "body"))

const mergeRoute = (kind: Kind): ReadonlyArray<Route> =>
  v1("PUT", `${kind.name}/:id/merge`, 40, (request, account) =>
    Either.gen(function* () {
      yield* asked(v1Style, none, request, account)
      const { merge_with_id: into, ...strange } = yield* bodyOf(v1Style, request)
      const [unknown] = Object.keys(strange)
      if (unknown !== undefined) return yield* refuse(unknown, { is: "not allowed" })
      if (into === undefined) return yield* refuse("merge_with_id", { is: "required" })
      if (typeof into !== "number") return yield* refuse("merge_with_id", { is: "type", type: "integer" })
      const live = (id: string) => {
        const record = v1Style.id.test(id) ? recordOf(account, kind, id) : undefined
        return record === undefined || kind.isGone?.(record) === true
          ? Either.left(v1Style.missing(kind.name))
          : Either.right(record)
      }
      const other = yield* live(request.params.id ?? "")
      const winner = yield* live(String(into))
      if (other.id === winner.id) return yield* refuse("merge_with_id", { is: "own", words: "is the record itself" })
      transfer(account, kind, other.id, winner.id)
      const customs = filled(partAt(winner, "custom_fields"), partAt(other, "custom_fields"))
      const merged = { ...filled(winner, other), custom_fields: customs, ...kind.stamps(account, winner) }
      account.put(kind.name, String(winner.id), merged)
      remove(account, kind, other)
      return ok(inV1(kind.name, merged, other))
    })
  )

export const mergeRoutes = [entities.persons, entities.organizations, entities.deals].flatMap(mergeRoute)
