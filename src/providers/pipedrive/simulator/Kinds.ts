import { Either, Predicate } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import { timeOf } from "./Answers.ts"
import { currencies, type Option, users } from "./Settings.ts"

/** A value as it is kept, or what is wrong with it. */
export type Checked = Either.Either<unknown, string>

/** What values a field takes. */
export interface Kind {
  /** https://pipedrive.readme.io/docs/core-api-concepts-custom-fields#types-of-custom-fields */
  readonly type: string
  readonly check: (value: unknown, account: Account) => Checked
  readonly options?: ReadonlyArray<Option | { readonly id: string; readonly label: string }>
  /** Members of a value that is an object. */
  readonly parts?: ReadonlyArray<string>
}

const wrong = (complaint: string): Checked => Either.left(complaint)

const good = (value: unknown): Checked => Either.right(value)

export const text = (most = 255, type = "varchar"): Kind => ({
  type,
  check: (value) =>
    typeof value !== "string"
      ? wrong("must be a string")
      : value.length > most
        ? wrong(`length must be less than or equal to ${most} characters long`)
        : good(value)
})

/** Text that cannot be empty. */
export const name: Kind = {
  type: "varchar",
  check: (value, account) =>
    typeof value === "string" && value.trim() === ""
      ? wrong("is not allowed to be empty")
      : text().check(value, account)
}

export const number = (least = -Infinity, most = Infinity, type = "double"): Kind => ({
  type,
  check: (value) => {
    if (typeof value !== "number") return wrong("must be a number")
    if (value < least) return wrong(`must be greater than or equal to ${least}`)
    return value > most ? wrong(`must be less than or equal to ${most}`) : good(value)
  }
})

export const integer = (least = -Infinity): Kind => ({
  type: "int",
  check: (value, account) =>
    typeof value === "number" && !Number.isInteger(value)
      ? wrong("must be an integer")
      : number(least).check(value, account)
})

export const flag: Kind = {
  type: "boolean",
  check: (value) => (typeof value === "boolean" ? good(value) : wrong("must be a boolean"))
}

export const date: Kind = {
  type: "date",
  check: (value) => (typeof value === "string" && isDay(value) ? good(value) : wrong("must be in YYYY-MM-DD format"))
}

/** RFC 3339, or the form of API v1, which some fields are described with. */
export const datetime: Kind = {
  type: "date",
  check: (value) => {
    const time = typeof value === "string" ? timeOf(value.replace(/^(\S{10}) (\S{8})$/, "$1T$2Z")) : undefined
    return time === undefined ? wrong("is not a valid datetime") : good(time)
  }
}

const clockOf = (value: unknown, mostHours: number): string | undefined => {
  const [, hours = "", minutes = "", seconds = "00"] =
    typeof value === "string" ? (/^(\d{2,3}):([0-5]\d)(?::([0-5]\d))?$/.exec(value) ?? []) : []
  return hours !== "" && Number(hours) <= mostHours ? `${hours}:${minutes}:${seconds}` : undefined
}

/** A time of day or a duration, kept with its seconds. */
export const clock = (mostHours = 23): Kind => ({
  type: "time",
  check: (value) => {
    const time = clockOf(value, mostHours)
    return time === undefined ? wrong("is not a valid datetime") : good(time)
  }
})

/** One of the account's users who may own records. */
export const owner: Kind = {
  type: "user",
  check: (value) =>
    typeof value !== "number"
      ? wrong("must be a number")
      : users.some(({ id, isActive }) => isActive && id === value)
        ? good(value)
        : wrong("is not an active user of the company")
}

/** Another record, by its id. */
export const reference = (to: string, type: string, id: "number" | "string" = "number"): Kind => ({
  type,
  check: (value, account) => {
    if (typeof value !== id) return wrong(`must be a ${id}`)
    const found = account.get(to, String(value))
    return found === undefined || found.is_deleted === true ? wrong("was not found") : good(value)
  }
})

export const choice = (values: ReadonlyArray<string | number>, type = "enum"): Kind => ({
  type,
  check: (value) => (values.some((one) => one === value) ? good(value) : wrong(`must be one of [${values.join(", ")}]`))
})

export const option = (options: ReadonlyArray<Option>): Kind => ({
  type: "enum",
  options,
  check: choice(options.map(({ id }) => id)).check
})

/** Several options, by their ids; a custom field of this kind is cleared with null. */
export const optionSet = (options: ReadonlyArray<Option>, mayBeEmpty = false): Kind => ({
  type: "set",
  options,
  check: (value) => {
    if (!Array.isArray(value)) return wrong("must be an array")
    if (value.length === 0 && !mayBeEmpty) return wrong("must contain at least 1 items")
    const unknown: unknown = value.find((one) => !options.some(({ id }) => id === one))
    return unknown === undefined ? good([...new Set(value)]) : wrong(`has no option ${JSON.stringify(unknown)}`)
  }
})

export const currency: Kind = {
  type: "varchar",
  check: choice(currencies.map(({ code }) => code)).check
}

// Objects -------------------------------------------------------------------------------------------------------------

interface Part {
  readonly kind: Kind
  readonly isRequired?: boolean
}

/** An object of parts; those that are not given are null. */
export const object = (type: string, parts: { readonly [name: string]: Part }): Kind => ({
  type,
  parts: Object.keys(parts),
  check: (value, account) =>
    Either.gen(function* () {
      if (!Predicate.isRecord(value)) return yield* wrong("must be an object")
      const unknown = Object.keys(value).find((name) => !(name in parts))
      if (unknown !== undefined) return yield* wrong(`has the member '${unknown}', which is not allowed`)
      const found: { [name: string]: unknown } = {}
      for (const [name, { isRequired, kind }] of Object.entries(parts)) {
        const given = value[name] ?? null
        if (given === null && isRequired === true) return yield* wrong(`lacks the member '${name}'`)
        found[name] =
          given === null
            ? null
            : yield* Either.mapLeft(
                kind.check(given, account),
                (complaint) => `has a member '${name}' that ${complaint}`
              )
      }
      return found
    })
})

export const monetary: Kind = object("monetary", {
  value: { kind: number(), isRequired: true },
  currency: { kind: currency, isRequired: true }
})

/** Only `value` is needed: https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide */
export const address: Kind = object("address", {
  value: { kind: text(), isRequired: true },
  ...Object.fromEntries(
    [
      "street_number",
      "route",
      "subpremise",
      "sublocality",
      "locality",
      "admin_area_level_1",
      "admin_area_level_2",
      "country",
      "postal_code",
      "formatted_address"
    ].map((part) => [part, { kind: text() }])
  )
})

const zone = { timezone_id: { kind: integer(1) }, timezone_name: { kind: text() } }

export const dateRange: Kind = object("daterange", {
  value: { kind: date, isRequired: true },
  until: { kind: date, isRequired: true }
})

export const time: Kind = object("time", { value: { kind: clock(), isRequired: true }, ...zone })

export const timeRange: Kind = object("timerange", {
  value: { kind: clock(), isRequired: true },
  until: { kind: clock(), isRequired: true },
  ...zone
})

/** A list of objects, of which at most one is primary. */
const listOf = (type: string, item: Kind, complete: (items: ReadonlyArray<Doc>) => ReadonlyArray<Doc>): Kind => ({
  type,
  check: (value, account) =>
    Either.gen(function* () {
      if (!Array.isArray(value)) return yield* wrong("must be an array")
      const items: Array<Doc> = []
      for (const one of value) {
        const checked = yield* item.check(one, account)
        if (Predicate.isRecord(checked)) items.push(checked)
      }
      if (items.filter(({ primary }) => primary === true).length > 1) {
        return yield* wrong("must have at most one primary value")
      }
      return complete(items)
    })
})

/** Where none is primary, the first is. */
const withPrimary = (items: ReadonlyArray<Doc>): ReadonlyArray<Doc> => {
  const hasPrimary = items.some(({ primary }) => primary === true)
  return items.map((item, index) => ({ ...item, primary: hasPrimary ? item.primary === true : index === 0 }))
}

/** Email addresses, phone numbers and messengers of a person. */
export const contactPoints = (type: string): Kind =>
  listOf(
    type,
    object(type, {
      value: { kind: text(), isRequired: true },
      primary: { kind: flag },
      label: { kind: text() }
    }),
    (items) => withPrimary(items.map((item) => ({ ...item, label: item.label ?? "work" })))
  )

export const participants: Kind = listOf(
  "people",
  object("people", { person_id: { kind: reference("persons", "people"), isRequired: true }, primary: { kind: flag } }),
  withPrimary
)

export const attendees: Kind = listOf(
  "json",
  object("json", {
    email: { kind: text(), isRequired: true },
    name: { kind: text() },
    status: { kind: text() },
    is_organizer: { kind: flag },
    person_id: { kind: reference("persons", "people") },
    user_id: { kind: owner }
  }),
  (items) => items
)
