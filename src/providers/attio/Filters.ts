import type { Native } from "../../mapping/Mapping.ts"
import { type Clause, type Clauses, exact, wide } from "../Filtering.ts"

/**
 * Conditions on the attributes of an object's records, all of which must be met.
 * https://docs.attio.com/rest-api/guides/filtering-and-sorting
 */
export type Conditions = ReadonlyArray<Native>

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Attio does not tell when a record changed. */
export const created: Clauses<Conditions> = {
  created_after: exact(({ text }) => [{ created_at: { $gte: text } }]),
  created_before: exact(({ text }) => [{ created_at: { $lt: text } }])
}

/** https://docs.attio.com/docs/attribute-types/attribute-types-record-reference */
const reference = (attribute: string, target_object: string) => (id: string) =>
  uuid.test(id) ? [{ [attribute]: { target_object, target_record_id: id } }] : null

/** Records that an attribute with one value links to another record. */
export const link = (attribute: string, object: string): Clause<Conditions> => {
  const say = reference(attribute, object)
  return exact(({ text }) => say(text))
}

/** The same for an attribute that may have several values; only the first one counts. */
export const linkAmong = (attribute: string, object: string): Clause<Conditions> => {
  const say = reference(attribute, object)
  return wide(({ text }) => say(text))
}

/** https://docs.attio.com/docs/attribute-types/attribute-types-actor-reference */
export const heldBy = (attribute: string): Clause<Conditions> =>
  exact(({ text }) =>
    uuid.test(text) ? [{ [attribute]: { referenced_actor_type: "workspace-member", referenced_actor_id: text } }] : null
  )

/** Only this operator is documented to ignore case. */
const contains = (text: string): Native => ({ $contains: text })

export const named: Clause<Conditions> = wide(({ text }) => [{ name: contains(text) }])

/** A word of a person's name is in one of its parts, whatever is between them. */
export const calledSo: Clause<Conditions> = wide(({ text }) => {
  const words = text.split(/\s+/)
  const word = words.reduce((longest, one) => (one.length > longest.length ? one : longest), "")
  return [{ $or: ["first_name", "last_name"].map((part) => ({ name: { [part]: contains(word) } })) }]
})

/** Addresses are held in a form of Attio's own, beside the one that was entered. */
export const email: Clause<Conditions> = wide(({ text }) =>
  /^[^\s@]+@[^\s@]+$/.test(text) ? [{ email_addresses: { email_address: { $eq: text.toLowerCase() } } }] : null
)

/** Digits at the end that two ways to write a number share. */
const shared = 6

/** Numbers are compared as they are dialled from abroad. https://docs.attio.com/docs/attribute-types/attribute-types-phone-number */
export const phone: Clause<Conditions> = wide(({ text }) => {
  const end = text.replace(/\D/g, "").slice(-shared)
  return [{ phone_numbers: { phone_number: { $ends_with: end } } }]
})

/** https://docs.attio.com/docs/attribute-types/attribute-types-domain */
export const domain: Clause<Conditions> = wide(({ text }) => {
  const host = text
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^www\./, "")
    .replace(/[/:?#].*$/, "")
  return /^[\p{L}\p{N}.-]+$/u.test(host)
    ? [{ $or: [host, `www.${host}`].map((one) => ({ domains: { domain: { $eq: one } } })) }]
    : null
})
