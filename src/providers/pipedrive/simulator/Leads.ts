import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import { type Answered, bodyOf, failure, integerIn, ok, queryOf, timeIn } from "./Answers.ts"
import { entities, type Field } from "./Entities.ts"
import * as Kinds from "./Kinds.ts"
import { v1 } from "./Limits.ts"
import { offsetPage, offsetParameters, sortedBy } from "./Paging.ts"
import { company, leadLabels, me } from "./Settings.ts"

// Leads: https://developers.pipedrive.com/docs/api/v1/Leads

const invalid = (complaints: ReadonlyArray<string>) =>
  Either.left(failure(400, "provided dataset is not valid", complaints.join(". ")))

const missing = failure(404, "requested lead not found", "Object was not found.")

// Custom fields are those of deals, in the form of API v1 ----------------------------------------------------------------

const customFields = entities.deals.customFields ?? []

/** Suffixes of the keys beside a custom field's own, such as `_currency`. */
const suffixes = ({ kind }: Field) => (kind.parts ?? []).filter((part) => part !== "value")

const isNumeric = (value: unknown): value is string => typeof value === "string" && /^\d+$/.test(value)

/** A custom field's value in the form of API v2, out of the members of a body. */
const fromV1 = (field: Field, body: Doc): unknown => {
  const value = body[field.code]
  if (value === null || value === "") return null
  if (field.kind.type === "enum") return isNumeric(value) ? Number(value) : value
  if (field.kind.type === "set") {
    return typeof value === "string" ? value.split(",").map((one) => (isNumeric(one) ? Number(one) : one)) : value
  }
  if (field.kind.parts === undefined) return value
  const parts = suffixes(field).map((part) => [part, body[`${field.code}_${part}`] ?? null])
  return { value, ...Object.fromEntries(parts) }
}

const toV1 = (field: Field, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (value === null || value === undefined) return []
  if (field.kind.type === "enum") return [[field.code, String(value)]]
  if (Array.isArray(value)) return [[field.code, value.join(",")]]
  if (!Predicate.isRecord(value)) return [[field.code, value]]
  return [[field.code, value.value], ...suffixes(field).map((part) => [`${field.code}_${part}`, value[part]] as const)]
}

// One lead ----------------------------------------------------------------------------------------------------------------

interface Member {
  readonly kind: Kinds.Kind
  readonly isNullable?: boolean
  readonly writes?: "create" | "update"
}

const labelIds: Kinds.Kind = {
  type: "set",
  check: (value) =>
    !Array.isArray(value)
      ? Either.left("must be an array")
      : value.every((one) => leadLabels.some(({ id }) => id === one))
        ? Either.right(value)
        : Either.left("contains an unknown label")
}

const members: { readonly [name: string]: Member } = {
  title: { kind: Kinds.name },
  owner_id: { kind: Kinds.owner },
  label_ids: { kind: labelIds },
  person_id: { kind: Kinds.reference("persons", "people"), isNullable: true },
  organization_id: { kind: Kinds.reference("organizations", "org"), isNullable: true },
  is_archived: { kind: Kinds.flag, writes: "update" },
  value: {
    kind: Kinds.object("monetary", {
      amount: { kind: Kinds.number(0), isRequired: true },
      currency: { kind: Kinds.currency, isRequired: true }
    }),
    isNullable: true
  },
  expected_close_date: { kind: Kinds.date, isNullable: true },
  visible_to: { kind: Kinds.choice(["1", "3", "5", "7"]) },
  was_seen: { kind: Kinds.flag },
  origin_id: { kind: Kinds.text(), isNullable: true, writes: "create" },
  // no marketing channels are set up
  channel: { kind: Kinds.choice([]), isNullable: true },
  channel_id: { kind: Kinds.text(), isNullable: true }
}

/** What a body says about a lead. */
const read = (account: Account, body: Doc, isNew: boolean): Answered<Doc> => {
  const values: { [name: string]: unknown } = {}
  const customs: { [key: string]: unknown } = {}
  const complaints: Array<string> = []
  // read with the field they stand beside
  const beside = new Set(
    customFields.flatMap((field) =>
      body[field.code] === undefined ? [] : suffixes(field).map((part) => `${field.code}_${part}`)
    )
  )
  for (const [name, value] of Object.entries(body).filter(([name]) => !beside.has(name))) {
    const member = members[name]
    const custom = customFields.find(({ code }) => code === name)
    const kind = member?.kind ?? custom?.kind
    const given = custom === undefined ? value : fromV1(custom, body)
    const into = custom === undefined ? values : customs
    if (kind === undefined || (member?.writes !== undefined && (member.writes === "create") !== isNew)) {
      complaints.push(`"${name}" is not allowed`)
    } else if (given === null && (custom ?? member)?.isNullable === true) {
      into[name] = null
    } else {
      const checked = kind.check(given, account)
      if (Either.isRight(checked)) into[name] = checked.right
      else complaints.push(`"${name}" ${checked.left}`)
    }
  }
  return complaints.length > 0 ? invalid(complaints) : Either.right({ ...values, custom_fields: customs })
}

/** Times of leads have milliseconds. */
const now = (account: Account) => new Date(account.now).toISOString()

const initial = {
  owner_id: me.id,
  creator_id: me.id,
  label_ids: [],
  person_id: null,
  organization_id: null,
  source_name: "API",
  source_deal_id: null,
  origin: "API",
  origin_id: null,
  channel: null,
  channel_id: null,
  is_archived: false,
  was_seen: false,
  value: null,
  expected_close_date: null,
  next_activity_id: null,
  visible_to: "3"
}

const membersOf = (value: unknown): Doc => (Predicate.isRecord(value) ? value : {})

/** Writes a body onto a new lead or an old one, and keeps it. */
export const writeLead = (account: Account, body: Doc, before?: Doc, id: string = crypto.randomUUID()): Answered<Doc> =>
  Either.gen(function* () {
    const given = yield* read(account, body, before === undefined)
    if (before === undefined && given.title === undefined) return yield* invalid(['"title" is required'])
    const base = before ?? {
      id,
      sequence: account.nextId(),
      ...initial,
      add_time: now(account),
      cc_email: `${company.domain}+lead${id.slice(0, 8)}@pipedrivemail.com`
    }
    const lead: Doc = {
      ...base,
      ...given,
      custom_fields: { ...membersOf(base.custom_fields), ...membersOf(given.custom_fields) },
      update_time: now(account)
    }
    if (lead.person_id === null && lead.organization_id === null) {
      return yield* invalid(["A lead must be linked to a person or an organization"])
    }
    account.put("leads", id, lead)
    return lead
  })

const view = ({ custom_fields: customs, sequence: _sequence, ...lead }: Doc): Doc => ({
  ...lead,
  ...Object.fromEntries(customFields.flatMap((field) => toV1(field, membersOf(customs)[field.code])))
})

const leadNamed = (account: Account, { params }: SimulatedRequest): Answered<Doc> => {
  const lead = account.get("leads", params.id ?? "")
  return lead === undefined ? Either.left(missing) : Either.right(lead)
}

// Lists -------------------------------------------------------------------------------------------------------------------

const sorts = [
  "id",
  "title",
  "owner_id",
  "creator_id",
  "was_seen",
  "expected_close_date",
  "next_activity_id",
  "add_time",
  "update_time"
]

const list = (isArchived: boolean) => (request: SimulatedRequest, account: Account) =>
  Either.gen(function* () {
    const links = ["owner_id", "person_id", "organization_id"]
    const times = isArchived ? [] : ["updated_since"]
    const query = yield* queryOf(request, [...offsetParameters, ...links, ...times, "filter_id", "sort"])
    // there are no filters in the account
    if ((yield* integerIn(query, "filter_id")) !== undefined)
      return yield* Either.left(failure(404, "Filter not found"))
    for (const name of links) yield* integerIn(query, name)
    const since = yield* timeIn(query, "updated_since")
    const records = account
      .all("leads")
      .filter(
        (lead) =>
          lead.is_archived === isArchived &&
          (since === undefined || String(lead.update_time) >= since) &&
          links.every((name) => query(name) === undefined || query(name) === String(lead[name]))
      )
      .toSorted((a, b) => Number(a.sequence) - Number(b.sequence))
    const { pagination, slice } = yield* offsetPage(query, yield* sortedBy(query, sorts, records))
    // one level higher than in other lists, and without the next start
    const { limit, more_items_in_collection, start } = pagination
    return ok(slice.map(view), { start, limit, more_items_in_collection })
  })

export const leadRoutes: ReadonlyArray<Route> = [
  v1("GET", "leads", 20, list(false)),
  v1("GET", "leads/archived", 40, list(true)),
  v1("POST", "leads", 10, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, [])
      return ok(view(yield* writeLead(account, yield* bodyOf(request))), undefined, 201)
    })
  ),
  v1("GET", "leads/:id", 2, (request, account) => Either.map(leadNamed(account, request), (lead) => ok(view(lead)))),
  v1("PATCH", "leads/:id", 10, (request, account) =>
    Either.gen(function* () {
      const lead = yield* leadNamed(account, request)
      return ok(view(yield* writeLead(account, yield* bodyOf(request), lead, String(lead.id))))
    })
  ),
  v1("DELETE", "leads/:id", 6, (request, account) =>
    Either.map(leadNamed(account, request), ({ id }) => {
      account.remove("leads", String(id))
      return ok({ id })
    })
  )
].flat()
