import { Decimal } from "decimal.js"

/** What a transform may use while reading. */
export interface DecodeContext {
  /** The UUID under which this service knows a native record, also one that was never read. */
  readonly reference: (resource: string, nativeType: string, remoteId: string) => string
}

/** A native record that a UUID in a body stands for. */
export interface Identity {
  readonly resource: string
  readonly nativeType: string
  readonly remoteId: string
}

/** What a transform may use while writing. */
export interface EncodeContext {
  /** The record behind a UUID of the body, resolved beforehand; undefined where the connection knows none. */
  readonly resolve: (uuid: string) => Identity | undefined
  /** Says that the value at a path of the body cannot be written, and why. */
  readonly refuse: (path: string, message: string) => void
}

/**
 * A named, two-way translation of one value. `decode` is never given null or undefined, `encode` never null: absent
 * values stay absent, and clearing is the mapping's business.
 */
export interface Transform {
  readonly name: string
  readonly decode: (native: unknown, context: DecodeContext) => unknown
  readonly encode: (canonical: unknown, context: EncodeContext, path: string) => unknown
}

const finite = (value: unknown): number | null => {
  const number =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : NaN
  return Number.isFinite(number) ? number : null
}

/** A number in full digits: no exponent, nothing lost. */
const digits = (value: unknown): unknown => (typeof value === "number" ? new Decimal(value).toFixed() : value)

/** Leaves the value as it is. */
export const raw: Transform = { name: "raw", decode: (native) => native, encode: (canonical) => canonical }

/** A string; numbers (ids) become strings, an empty string is no value. */
export const text: Transform = {
  name: "text",
  decode: (native) =>
    typeof native === "string" ? (native === "" ? null : native) : typeof native === "object" ? null : String(native),
  encode: (canonical) => canonical
}

/** A JSON number, also when the provider writes it as a string. */
export const number: Transform = { name: "number", decode: finite, encode: (canonical) => canonical }

/** A number that the provider holds as a string. */
export const numericString: Transform = { name: "numericString", decode: finite, encode: digits }

/** A whole number; fractions are cut. */
export const integer: Transform = {
  name: "integer",
  decode: (native) => {
    const value = finite(native)
    return value === null ? null : Math.trunc(value)
  },
  encode: (canonical) => canonical
}

/** A whole number that the provider holds as a string. */
export const integerString: Transform = { name: "integerString", decode: integer.decode, encode: digits }

/** A decimal text here, a number there (exchange rates). A whole number keeps one digit: `1.0`. */
export const decimal: Transform = {
  name: "decimal",
  decode: (native) => {
    const value = finite(native)
    if (value === null) return null
    const fixed = new Decimal(value).toFixed()
    return fixed.includes(".") ? fixed : `${fixed}.0`
  },
  encode: finite
}

export const boolean: Transform = {
  name: "boolean",
  decode: (native) => (typeof native === "boolean" ? native : null),
  encode: (canonical) => canonical
}

/** A boolean that the provider holds as `"true"` or `"false"`. */
export const booleanString: Transform = {
  name: "booleanString",
  decode: (native) =>
    native === "true" || native === true ? true : native === "false" || native === false ? false : null,
  encode: String
}

/** Truth turned round: `archived` here, `is_active` there. */
export const negated: Transform = {
  name: "negated",
  decode: (native) => (typeof native === "boolean" ? !native : null),
  encode: (canonical) => canonical !== true
}

/** `YYYY-MM-DD`; a date-time is cut to its day. */
export const date: Transform = {
  name: "date",
  decode: (native) => (typeof native === "string" && /^\d{4}-\d{2}-\d{2}/.test(native) ? native.slice(0, 10) : null),
  encode: (canonical) => canonical
}

const utc = (native: unknown): string | null => {
  const text =
    typeof native === "number"
      ? native
      : typeof native !== "string" || native === ""
        ? NaN
        : /^\d{11,}$/.test(native)
          ? Number(native)
          : // offsets without a colon (+0000) are not ISO to the engine
            native.replace(/([+-]\d{2})(\d{2})$/, "$1:$2")
  const instant = new Date(text)
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString()
}

const canonicalUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** ISO 8601 date-time in UTC, from any ISO form with an offset, or from epoch milliseconds. */
export const dateTime: Transform = {
  name: "dateTime",
  decode: (native) => (typeof native === "string" && canonicalUtc.test(native) ? native : utc(native)),
  encode: (canonical) => canonical
}

/** A day here, the same day's midnight UTC there. */
export const midnight: Transform = {
  name: "midnight",
  decode: (native) => utc(native)?.slice(0, 10) ?? null,
  encode: (canonical) => `${String(canonical)}T00:00:00.000Z`
}

/** A midnight here, a plain day there. */
export const day: Transform = {
  name: "day",
  decode: (native) => (typeof native === "string" && native !== "" ? `${native.slice(0, 10)}T00:00:00.000Z` : null),
  encode: (canonical) => String(canonical).slice(0, 10)
}

/** 0 to 1 here, 0 to 100 there. */
export const percent: Transform = {
  name: "percent",
  decode: (native) => {
    const value = finite(native)
    return value === null ? null : new Decimal(value).div(100).toNumber()
  },
  encode: (canonical) => {
    const value = finite(canonical)
    return value === null ? null : new Decimal(value).times(100).toNumber()
  }
}

/**
 * Native value -> canonical value by a table; the first native value of a canonical one is what is written. What the
 * table lacks reads as `otherwise` (null when not given) and cannot be written.
 */
export const enumeration = (
  name: string,
  table: { readonly [native: string]: string | boolean | null },
  otherwise: string | null = null
): Transform => {
  const read = new Map(Object.entries(table))
  const write = new Map<unknown, string>()
  for (const [native, canonical] of read) if (!write.has(canonical)) write.set(canonical, native)
  const isBoolean = read.has("true") || read.has("false")
  return {
    name,
    decode: (native) => {
      const found = typeof native === "object" ? undefined : read.get(String(native))
      return found === undefined ? otherwise : found
    },
    encode: (canonical, context, path) => {
      const native = write.get(canonical)
      if (native === undefined) {
        context.refuse(path, `must be one of ${[...write.keys()].filter((key) => key !== null).join(", ")} here`)
        return undefined
      }
      return isBoolean ? native === "true" : native
    }
  }
}

const bare = (uuid: string) => uuid.replace(/^urn:uuid:/, "").toLowerCase()

/** Resolves a UUID of a body to the native record it stands for, or refuses it. */
export const identityOf = (
  uuid: unknown,
  resource: string,
  nativeTypes: ReadonlyArray<string>,
  context: EncodeContext,
  path: string
): Identity | undefined => {
  const found = context.resolve(bare(String(uuid)))
  if (found === undefined) {
    context.refuse(path, `is not a ${resource} this connection knows; list or get it first`)
    return undefined
  }
  if (found.resource !== resource || !nativeTypes.includes(found.nativeType)) {
    const wanted = found.resource === resource ? `${resource} of type ${nativeTypes.join(" or ")}` : resource
    context.refuse(path, `is a ${found.resource} (${found.nativeType}), not a ${wanted}`)
    return undefined
  }
  return found
}

/** Resolves a UUID of a body to the native id it stands for, or refuses it. */
export const remoteIdOf = (
  uuid: unknown,
  resource: string,
  nativeTypes: ReadonlyArray<string>,
  context: EncodeContext,
  path: string
): string | undefined => identityOf(uuid, resource, nativeTypes, context, path)?.remoteId

/** A UUID here, the provider's id of a record of that resource and native type there. */
export const reference = (resource: string, nativeType: string): Transform => ({
  name: `reference(${resource})`,
  decode: (native, context) => (native === "" ? null : context.reference(resource, nativeType, String(native))),
  encode: (canonical, context, path) => remoteIdOf(canonical, resource, [nativeType], context, path)
})

/** Transforms an organisation may name in an override. */
export const named: ReadonlyMap<string, Transform> = new Map(
  [
    raw,
    text,
    number,
    numericString,
    integer,
    integerString,
    decimal,
    boolean,
    booleanString,
    negated,
    date,
    dateTime,
    midnight,
    day,
    percent
  ].map((transform) => [transform.name, transform])
)
