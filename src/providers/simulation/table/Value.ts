import { Either, Predicate } from "effect"
import type { Account, Doc } from "../Account.ts"
import { isDay } from "../Period.ts"
import type { Checked, Complaint } from "./Complaint.ts"

/** A type of values that a field takes. */
export interface Value {
  /** The provider's name of the type, for its metadata. */
  readonly as: string
  /** Checks a value; returns the form to store. */
  readonly check: (value: unknown, account: Account) => Checked
  readonly options?: ReadonlyArray<{ readonly id: string | number; readonly label: string }>
  /** Members of an object. */
  readonly parts?: ReadonlyArray<string>
  /** Kinds that it links to; a simulator without one of them is refused. */
  readonly links?: ReadonlyArray<string>
}

type Check = (value: unknown, account: Account) => Checked

const good = (value: unknown): Checked => Either.right(value)

const bad = (complaint: Complaint): Either.Either<never, Complaint> => Either.left(complaint)

const typed = (type: string) => bad({ is: "type", type })

export const text = (as: string, { filled = false, most = Infinity, shape = /^/ } = {}): Value => ({
  as,
  check: (value) => {
    if (typeof value !== "string") return typed("string")
    if (filled && value.trim() === "") return bad({ is: "empty" })
    if (value.length > most) return bad({ is: "length", bound: most })
    return shape.test(value) ? good(value) : bad({ is: "form", form: as })
  }
})

export const number = (as: string, { least = -Infinity, most = Infinity, whole = false } = {}): Value => ({
  as,
  check: (value) => {
    if (typeof value !== "number") return typed("number")
    if (whole && !Number.isInteger(value)) return typed("integer")
    if (value < least) return bad({ is: "least", bound: least })
    return value > most ? bad({ is: "most", bound: most }) : good(value)
  }
})

export const flag = (as: string): Value => ({
  as,
  check: (value) => (typeof value === "boolean" ? good(value) : typed("boolean"))
})

/** Text in a form; `read` returns the stored text, undefined where the form does not match. */
export const formed = (as: string, form: string, read: (text: string) => string | undefined): Value => ({
  as,
  check: (value) => {
    const found = typeof value === "string" ? read(value) : undefined
    return found === undefined ? bad({ is: "form", form }) : good(found)
  }
})

/** A day of the calendar, as `2026-02-28`. */
export const day = (as: string): Value => formed(as, "date", (value) => (isDay(value) ? value : undefined))

const oneOf =
  (choices: ReadonlyArray<string | number>): Check =>
  (value) =>
    choices.some((one) => one === value) ? good(value) : bad({ is: "choice", choices })

export const choice = (as: string, choices: ReadonlyArray<string | number>): Value => ({ as, check: oneOf(choices) })

type Options = NonNullable<Value["options"]>

/** One of the options in the metadata, by its id. */
export const option = (as: string, options: Options): Value => ({
  as,
  options,
  check: oneOf(options.map(({ id }) => id))
})

/** Several options, by their ids, at least `least`. */
export const options = (as: string, all: Options, least = 0): Value => ({
  as,
  options: all,
  check: (value) => {
    if (!Array.isArray(value)) return typed("array")
    if (value.length < least) return bad({ is: "items", bound: least })
    const unknown: unknown = value.find((one) => !all.some(({ id }) => id === one))
    return unknown === undefined ? good([...new Set(value)]) : bad({ is: "unknown", value: unknown })
  }
})

const absent: Complaint = { is: "absent" }

/** Something that must exist, by its id. */
export const known = (
  as: string,
  id: "number" | "string",
  isThere: (id: string, account: Account) => boolean,
  complaint: Complaint = absent
): Value => ({
  as,
  check: (value, account) => {
    if (typeof value !== id) return typed(id)
    return isThere(String(value), account) ? good(value) : bad(complaint)
  }
})

/** Another record, by its id; `isGone`: records that are kept but cannot be linked. */
export const link = (
  as: string,
  to: string,
  id: "number" | "string" = "string",
  isGone: (record: Doc) => boolean = () => false
): Value => ({
  ...known(as, id, (found, account) => {
    const record = account.get(to, found)
    return record !== undefined && !isGone(record)
  }),
  links: [to]
})

/** An object of parts; missing ones are taken from `blank`, or null. */
export const object = (
  as: string,
  parts: { readonly [name: string]: Value },
  required: ReadonlyArray<string> = [],
  blank: Doc = {}
): Value => ({
  as,
  parts: Object.keys(parts),
  links: Object.values(parts).flatMap(({ links = [] }) => links),
  check: (value, account) =>
    Either.gen(function* () {
      if (!Predicate.isRecord(value)) return yield* typed("object")
      const wrong = (name: string) => (complaint: Complaint) => ({ is: "member", name, complaint }) as const
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(parts, name))
      if (unknown !== undefined) return yield* bad(wrong(unknown)({ is: "not allowed" }))
      const found: { [name: string]: unknown } = {}
      for (const [name, part] of Object.entries(parts)) {
        const given = value[name] ?? null
        if (given === null && required.includes(name)) return yield* bad(wrong(name)({ is: "required" }))
        found[name] =
          given === null ? (blank[name] ?? null) : yield* Either.mapLeft(part.check(given, account), wrong(name))
      }
      return found
    })
})

/** A list; `complete` returns the stored form. */
export const list = (
  as: string,
  item: Value,
  complete: (items: ReadonlyArray<unknown>) => Checked<ReadonlyArray<unknown>> = Either.right
): Value => ({
  as,
  ...(item.links === undefined ? {} : { links: item.links }),
  check: (value, account) =>
    Array.isArray(value)
      ? Either.flatMap(Either.all(value.map((one: unknown) => item.check(one, account))), complete)
      : typed("array")
})

const isPrimary = (item: unknown) => Predicate.isRecord(item) && item.primary === true

/** A list of objects, one of which has `primary`: the first, where none is marked. */
export const listWithPrimary = (as: string, item: Value): Value =>
  list(as, item, (items) => {
    if (items.filter(isPrimary).length > 1) return bad({ is: "primary" })
    const first = Math.max(0, items.findIndex(isPrimary))
    return Either.right(items.filter(Predicate.isRecord).map((one, index) => ({ ...one, primary: index === first })))
  })
