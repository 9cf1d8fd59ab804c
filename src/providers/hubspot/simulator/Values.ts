import { Either } from "effect"
import { isDay } from "../../simulation/Period.ts"
import { choice, formed, known, text, type Value } from "../../simulation/table/Value.ts"
import { iso } from "./Answers.ts"
import { owners } from "./Setup.ts"

// Values are kept as text. https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide

/** Milliseconds of a date or date-time: ISO 8601 with an offset, or milliseconds as they are. */
export const millisecondsOf = (text: string): number | undefined => {
  if (/^-?\d{5,}$/.test(text)) return Number(text)
  if (isDay(text)) return Date.parse(`${text}T00:00:00Z`)
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/.test(text)
  const time = isTime && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const dayOf = (value: string) => {
  const time = millisecondsOf(value)
  return time === undefined || time % 86_400_000 !== 0 ? undefined : iso(time).slice(0, 10)
}

const timeOf = (value: string) => {
  const time = millisecondsOf(value)
  return time === undefined ? undefined : iso(time).replace(".000Z", "Z")
}

const emailOf = (value: string) => (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value) ? value.toLowerCase() : undefined)

export const partsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? value.split(";").filter((one) => one !== "") : []

/** Several options, with semicolons between them; a leading one adds to what is there. */
const several = (options: ReadonlyArray<string>): Value => ({
  as: "enumeration",
  check: (value) => {
    const chosen = partsOf(value)
    const unknown = chosen.find((one) => !options.includes(one))
    if (unknown !== undefined) return Either.left({ is: "unknown", value: unknown })
    return Either.right((String(value).startsWith(";") ? ";" : "") + [...new Set(chosen)].join(";"))
  }
})

/** Values that properties have, by their type. */
const types = {
  string: text("string"),
  number: text("number", { shape: /^-?\d+(\.\d+)?$/ }),
  bool: text("bool", { shape: /^(true|false)$/ }),
  date: formed("date", "date", dayOf),
  datetime: formed("datetime", "datetime", timeOf),
  enumeration: text("enumeration")
}

export type PropertyType = keyof typeof types

/** Values of some properties. */
const own: { readonly [code: string]: Value } = {
  email: formed("string", "email", emailOf),
  hubspot_owner_id: known("enumeration", "string", (id) => owners.some((owner) => owner.id === id))
}

/** Values that a property takes. */
export const valueOf = (code: string, type: PropertyType, fieldType: string, options?: ReadonlyArray<string>): Value =>
  own[code] ??
  (options === undefined ? types[type] : fieldType === "checkbox" ? several(options) : choice(type, options))
