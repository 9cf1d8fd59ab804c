import { Either, Predicate } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { isDay } from "../../simulation/Period.ts"
import type { Checked, Complaint } from "../../simulation/table/Complaint.ts"
import * as V from "../../simulation/table/Value.ts"
import { isId, stampOf } from "./Stamps.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html (sample inputs by data type)

/** The metadata of a field besides its names. */
export interface Spec {
  readonly code: string
  readonly type: string
  /** Characters of text, digits of numbers. */
  readonly length: number
  readonly values?: ReadonlyArray<string>
  /** Takes only its values; other pick lists take any text. */
  readonly closed?: true
  /** Modules a lookup leads to. */
  readonly to?: ReadonlyArray<string>
  /** The key beside the lookup that names its module, where the lookup itself does not. */
  readonly beside?: string
  readonly custom?: true
}

type Value = V.Value

const bad = (complaint: Complaint): Either.Either<never, Complaint> => Either.left(complaint)

const badForm = (form: string) => bad({ is: "form", form })

const inside =
  (name: string) =>
  (complaint: Complaint): Complaint => ({ is: "member", name, complaint })

const instantShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/
const emailShape =
  /^[+\-\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~.]*@(?=.{4,256}$)(?:[\p{L}\p{N}\p{M}]+(?:[-_]*[\p{L}\p{M}\p{N}])*[.])+[\p{L}\p{M}]{2,22}$/u
const phoneShape = /^[+\p{L}\d (][\p{L}\d ()+.,;#/-]*$/u
const websiteShape = /^(?:[a-z]+:\/\/)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?::\d+)?(?:[/?#]\S*)?$/iu

const instant = (value: string) =>
  instantShape.test(value) && isDay(value.slice(0, 10)) ? stampOf(Date.parse(value)) : undefined

const text = ({ length, type }: Spec, shape?: RegExp) =>
  V.text(type, { most: length, ...(shape === undefined ? {} : { shape }) })

/** Passes a value through one and then another, kept as the second keeps it. */
const both = ({ as, check }: Value, next: Value["check"]): Value => ({
  as,
  check: (value, org) => Either.flatMap(check(value, org), (given) => next(given, org))
})

/** One of the values, or any text where it is not closed. */
const pick = (spec: Spec): Value =>
  spec.closed === true ? both(text(spec), V.choice("picklist", spec.values ?? []).check) : text(spec)

const number = ({ length }: Spec, as: "integer" | "double"): Value => ({
  as,
  check: (value) => {
    if (typeof value !== "number" || (as === "integer" && !Number.isInteger(value))) return badForm(as)
    return Math.abs(value) < 10 ** length ? Either.right(value) : bad({ is: "length", bound: length })
  }
})

/** A long whole number, which JSON clients send as text. */
const bigint = ({ length }: Spec): Value =>
  both(
    { as: "bigint", check: (value) => Either.right(Number.isSafeInteger(value) ? String(value) : value) },
    both(V.text("bigint", { shape: /^-?\d+$/ }), V.text("bigint", { most: length }).check).check
  )

/** The id in `{"id": "…"}`, or alone. */
const idIn = (value: unknown): Checked<string> => {
  if (typeof value === "string" && isId(value)) return Either.right(value)
  if (!Predicate.isReadonlyRecord(value)) return badForm("jsonobject")
  const { id } = value
  if (id === undefined) return bad(inside("id")({ is: "required" }))
  return typeof id === "string" && isId(id) ? Either.right(id) : bad(inside("id")({ is: "form", form: "bigint" }))
}

const unknownId = inside("id")({ is: "absent" })

const user: Value = {
  as: "jsonobject",
  check: (value, org) =>
    Either.filterOrLeft(
      idIn(value),
      (id) => org.get("users", id)?.status === "active",
      () => unknownId
    )
}

/** The module of `{"module": {"api_name": "…"}}`. */
const moduleIn = (value: unknown, to: ReadonlyArray<string>): Checked<string> => {
  const module = Predicate.hasProperty(value, "module") ? value.module : undefined
  const name = Predicate.hasProperty(module, "api_name") ? module.api_name : undefined
  if (typeof name !== "string") return bad(inside("module")({ is: "form", form: "jsonobject" }))
  return to.includes(name)
    ? Either.right(name)
    : bad(inside("module")(inside("api_name")({ is: "unknown", value: name })))
}

/** A lookup and the module that stands beside it, which together came as one value. */
const moduleBeside = (name: unknown, { beside: key = "", code, to = [] }: Spec): Checked<string> => {
  if (name === undefined) {
    const words = `${key} is required with ${code}`
    return bad(inside(key)({ is: "refused", code: "DEPENDENT_FIELD_MISSING", words, others: [code] }))
  }
  return typeof name === "string" && to.includes(name)
    ? Either.right(name)
    : bad(inside(key)({ is: "choice", choices: to }))
}

/** A reference to a record, kept with its module. */
const reference = (spec: Spec): Value => {
  const { beside, to = [], type } = spec
  return {
    as: "jsonobject",
    links: to,
    check: (given, org) =>
      Either.gen(function* () {
        const pair: ReadonlyArray<unknown> = beside !== undefined && Array.isArray(given) ? given : [given]
        const [value, name] = pair
        const id = yield* idIn(value)
        const module =
          type === "multi_module_lookup"
            ? yield* moduleIn(value, to)
            : beside === undefined
              ? (to[0] ?? "")
              : yield* moduleBeside(name, spec)
        return org.get(module, id) === undefined ? yield* bad(unknownId) : { module, id }
      })
  }
}

const choices = ({ length }: Spec): Value =>
  both(
    V.list("jsonarray", V.text("text"), (list) =>
      list.join(";").length > length ? bad({ is: "length", bound: length }) : Either.right(list)
    ),
    (list) => Either.right(Array.isArray(list) && list.length === 0 ? null : list)
  )

const tag: Value = {
  as: "jsonobject",
  check: (one) =>
    Predicate.hasProperty(one, "name") && typeof one.name === "string"
      ? Either.right({ name: one.name })
      : bad(inside("name")({ is: "required" }))
}

const people: { readonly [type: string]: string } = { contact: "Contacts", lead: "Leads", user: "users" }

/** https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html (Meetings): who takes part, by id or by address. */
const participant: Value = {
  as: "jsonobject",
  check: (one, org) => {
    const { invited, participant: id, status, type }: Doc = Predicate.isReadonlyRecord(one) ? one : {}
    // who is named without them is newly there
    const state = { invited: invited === true, status: typeof status === "string" ? status : "not_known" }
    const wrong = (complaint: Complaint) => bad(inside("participant")(complaint))
    if (typeof id !== "string") return wrong({ is: "required" })
    if (type === "email") {
      return emailShape.test(id)
        ? Either.right({ type, participant: id, ...state })
        : wrong({ is: "form", form: "email" })
    }
    const table = typeof type === "string" ? people[type] : undefined
    if (table === undefined) return bad(inside("type")({ is: "choice", choices: [...Object.keys(people), "email"] }))
    return org.get(table, id) === undefined
      ? wrong({ is: "absent" })
      : Either.right({ type, participant: id, ...state })
  }
}

/** A list that null empties. */
const emptied = ({ as, check }: Value): Value => ({ as, check: (value, org) => check(value ?? [], org) })

/**
 * Types of fields: the usual length, and what they take.
 * https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html (`data_type`)
 */
export const types = {
  text: [255, text],
  textarea: [32_000, ({ length }: Spec) => V.text("text", { most: length })],
  email: [100, (spec: Spec) => text(spec, emailShape)],
  phone: [30, (spec: Spec) => text(spec, phoneShape)],
  website: [450, (spec: Spec) => text(spec, websiteShape)],
  picklist: [120, pick],
  multiselectpicklist: [255, choices],
  integer: [9, (spec: Spec) => number(spec, "integer")],
  bigint: [18, bigint],
  double: [16, (spec: Spec) => number(spec, "double")],
  currency: [16, (spec: Spec) => number(spec, "double")],
  boolean: [5, () => V.flag("boolean")],
  date: [20, () => V.day("date")],
  datetime: [120, () => V.formed("datetime", "datetime", instant)],
  lookup: [120, reference],
  multi_module_lookup: [120, reference],
  ownerlookup: [120, () => user],
  multiuserlookup: [4000, () => V.list("jsonarray", user)],
  participants: [4000, () => emptied(V.list("jsonarray", participant))],
  tags: [2000, () => emptied(V.list("jsonarray", tag))]
} as const satisfies { readonly [type: string]: readonly [length: number, value: (spec: Spec) => Value] }

export type FieldType = keyof typeof types
