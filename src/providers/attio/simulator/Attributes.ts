import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Field, kept, set } from "../../simulation/table/Kind.ts"
import type { Checked, Complaint } from "../../simulation/table/Complaint.ts"
import type { Value } from "../../simulation/table/Value.ts"
import { app, memberOf, memberId, slugOf, stageId, stages, stamp } from "./Workspace.ts"

/**
 * Attributes of objects, whose values are lists: what each type takes, and the members that its values have.
 * https://docs.attio.com/docs/attribute-types/attribute-types
 */

const bad = (words: string): Either.Either<never, Complaint> => Either.left({ is: "own", words })

/** The members of a value, of what a request gives for it. */
type Read = (given: unknown, account: Account) => Checked<Doc>

export interface Attribute extends Value {
  readonly isMulti: boolean
  readonly isUnique?: boolean
}

/** A value as it is kept. */
export const valueOf = (type: string, now: number, members: Doc, actor: Doc = app): Doc => ({
  active_from: stamp(now),
  active_until: null,
  created_by_actor: actor,
  ...members,
  attribute_type: type
})

const attribute = (type: string, read: Read, rest: Partial<Attribute> = {}): Attribute => ({
  as: type,
  isMulti: false,
  check: (given, account) => {
    const all: ReadonlyArray<unknown> = given === null ? [] : Array.isArray(given) ? given : [given]
    if (all.length > 1 && rest.isMulti !== true) return bad("takes one value")
    return Either.all(
      all.map((one) => Either.map(read(one, account), (members) => valueOf(type, account.now, members)))
    )
  },
  ...rest
})

/** A member of an object, or the value itself where it is given without one. */
const bareOr = (given: unknown, name: string): unknown => (Predicate.isRecord(given) ? given[name] : given)

const textOf = (given: unknown, name: string, form: RegExp, words: string): Checked<string> => {
  const text = bareOr(given, name)
  return typeof text === "string" && form.test(text) ? Either.right(text) : bad(words)
}

export const text = attribute("text", (given) =>
  Either.map(textOf(given, "value", /^/, "must be a string"), (value) => ({ value }))
)

export const personalName = attribute("personal-name", (given) => {
  if (typeof given === "string") {
    const [last = "", ...first] = given.includes(",") ? given.split(",") : ["", given]
    const [first_name, last_name] = [first.join(",").trim(), last.trim()]
    return Either.right({ first_name, last_name, full_name: `${first_name} ${last_name}`.trim() })
  }
  const { first_name, full_name, last_name } = Predicate.isRecord(given) ? given : {}
  return [first_name, last_name, full_name].every(Predicate.isString)
    ? Either.right({ first_name, last_name, full_name })
    : bad("must have first_name, last_name and full_name")
})

const rootOf = (domain: string) => domain.split(".").slice(-2).join(".")

const hostForm = String.raw`([a-z0-9-]+\.)+[a-z]{2,}`

export const domain = attribute(
  "domain",
  (given) =>
    Either.map(textOf(given, "domain", new RegExp(`^${hostForm}$`, "i"), "must be a domain"), (name) => ({
      domain: name.toLowerCase(),
      root_domain: rootOf(name.toLowerCase())
    })),
  { isMulti: true, isUnique: true }
)

export const emailAddress = attribute(
  "email-address",
  (given) =>
    Either.map(
      textOf(given, "email_address", new RegExp(String.raw`^[^\s@]+@${hostForm}$`, "i"), "must be an email address"),
      (original_email_address) => {
        const email_address = original_email_address.toLowerCase()
        const [email_local_specifier = "", email_domain = ""] = email_address.split("@")
        const email_root_domain = rootOf(email_domain)
        return { original_email_address, email_address, email_domain, email_root_domain, email_local_specifier }
      }
    ),
  { isMulti: true, isUnique: true }
)

const callingCodes: ReadonlyArray<readonly [prefix: string, country: string]> = [
  ["+1", "US"],
  ["+30", "GR"],
  ["+33", "FR"],
  ["+34", "ES"],
  ["+353", "IE"],
  ["+44", "GB"],
  ["+46", "SE"],
  ["+48", "PL"],
  ["+49", "DE"],
  ["+55", "BR"],
  ["+81", "JP"],
  ["+90", "TR"],
  ["+91", "IN"]
]

/** Formats a number as E.164. A national number gets the calling code of its country instead of its leading 0. */
const dialled = (original: string, country: unknown): string => {
  const digits = original.replace(/[^+\d]/g, "")
  const [prefix] = callingCodes.find(([, code]) => code === country) ?? []
  return digits.startsWith("+") || prefix === undefined ? digits : prefix + digits.replace(/^0/, "")
}

/**
 * Accepts a number with a calling code, as text or in an object. A national number needs `country_code`.
 * https://docs.attio.com/docs/attribute-types/attribute-types-phone-number
 */
export const phoneNumber = attribute(
  "phone-number",
  (given) => {
    const original = bareOr(given, "original_phone_number")
    const country = Predicate.isRecord(given) ? given.country_code : null
    if (typeof original !== "string") {
      return bad("must be a phone number, or have original_phone_number")
    }
    const phone_number = dialled(original, country)
    const [, known] = callingCodes.find(([prefix]) => phone_number.startsWith(prefix)) ?? []
    const country_code = country ?? known
    return /^\+[1-9]\d{6,14}$/.test(phone_number) && country_code !== undefined
      ? Either.right({ original_phone_number: original, country_code, phone_number })
      : bad("must be a phone number with its country")
  },
  { isMulti: true }
)

const places = ["line_1", "line_2", "line_3", "line_4", "locality", "region", "postcode", "country_code"] as const
const locationMembers = [...places, "latitude", "longitude"]

export const location = attribute("location", (given) => {
  if (!Predicate.isRecord(given)) return bad("must be an object")
  const wrong = locationMembers.find((name) => given[name] !== null && typeof given[name] !== "string")
  if (wrong !== undefined) return bad(`must have ${wrong}, a string or null`)
  const { country_code } = given
  return typeof country_code === "string" && !/^[A-Z]{2}$/.test(country_code)
    ? bad("must have a country_code of two letters")
    : Either.right(Object.fromEntries(locationMembers.map((name) => [name, given[name]])))
})

export const reference = (object: string, isMulti = false): Attribute =>
  attribute(
    "record-reference",
    (given, account) => {
      const { target_object, target_record_id } = Predicate.isRecord(given) ? given : {}
      if (slugOf(target_object) !== object) return bad(`must have the target_object ${object}`)
      return account.get(object, String(target_record_id)) === undefined
        ? Either.left({ is: "absent" })
        : Either.right({ target_object: object, target_record_id })
    },
    { isMulti, links: [object] }
  )

export const actorReference = attribute("actor-reference", (given) => {
  const named = Predicate.isRecord(given) ? (given.referenced_actor_id ?? given.workspace_member_email_address) : given
  const found = memberOf(named)
  return found === undefined
    ? Either.left({ is: "absent" })
    : Either.right({ referenced_actor_type: "workspace-member", referenced_actor_id: memberId(found) })
})

export const currency = attribute("currency", (given) => {
  const amount = bareOr(given, "currency_value")
  return typeof amount === "number" && Number.isFinite(amount) && Number(amount.toFixed(4)) === amount
    ? Either.right({ currency_value: amount, currency_code: "USD" })
    : bad("must be a number with at most 4 decimal places")
})

export const stage = attribute("status", (given) => {
  const named = bareOr(given, "status")
  const found = stages.find((one) => stageId(one) === named || one.title === named)
  return found === undefined ? Either.left({ is: "absent" }) : Either.right({ status: found })
})

const readOnly = (type: string): Attribute => attribute(type, () => bad("cannot be written"))

export const select = { ...readOnly("select"), isMulti: true }
export const interaction = readOnly("interaction")

/** An attribute as a field, empty unless it is given. */
export const may = (slug: string, title: string, value: Attribute): Field => kept(slug, title, value, [])
export const must = (slug: string, title: string, value: Attribute): Field => ({
  ...may(slug, title, value),
  isRequired: true
})
export const enriched = (slug: string, title: string, value: Attribute): Field => ({
  ...set(slug, title, value, []),
  refusal: `The attribute with slug "${slug}" is set by the system and cannot be written.`
})
