import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import { type Kind, type Readable, recordOf } from "../../simulation/table/Kind.ts"
import {
  type Filter,
  flag,
  integer,
  listed,
  oneOf,
  parameter,
  type Query,
  where
} from "../../simulation/table/Query.ts"
import { list, type Style } from "../../simulation/table/Routes.ts"
import { ok, v2Style } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { v2 } from "./Limits.ts"

// Searches: https://developers.pipedrive.com/docs/api/v1/Persons#searchPersons and its like

const searchedTypes = ["address", "varchar", "text", "varchar_auto", "double", "monetary", "phone"]

/** A record that something searched is linked to, as a result shows it. */
const linked = (account: Account, kind: Kind, id: unknown): Doc | undefined =>
  id === null || id === undefined ? undefined : recordOf(account, kind, String(id))

const organizationOf = (account: Account, id: unknown) => {
  const found = linked(account, entities.organizations, id)
  return found === undefined
    ? null
    : { id: found.id, name: found.name, address: partAt(found, "address").value ?? null }
}

const personOf = (account: Account, id: unknown) => {
  const found = linked(account, entities.persons, id)
  return found === undefined ? null : { id: found.id, name: found.name }
}

const pointsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map((point: unknown) => (Predicate.isRecord(point) ? String(point.value) : "")) : []

type Texts = { readonly [place: string]: ReadonlyArray<string> }

/** One kind of records that a search finds. */
interface Searched {
  readonly kind: Kind
  readonly type: string
  /** The field of notes that hang on it. */
  readonly on: string
  /** The field of a record's name, which a search knows by the same name. */
  readonly name: "name" | "title"
  readonly texts: (record: Doc) => Texts
  readonly filters: ReadonlyArray<Filter>
  /** An optional field, which no record has. */
  readonly included?: string
  readonly item: (account: Account, record: Doc, texts: Texts) => Doc
}

const byOrganization = where("organization_id", integer(), ({ org_id }, id) => org_id === id)

const all: ReadonlyArray<Searched> = [
  {
    kind: entities.persons,
    type: "person",
    on: "person_id",
    name: "name",
    texts: ({ emails, phones }) => ({ email: pointsOf(emails), phone: pointsOf(phones) }),
    filters: [byOrganization],
    included: "picture",
    item: (account, { org_id }, { email, phone }) => ({
      phones: phone,
      emails: email,
      organization: organizationOf(account, org_id)
    })
  },
  {
    kind: entities.organizations,
    type: "organization",
    on: "org_id",
    name: "name",
    texts: (record) => ({ address: [partAt(record, "address").value].filter(Predicate.isString) }),
    filters: [],
    item: (_account, _record, { address = [] }) => ({ address: address[0] ?? null })
  },
  {
    kind: entities.deals,
    type: "deal",
    on: "deal_id",
    name: "title",
    texts: () => ({}),
    filters: [
      byOrganization,
      where("person_id", integer(), ({ person_id }, id) => person_id === id),
      where("status", oneOf(["open", "won", "lost"]), ({ status }, wanted) => status === wanted)
    ],
    included: "cc_email",
    item: (account, { currency, is_archived, org_id, person_id, stage_id, status, value }) => ({
      value,
      currency,
      status,
      stage: { id: stage_id },
      person: personOf(account, person_id),
      organization: organizationOf(account, org_id),
      is_archived
    })
  }
]

const customsOf = ({ bags }: Kind, record: Doc) =>
  (bags?.custom_fields ?? [])
    .filter(({ value }) => searchedTypes.includes(value.as))
    .flatMap(({ code }) => {
      const value = partAt(record, "custom_fields")[code] ?? null
      return value === null ? [] : [String(Predicate.isRecord(value) ? value.value : value)]
    })

const notesOf = (account: Account, on: string, { id }: Doc) =>
  account
    .all("notes")
    .filter((note) => note[on] === id && note.active_flag !== false)
    .map(({ content }) => String(content).replace(/<[^>]*>/g, ""))

/** The texts of a record, by what a search calls them. */
const textsOf = ({ kind, name, on, texts }: Searched, account: Account, record: Doc): Texts => ({
  [name]: [String(record[name])],
  notes: notesOf(account, on, record),
  custom_fields: customsOf(kind, record),
  ...texts(record)
})

const exactly = parameter("exact_match", flag)

const termIn = (query: Query) => (query("term") ?? "").trim().toLowerCase()

/** Records with the term in one of the fields, or whose whole value it is. */
const term = (searched: Searched): Filter => {
  const places = ["custom_fields", "notes", searched.name, ...Object.keys(searched.texts({}))]
  const fields = parameter("fields", listed(places.length, oneOf(places)))
  return {
    names: ["term", ...fields.names, ...exactly.names],
    read: (query, account) =>
      Either.gen(function* () {
        const isExact = (yield* exactly.read(query, account)) === true
        const asked = (yield* fields.read(query, account)) ?? places
        const wanted = termIn(query)
        const least = isExact ? 1 : 2
        if (query("term") === undefined) {
          return yield* Either.left([{ path: "term", complaint: { is: "required" } }] as const)
        }
        if (wanted.length < least) {
          const words = `length must be at least ${least} characters long`
          return yield* Either.left([{ path: "term", complaint: { is: "own", words } }] as const)
        }
        return (record) => {
          const texts = textsOf(searched, account, record)
          return asked.some((place) =>
            texts[place]?.some((text) =>
              isExact ? text.toLowerCase() === wanted : text.toLowerCase().includes(wanted)
            )
          )
        }
      })
  }
}

const readable = (searched: Searched): Readable => {
  const { filters, included = "", item, kind, name, type } = searched
  const optional = parameter("include_fields", oneOf([`${type}.${included}`]))
  return {
    ...kind,
    sorts: ["id"],
    // an archived deal is found, although no list has it
    isListed: (record) => kind.isGone?.(record) !== true,
    filters: [term(searched), ...filters],
    view: {
      names: included === "" ? [] : optional.names,
      read: (query, account) =>
        Either.map(optional.read(query, account), (asked) => (of: Account, record: Doc) => {
          const texts = textsOf(searched, of, record)
          const wanted = termIn(query)
          const withTerm = (place: string) => texts[place]?.filter((text) => text.toLowerCase().includes(wanted)) ?? []
          return {
            // how much of the name the term is: Pipedrive does not say how it reckons
            result_score: Number(Math.min(1, wanted.length / Math.max(1, String(record[name]).length)).toFixed(4)),
            item: {
              id: record.id,
              type,
              [name]: record[name],
              visible_to: record.visible_to,
              owner: { id: record.owner_id },
              ...item(of, record, texts),
              custom_fields: withTerm("custom_fields"),
              notes: withTerm("notes"),
              ...(asked === undefined ? {} : { [included]: null })
            }
          }
        })
    }
  }
}

const style: Style = { ...v2Style({}), many: (items, place) => ok({ items }, place) }

export const searches = all.map((searched) =>
  v2("GET", `${searched.kind.name}/search`, 20, list(style, readable(searched)))
)
