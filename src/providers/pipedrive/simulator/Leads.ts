import { Either, Predicate } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Field, type Kind, kept, may, must, set } from "../../simulation/table/Kind.ts"
import { list, routesOf, type Style } from "../../simulation/table/Routes.ts"
import * as Value from "../../simulation/table/Value.ts"
import { failure, ok, said, v1Style } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { filterId, links, updatedSince } from "./Filters.ts"
import { v1 } from "./Limits.ts"
import { company, leadLabels, me } from "./Settings.ts"
import * as V from "./Values.ts"

// Leads: https://developers.pipedrive.com/docs/api/v1/Leads

// Custom fields are those of deals, in the form of API v1 ----------------------------------------------------------------

const customFields = entities.deals.bags?.custom_fields ?? []

/** Suffixes of the keys beside a custom field's own, such as `_currency`. */
const suffixes = ({ value }: Field) => (value.parts ?? []).filter((part) => part !== "value")

const keysOf = (field: Field) => [field.code, ...suffixes(field).map((part) => `${field.code}_${part}`)]

const isNumeric = (value: unknown): value is string => typeof value === "string" && /^\d+$/.test(value)

/** A custom field's value in the form of API v2, out of the members of a body. */
const fromV1 = (field: Field, body: Doc): unknown => {
  const value = body[field.code]
  if (value === null || value === "") return null
  if (field.value.as === "enum") return isNumeric(value) ? Number(value) : value
  if (field.value.as === "set") {
    return typeof value === "string" ? value.split(",").map((one) => (isNumeric(one) ? Number(one) : one)) : value
  }
  if (field.value.parts === undefined) return value
  const parts = suffixes(field).map((part) => [part, body[`${field.code}_${part}`] ?? null])
  return { value, ...Object.fromEntries(parts) }
}

const toV1 = (field: Field, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (value === null || value === undefined) return []
  if (field.value.as === "enum") return [[field.code, String(value)]]
  if (Array.isArray(value)) return [[field.code, value.join(",")]]
  if (!Predicate.isRecord(value)) return [[field.code, value]]
  return [[field.code, value.value], ...suffixes(field).map((part) => [`${field.code}_${part}`, value[part]] as const)]
}

const accepts = (body: Doc): Doc => {
  const given = customFields.filter(({ code }) => body[code] !== undefined)
  const taken = ["custom_fields", ...given.flatMap(keysOf)]
  return {
    ...Object.fromEntries(Object.entries(body).filter(([name]) => !taken.includes(name))),
    custom_fields: {
      ...Object.fromEntries(given.map((field) => [field.code, fromV1(field, body)])),
      // no member of that name is known
      ...("custom_fields" in body ? { custom_fields: body.custom_fields } : {})
    }
  }
}

// One lead ----------------------------------------------------------------------------------------------------------------

/** Times of leads have milliseconds. */
const time = (milliseconds: number) => new Date(milliseconds).toISOString()

export const leads: Kind = {
  name: "leads",
  fields: [
    set("id", "ID", V.text()),
    must("title", "Title", V.name),
    kept("owner_id", "Owner", V.owner, me.id),
    set("creator_id", "Creator", V.owner, me.id),
    kept(
      "label_ids",
      "Labels",
      Value.options(
        "set",
        leadLabels.map(({ id, name }) => ({ id, label: name }))
      ),
      []
    ),
    may("person_id", "Contact person", V.reference("persons", "people")),
    may("organization_id", "Organization", V.reference("organizations", "org")),
    set("source_name", "Source", V.text(), "API"),
    set("source_deal_id", "Source deal", V.integer()),
    set("origin", "Source origin", V.text(), "API"),
    { ...may("origin_id", "Source origin ID", V.text()), writes: "create" },
    // no marketing channels are set up
    may("channel", "Source channel", Value.choice("enum", [])),
    may("channel_id", "Source channel ID", V.text()),
    { ...kept("is_archived", "Archived", V.flag, false), writes: "update" },
    kept("was_seen", "Seen", V.flag, false),
    may(
      "value",
      "Value",
      Value.object("monetary", { amount: V.number(0), currency: V.currency }, ["amount", "currency"])
    ),
    may("expected_close_date", "Expected close date", V.date),
    set("next_activity_id", "Next activity", V.integer()),
    kept("visible_to", "Visible to", Value.choice("visible_to", ["1", "3", "5", "7"]), "3")
  ],
  bags: { custom_fields: customFields },
  accepts,
  rules: [
    ({ after }) =>
      after.title !== null && after.person_id === null && after.organization_id === null
        ? refused("A lead must be linked to a person or an organization")
        : Either.right(after)
  ],
  nextId: () => crypto.randomUUID(),
  made: (account, id) => ({
    sequence: account.nextId(),
    add_time: time(account.now),
    cc_email: `${company.domain}+lead${String(id).slice(0, 8)}@pipedrivemail.com`
  }),
  stamps: (account) => ({ update_time: time(account.now) }),
  all: (account) => account.all("leads").toSorted((a, b) => Number(a.sequence) - Number(b.sequence)),
  isListed: ({ is_archived }) => is_archived === false,
  sorts: [
    "id",
    "title",
    "owner_id",
    "creator_id",
    "was_seen",
    "expected_close_date",
    "next_activity_id",
    "add_time",
    "update_time"
  ],
  filters: [filterId, ...links("owner_id", "person_id", "organization_id"), updatedSince],
  view: {
    names: [],
    read: () =>
      Either.right((_account, record) => {
        const { custom_fields: _customs, sequence: _sequence, ...lead } = record
        const customs = partAt(record, "custom_fields")
        return { ...lead, ...Object.fromEntries(customFields.flatMap((field) => toV1(field, customs[field.code]))) }
      })
  }
}

const style: Style = {
  ...v1Style,
  id: /./,
  refuse: (problems, place) =>
    place === "query"
      ? v1Style.refuse(problems, place)
      : failure(
          400,
          "provided dataset is not valid",
          problems
            .map(({ complaint, path }) =>
              complaint.is === "refused"
                ? complaint.words
                : `"${path.replace(/^custom_fields\./, "")}" ${said(complaint)}`
            )
            .join(". ")
        ),
  missing: () => failure(404, "requested lead not found", "Object was not found."),
  one: (record, verb) => ok(verb === "remove" ? { id: record.id } : record)
}

export const leadRoutes = [
  ...v1(
    "GET",
    "leads/archived",
    40,
    list(style, {
      ...leads,
      filters: leads.filters?.filter((filter) => filter !== updatedSince) ?? [],
      isListed: ({ is_archived }) => is_archived === true
    })
  ),
  ...routesOf(style, leads)
]
