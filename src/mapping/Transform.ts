import { Decimal } from "decimal.js"
import type { Kind } from "../canonical/Resource.ts"
import type { WarningCode } from "./Warning.ts"

/** Context of a transform while reading. */
export interface DecodeContext {
  /** This service's UUID of a native record, even of one that was never read. */
  readonly reference: (resource: string, nativeType: string, remoteId: string) => string
}

/** Context of decoding a record. */
export interface RecordContext extends DecodeContext {
  /** Service id of a line of a record; `path` is `<category>/<resource>/<native type>/<remote id>` of the record. */
  readonly line: (path: string, lineId: string) => string
}

/** The native record behind a UUID in a body. */
export interface Identity {
  readonly resource: string
  readonly nativeType: string
  readonly remoteId: string
}

/** Context of a transform while writing. */
export interface EncodeContext {
  /** The record behind a UUID of the body, resolved beforehand; undefined if the connection knows none. */
  readonly resolve: (uuid: string) => Identity | undefined
  /** Refuses the value at a path of the body, and so the whole write, saying why. */
  readonly refuse: (path: string, message: string) => void
  /** Warns that the value at a path of the body is stored differently, or not at all. */
  readonly warn: (path: string, code: WarningCode, message: string) => void
}

/** Statuses that void a document: ignoring one would leave the document in force, the opposite of what was asked for. */
const ends: ReadonlyArray<unknown> = ["VOID", "DELETED"]

/** Leaves out a value for which the provider has no counterpart. */
export const leaveOut = (
  { refuse, warn }: Pick<EncodeContext, "refuse" | "warn">,
  path: string,
  value: unknown,
  message: string
) => {
  const isStatus = path === "status" || path.endsWith(".status")
  if (isStatus && ends.includes(value)) refuse(path, message)
  else warn(path, isStatus ? "STATUS_NOT_REACHED" : "NOT_HELD", message)
}

/** Type of a native value in the provider's JSON; `numericText` and `booleanText` are numbers and booleans as text. */
export type NativeType =
  "text" | "numericText" | "booleanText" | "number" | "integer" | "boolean" | "date" | "dateTime" | "list" | "object"

/** The fields that a transform can connect when an organisation overrides a mapping. */
export interface Fit {
  /** Kinds of canonical fields; fields outside the catalogue take every transform. */
  readonly canonical: ReadonlyArray<Kind>
  /** Types of native fields that it reads and writes. */
  readonly native: ReadonlyArray<NativeType>
  /** Types of native fields that it can only read. */
  readonly reads?: ReadonlyArray<NativeType>
  /** It also takes texts, if the override names it and so vouches that they hold such values. */
  readonly texts?: true
}

/**
 * A named, two-way translation of one value. `decode` never gets null or undefined, `encode` never null: absent values stay
 * absent, and the mapping does the clearing.
 */
export interface Transform {
  readonly name: string
  /** Absent: made for one place of one mapping. */
  readonly fit?: Fit
  /** Several native values mean the same: an update keeps the native value if it already reads as the new one. */
  readonly keepsHeld?: true
  readonly decode: (native: unknown, context: DecodeContext) => unknown
  readonly encode: (canonical: unknown, context: EncodeContext, path: string) => unknown
}

const finite = (value: unknown): number | null => {
  const number =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : NaN
  return Number.isFinite(number) ? number : null
}

/** Writes a number in full digits: no exponent, nothing lost. */
const digits = (value: unknown): unknown => (typeof value === "number" ? new Decimal(value).toFixed() : value)

const scalars: ReadonlyArray<NativeType> = [
  "text",
  "numericText",
  "booleanText",
  "number",
  "integer",
  "boolean",
  "date",
  "dateTime"
]

/** Leaves the value as it is. */
export const raw: Transform = {
  name: "raw",
  // no canonical field takes just any native value
  fit: { canonical: [], native: [...scalars, "list", "object"] },
  decode: (native) => native,
  encode: (canonical) => canonical
}

/** A string; numbers (ids) become strings, an empty string is no value. */
export const text: Transform = {
  name: "text",
  fit: { canonical: ["text", "providerId"], native: ["text"], reads: scalars },
  decode: (native) =>
    typeof native === "string" ? (native === "" ? null : native) : typeof native === "object" ? null : String(native),
  encode: (canonical) => canonical
}

/** A JSON number, also when the provider writes it as a string. */
export const number: Transform = {
  name: "number",
  fit: { canonical: ["number"], native: ["number", "integer"], reads: ["numericText"] },
  decode: finite,
  encode: (canonical) => canonical
}

/** A number that the provider holds as a string. */
export const numericString: Transform = {
  name: "numericString",
  fit: { canonical: ["number"], native: ["numericText"], reads: ["number", "integer"], texts: true },
  decode: finite,
  encode: digits
}

/** A whole number; fractions are cut. */
export const integer: Transform = {
  name: "integer",
  fit: { canonical: ["integer", "number"], native: ["integer", "number"], reads: ["numericText"] },
  decode: (native) => {
    const value = finite(native)
    return value === null ? null : Math.trunc(value)
  },
  encode: (canonical) => canonical
}

/** A whole number that the provider holds as a string. */
export const integerString: Transform = {
  name: "integerString",
  fit: { canonical: ["integer", "number"], native: ["numericText"], reads: ["integer", "number"], texts: true },
  decode: integer.decode,
  encode: digits
}

/** A number as decimal text. A whole one keeps one digit: `1.0`. */
export const decimalText = (native: unknown): string | null => {
  const value = finite(native)
  if (value === null) return null
  const fixed = new Decimal(value).toFixed()
  return fixed.includes(".") ? fixed : `${fixed}.0`
}

/** Decimal text here, a number at the provider (exchange rates). */
export const decimal: Transform = {
  name: "decimal",
  fit: { canonical: ["decimal"], native: ["number"], reads: ["integer", "numericText"] },
  decode: decimalText,
  encode: finite
}

export const boolean: Transform = {
  name: "boolean",
  fit: { canonical: ["boolean"], native: ["boolean"] },
  decode: (native) => (typeof native === "boolean" ? native : null),
  encode: (canonical) => canonical
}

/** A boolean that the provider holds as `"true"` or `"false"`. */
export const booleanString: Transform = {
  name: "booleanString",
  fit: { canonical: ["boolean"], native: ["booleanText"], reads: ["boolean"], texts: true },
  decode: (native) =>
    native === "true" || native === true ? true : native === "false" || native === false ? false : null,
  encode: String
}

/** A negated boolean: `archived` here, `is_active` at the provider. */
export const negated: Transform = {
  name: "negated",
  fit: { canonical: ["boolean"], native: ["boolean"] },
  decode: (native) => (typeof native === "boolean" ? !native : null),
  encode: (canonical) => canonical !== true
}

/** `YYYY-MM-DD`; a date-time is cut to its day. */
export const date: Transform = {
  name: "date",
  fit: { canonical: ["date"], native: ["date"], reads: ["dateTime"], texts: true },
  decode: (native) => (typeof native === "string" && /^\d{4}-\d{2}-\d{2}/.test(native) ? native.slice(0, 10) : null),
  encode: (canonical) => canonical
}

/** A day or a moment in ISO 8601, or nearly: a blank for the `T`, an offset without a colon (`+0000`). */
const isoForm = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** Reads a time without an offset as UTC, and refuses other text: the engine would use its own zone, and guess. */
const millisecondsOf = (native: unknown): number => {
  if (typeof native === "number") return native
  if (typeof native !== "string") return NaN
  if (/^\d{11,}$/.test(native)) return Number(native)
  const [, day, time = "00:00", offset = "Z"] = isoForm.exec(native) ?? []
  return day === undefined ? NaN : Date.parse(`${day}T${time}${offset.replace(/(\d{2})(\d{2})$/, "$1:$2")}`)
}

const utc = (native: unknown): string | null => {
  const instant = new Date(millisecondsOf(native))
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString()
}

const canonicalUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** ISO 8601 date-time in UTC, from any ISO form, or from epoch milliseconds. */
export const dateTime: Transform = {
  name: "dateTime",
  fit: { canonical: ["dateTime"], native: ["dateTime"], reads: ["number", "integer", "numericText"], texts: true },
  decode: (native) => (typeof native === "string" && canonicalUtc.test(native) ? native : utc(native)),
  encode: (canonical) => canonical
}

/** A day here, the same day's midnight UTC at the provider. */
export const midnight: Transform = {
  name: "midnight",
  fit: { canonical: ["date"], native: ["dateTime"] },
  decode: (native) => utc(native)?.slice(0, 10) ?? null,
  encode: (canonical) => `${String(canonical)}T00:00:00.000Z`
}

/** A midnight here, a plain day at the provider: the day in UTC, whatever offset the moment has. */
export const day: Transform = {
  name: "day",
  fit: { canonical: ["dateTime"], native: ["date"] },
  decode: (native) => (typeof native === "string" && native !== "" ? `${native.slice(0, 10)}T00:00:00.000Z` : null),
  encode: (canonical) => utc(canonical)?.slice(0, 10)
}

/** 0 to 1 here, 0 to 100 at the provider. */
export const percent: Transform = {
  name: "percent",
  fit: { canonical: ["number"], native: ["number", "integer"], reads: ["numericText"] },
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
 * Native value -> canonical value by a table; of several native values for a canonical one, the first is written. A value
 * that the table lacks reads as `otherwise` (null when not given) and cannot be written.
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
        const held = [...write.keys()].filter((key) => key !== null).join(", ")
        leaveOut(context, path, canonical, `must be one of ${held} here`)
        return undefined
      }
      return isBoolean ? native === "true" : native
    }
  }
}

/** Transforms by an organisation's own table of values: for native texts, and for native numbers. */
export const tables = ["values", "numericValues"] as const

/**
 * An organisation's own table: native value -> canonical value. A value that it lacks reads as null; of several native
 * values with the same meaning, the first is written.
 */
export const tableOf = (name: (typeof tables)[number], values: { readonly [native: string]: string }): Transform => {
  const read = new Map(Object.entries(values))
  const write = new Map([...read].toReversed().map(([native, canonical]) => [canonical, native]))
  const isNumeric = name === "numericValues"
  return {
    name,
    fit: {
      canonical: ["text"],
      native: isNumeric ? ["integer", "number"] : ["text"],
      reads: ["numericText", "booleanText", "boolean", "integer", "number"]
    },
    decode: (native) => (typeof native === "object" ? null : (read.get(String(native)) ?? null)),
    encode: (canonical, context, path) => {
      const native = write.get(String(canonical))
      if (native === undefined) {
        leaveOut(context, path, canonical, `must be one of ${[...write.keys()].toReversed().join(", ")} here`)
        return undefined
      }
      return isNumeric ? Number(native) : native
    }
  }
}

/** A UUID of a body as it is stored: bare, in lower case. */
export const bare = (uuid: string): string => uuid.replace(/^urn:uuid:/, "").toLowerCase()

/** Resolves a UUID of a body to its native record, or refuses it. */
export const identityOf = (
  uuid: unknown,
  resource: string,
  nativeTypes: ReadonlyArray<string>,
  context: EncodeContext,
  path: string
): Identity | undefined => {
  const found = context.resolve(bare(String(uuid)))
  if (found === undefined) {
    context.refuse(path, `does not name a known ${resource}; list or get it first, and send its id, not its remote_id`)
    return undefined
  }
  if (found.resource !== resource || !nativeTypes.includes(found.nativeType)) {
    const wanted = found.resource === resource ? `${resource} of type ${nativeTypes.join(" or ")}` : resource
    context.refuse(path, `is a ${found.resource} (${found.nativeType}), not a ${wanted}`)
    return undefined
  }
  return found
}

/** Resolves a UUID of a body to its native id, or refuses it. */
export const remoteIdOf = (
  uuid: unknown,
  resource: string,
  nativeTypes: ReadonlyArray<string>,
  context: EncodeContext,
  path: string
): string | undefined => identityOf(uuid, resource, nativeTypes, context, path)?.remoteId

/** A UUID here; at the provider, the id of a record of that resource and native type. */
export const reference = (resource: string, nativeType: string): Transform => ({
  name: `reference(${resource})`,
  decode: (native, context) => (native === "" ? null : context.reference(resource, nativeType, String(native))),
  encode: (canonical, context, path) => remoteIdOf(canonical, resource, [nativeType], context, path)
})

/** Transforms that an organisation may name in an override. */
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
