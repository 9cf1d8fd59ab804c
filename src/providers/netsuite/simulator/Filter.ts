import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { badParameter, type Outcome, refuse } from "./Answers.ts"
import { type Field, idAt } from "./Fields.ts"
import type { RecordType } from "./RecordType.ts"

// Conditions on collections: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545222128.html

type Test = (doc: Doc) => boolean

type Token = { readonly kind: "word" | "text" | "number" | "sign"; readonly text: string }

const shapes: ReadonlyArray<readonly [Token["kind"], RegExp]> = [
  ["text", /^"(?:[^"\\]|\\.)*"|^'(?:[^'\\]|\\.)*'/],
  ["number", /^-?\d+(?:\.\d+)?(?![\w./])/],
  ["word", /^[\w./:-]+/],
  ["sign", /^[()[\],]/]
]

const bad = (detail: string) => refuse(badParameter("q", `Invalid query parameter 'q'. ${detail}`))

const tokensOf = (text: string): Outcome<ReadonlyArray<Token>> => {
  const found: Array<Token> = []
  for (let rest = text.trimStart(); rest !== ""; rest = rest.trimStart()) {
    const token = shapes.flatMap(([kind, shape]) =>
      (shape.exec(rest) ?? []).slice(0, 1).map((text) => ({ kind, text }))
    )[0]
    if (token === undefined) return bad(`Unexpected '${rest.slice(0, 1)}'.`)
    found.push(token)
    rest = rest.slice(token.text.length)
  }
  return Either.right(found)
}

/** Midnight (UTC, the time zone of the account's user) of a date as the user's preference writes it: `1/31/2024`. */
const dayOf = (text: string): number => {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return new Date(at).getUTCDate() === Number(day) ? at : Number.NaN
}

/** A time of that form, `1/31/2024 2:05 pm`; NaN when it is none. */
const timeOf = (text: string): number => {
  const [, date = "", hour, minute, half] = /^(\S+)(?: (\d{1,2}):(\d{2}) ([ap])m)?$/i.exec(text) ?? []
  const hours = hour === undefined ? 0 : (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0)
  return dayOf(date) + (hours * 60 + Number(minute ?? 0)) * 60_000
}

const lengths = (operator: string): "none" | "one" | "two" | "any" => {
  if (operator === "EMPTY") return "none"
  if (operator === "BETWEEN" || operator === "WITHIN") return "two"
  return operator === "ANY_OF" ? "any" : "one"
}

type Compare = (held: unknown, values: ReadonlyArray<string>) => boolean

const onText =
  (test: (held: string, value: string) => boolean): Compare =>
  (held, [value = ""]) =>
    typeof held === "string" && test(held.toLowerCase(), value.toLowerCase())

const onNumber =
  (test: (held: Decimal, first: Decimal, second: Decimal) => boolean): Compare =>
  (held, [first = "0", second = "0"]) =>
    held !== undefined && test(new Decimal(String(held)), new Decimal(first), new Decimal(second))

const day = 86_400_000

/** A value without a time stands for its whole day. */
const onTime =
  (holds: (held: number, start: number, end: number) => boolean): Compare =>
  (held, [value = ""]) => {
    const start = timeOf(value)
    return typeof held === "string" && holds(Date.parse(held), start, value.includes(" ") ? start : start + day - 1)
  }

const numeric: { readonly [operator: string]: Compare } = {
  EQUAL: onNumber((held, value) => held.equals(value)),
  GREATER: onNumber((held, value) => held.gt(value)),
  GREATER_OR_EQUAL: onNumber((held, value) => held.gte(value)),
  LESS: onNumber((held, value) => held.lt(value)),
  LESS_OR_EQUAL: onNumber((held, value) => held.lte(value)),
  BETWEEN: onNumber((held, first, second) => held.gte(first) && held.lte(second)),
  WITHIN: onNumber((held, first, second) => held.gte(first) && held.lte(second)),
  ANY_OF: (held, values) => held !== undefined && values.includes(String(held))
}

const textual: { readonly [operator: string]: Compare } = {
  IS: onText((held, value) => held === value),
  CONTAIN: onText((held, value) => held.includes(value)),
  START_WITH: onText((held, value) => held.startsWith(value)),
  END_WITH: onText((held, value) => held.endsWith(value)),
  ENDWITH: onText((held, value) => held.endsWith(value))
}

const timed: { readonly [operator: string]: Compare } = {
  AFTER: onTime((held, _, end) => held > end),
  BEFORE: onTime((held, start) => held < start),
  ON: onTime((held, start, end) => held >= start && held <= end),
  ON_OR_AFTER: onTime((held, start) => held >= start),
  ON_OR_BEFORE: onTime((held, _, end) => held <= end)
}

const choices: { readonly [operator: string]: Compare } = {
  IS: (held, [value]) => held === value,
  ANY_OF: (held, values) => values.some((value) => value === held)
}

const operatorsOf = (name: string, field: Field): { readonly [operator: string]: Compare } => {
  if (name === "id") return { ...numeric, ...textual }
  switch (field.kind) {
    case "text":
      return textual
    case "number":
      return numeric
    case "flag":
      return { IS: (held, [value]) => String(held === true) === value }
    case "date":
    case "instant":
      return timed
    case "one":
    case "country":
    case "ref":
      return choices
    default:
      return {}
  }
}

/** A condition on records of a type as a predicate. */
export const filter = (type: RecordType, text: string): Outcome<Test> =>
  Either.flatMap(tokensOf(text), (tokens) => {
    let at = 0
    const isNext = (word: string) => tokens[at]?.text.toUpperCase() === word && tokens[at]?.kind !== "text"

    const values = (kind: ReturnType<typeof lengths>): Outcome<ReadonlyArray<string>> => {
      if (kind === "none") return Either.right([])
      const isList = isNext("[")
      if (isList) at += 1
      const found: Array<string> = []
      for (let isMore = true; isMore; isMore = isList && isNext(",")) {
        if (isNext(",")) at += 1
        const token = tokens[at]
        if (token === undefined || token.kind === "sign") return bad("A value is expected.")
        found.push(token.kind === "text" ? token.text.slice(1, -1).replace(/\\(.)/g, "$1") : token.text)
        at += 1
      }
      if (isList && !isNext("]")) return bad("A list ends with ].")
      if (isList) at += 1
      const isRight = kind === "any" || found.length === (kind === "two" ? 2 : 1)
      return isRight ? Either.right(found) : bad("The operator takes another number of values.")
    }

    const comparison: () => Outcome<Test> = () =>
      Either.gen(function* () {
        const name = tokens[at]?.text ?? ""
        const field = type.fields[name]
        if (field === undefined) return yield* bad(`The record type '${type.name}' has no field '${name}'.`)
        const written = tokens[at + 1]?.text.toUpperCase() ?? ""
        const isNegated = written.endsWith("_NOT")
        const operator = isNegated ? written.slice(0, -4) : written
        const compare: Compare | undefined =
          operator === "EMPTY" ? (held) => held === undefined : operatorsOf(name, field)[operator]
        if (compare === undefined) return yield* bad(`Operator '${written}' is not supported for field '${name}'.`)
        at += 2
        const given = yield* values(lengths(operator))
        const isTime = field.kind === "date" || field.kind === "instant"
        if (isTime && given.some((value) => Number.isNaN(timeOf(value))))
          return yield* bad(`Invalid date value for field '${name}'.`)
        const isNumber = field.kind === "number" || (name === "id" && !(operator in textual))
        if (isNumber && given.some((value) => !/^-?\d+(\.\d+)?$/.test(value)))
          return yield* bad(`Invalid number for field '${name}'.`)
        const hasId = field.kind === "one" || field.kind === "country" || field.kind === "ref"
        return (doc) => compare(hasId ? idAt(doc, name) : doc[name], given) !== isNegated
      })

    const single: () => Outcome<Test> = () => {
      if (!isNext("(")) return comparison()
      at += 1
      return Either.flatMap(joined("OR"), (test) => {
        if (!isNext(")")) return bad("')' is expected.")
        at += 1
        return Either.right(test)
      })
    }

    const joined = (word: "AND" | "OR"): Outcome<Test> =>
      Either.gen(function* () {
        const next = () => (word === "OR" ? joined("AND") : single())
        const tests = [yield* next()]
        while (isNext(word)) {
          at += 1
          tests.push(yield* next())
        }
        return word === "OR"
          ? (doc: Doc) => tests.some((test) => test(doc))
          : (doc: Doc) => tests.every((test) => test(doc))
      })

    return Either.flatMap(joined("OR"), (test) =>
      at === tokens.length ? Either.right(test) : bad(`Unexpected '${tokens[at]?.text ?? ""}'.`)
    )
  })

/** Records of a type that a condition holds for. */
export const filtered = (account: Account, type: RecordType, text: string | null): Outcome<ReadonlyArray<Doc>> =>
  text === null || text.trim() === ""
    ? Either.right(account.all(type.name))
    : Either.map(filter(type, text), (test) => account.all(type.name).filter(test))
