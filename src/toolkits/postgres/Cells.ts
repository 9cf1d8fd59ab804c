// Values of columns as JSON: https://www.postgresql.org/docs/current/datatype.html

/** Characters of a text in a row. */
const longest = 2048

/** The number of bytes in a column of `bytea`; the bytes themselves are of no use to a model. */
const bytesIn = (text: string) =>
  text.startsWith("\\x") ? (text.length - 2) / 2 : text.replaceAll(/\\(?:\d{3}|\\)/g, ".").length

const number = (text: string) => {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** As it is written where a number in it has more digits than JSON readers keep. */
const json = (text: string): unknown => (/\d{16}/.test(text) ? text : JSON.parse(text))

/** By the oid of the type. Numbers that JSON readers would round (int8, numeric) stay texts, as everything else does. */
const readers: { readonly [oid: number]: (text: string) => unknown } = {
  16: (text) => text === "t",
  17: (text) => ({ bytes: bytesIn(text) }),
  21: number,
  23: number,
  26: number,
  114: json,
  700: number,
  701: number,
  3802: json
}

const asItIs = (text: string): unknown => text

/** Parsers of columns for the driver. */
export const types = { getTypeParser: (oid: number) => readers[oid] ?? asItIs }

/** A value of a row, cut where it is long. */
export const cell = (value: unknown): unknown => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : value
}
