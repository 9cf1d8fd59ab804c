import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import { type Readable, recordOf } from "../../simulation/table/Kind.ts"
import {
  flag,
  type Filter,
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

// https://developers.pipedrive.com/docs/api/v1/Persons#searchPersons

const pointsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map((point: unknown) => (Predicate.isRecord(point) ? String(point.value) : "")) : []

const searchedTypes = ["address", "varchar", "text", "varchar_auto", "double", "monetary", "phone"]

const customFields = (entities.persons.bags?.custom_fields ?? []).filter(({ value }) =>
  searchedTypes.includes(value.as)
)

const customsOf = (person: Doc) =>
  customFields.flatMap(({ code }) => {
    const value = partAt(person, "custom_fields")[code] ?? null
    return value === null ? [] : [String(Predicate.isRecord(value) ? value.value : value)]
  })

const notesOf = (account: Account, { id }: Doc) =>
  account
    .all("notes")
    .filter(({ active_flag, person_id }) => person_id === id && active_flag !== false)
    .map(({ content }) => String(content).replace(/<[^>]*>/g, ""))

/** The texts of a person, by what a search calls them. */
const textsOf = (account: Account, person: Doc) => ({
  name: [String(person.name)],
  email: pointsOf(person.emails),
  phone: pointsOf(person.phones),
  notes: notesOf(account, person),
  custom_fields: customsOf(person)
})

const places = ["custom_fields", "email", "notes", "phone", "name"] as const

const fields = parameter("fields", listed(places.length, oneOf(places)))
const exactly = parameter("exact_match", flag)

const termIn = (query: Query) => (query("term") ?? "").trim().toLowerCase()

/** Persons with the term in one of the fields, or whose whole value it is. */
const term: Filter = {
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
      return (person) => {
        const texts = textsOf(account, person)
        return asked.some((place) =>
          texts[place].some((text) => (isExact ? text.toLowerCase() === wanted : text.toLowerCase().includes(wanted)))
        )
      }
    })
}

const included = parameter("include_fields", oneOf(["person.picture"]))

const organizationOf = (account: Account, id: unknown) => {
  const found = id === null || id === undefined ? undefined : recordOf(account, entities.organizations, String(id))
  if (found === undefined) return null
  return { id: found.id, name: found.name, address: partAt(found, "address").value ?? null }
}

const search: Readable = {
  ...entities.persons,
  sorts: ["id"],
  filters: [term, where("organization_id", integer(), ({ org_id }, id) => org_id === id)],
  view: {
    names: included.names,
    read: (query, account) =>
      Either.map(included.read(query, account), (picture) => (of: Account, person: Doc) => {
        const { custom_fields, email, name, notes, phone } = textsOf(of, person)
        const wanted = termIn(query)
        const withTerm = (texts: ReadonlyArray<string>) => texts.filter((text) => text.toLowerCase().includes(wanted))
        return {
          // how much of the name the term is: Pipedrive does not say how it reckons
          result_score: Number(Math.min(1, wanted.length / Math.max(1, String(person.name).length)).toFixed(4)),
          item: {
            id: person.id,
            type: "person",
            name: name[0],
            phones: phone,
            emails: email,
            visible_to: person.visible_to,
            owner: { id: person.owner_id },
            organization: organizationOf(of, person.org_id),
            custom_fields: withTerm(custom_fields),
            notes: withTerm(notes),
            ...(picture === undefined ? {} : { picture: null })
          }
        }
      })
  }
}

const style: Style = { ...v2Style({}), many: (items, place) => ok({ items }, place) }

export const personSearch = v2("GET", "persons/search", 20, list(style, search))
