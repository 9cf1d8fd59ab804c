import { Either, Predicate } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { type Outcome, unparsable } from "./Answers.ts"
import { type Field, fieldAt, type Fields } from "./Fields.ts"

// `where` and `order`: https://developer.xero.com/documentation/api/accounting/requests-and-responses

type Scalar = string | number | boolean | null
type Type = "string" | "number" | "boolean" | "DateTime" | "Guid" | "null"

/**
 * A value of a record or a literal, with the type it is compared as: times are milliseconds, ids in lower case. Undefined: a
 * method was called on what the record has not.
 */
interface Operand {
  readonly type: Type
  readonly of: (row: Doc) => Scalar | undefined
}

/** Undefined: a method was called on what the record has not. */
type Test = (row: Doc) => boolean | undefined

const tokenPattern =
  /\s*(?:(?<text>"(?:[^"]|"")*")|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_]\w*)|(?<mark>==|!=|<>|<=|>=|&&|\|\||[=<>().,!]))/gy

interface Token {
  readonly kind: "text" | "number" | "word" | "mark"
  readonly text: string
}

const tokensOf = (written: string): Outcome<ReadonlyArray<Token>> => {
  const found: Array<Token> = []
  const source = written.trimEnd()
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < source.length) {
    const at = tokenPattern.lastIndex
    const groups = tokenPattern.exec(source)?.groups
    if (groups === undefined) return Either.left(unparsable(`Syntax error at position ${at}`))
    if (groups.text !== undefined) found.push({ kind: "text", text: groups.text.slice(1, -1).replaceAll('""', '"') })
    else if (groups.number !== undefined) found.push({ kind: "number", text: groups.number })
    else if (groups.word !== undefined) found.push({ kind: "word", text: groups.word })
    else found.push({ kind: "mark", text: groups.mark ?? "" })
  }
  return Either.right(found)
}

const types: { readonly [kind in Field["kind"]]: Type | undefined } = {
  text: "string",
  one: "string",
  id: "Guid",
  number: "number",
  flag: "boolean",
  day: "DateTime",
  stamp: "DateTime",
  part: undefined,
  parts: undefined,
  own: undefined
}

const valueAt = (row: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((held, name) => (Predicate.isRecord(held) ? held[name] : undefined), row)

const scalarOf = (type: Type, value: unknown): Scalar => {
  if (type === "DateTime") {
    if (typeof value === "number") return value
    return typeof value === "string" ? Date.parse(`${value.slice(0, 10)}T00:00:00Z`) : null
  }
  if (type === "Guid") return typeof value === "string" ? value.toLowerCase() : null
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}

const property = (entity: string, fields: Fields, path: ReadonlyArray<string>): Outcome<Operand> => {
  const field = fieldAt(fields, path)
  const type = field === undefined ? undefined : types[field.kind]
  return type === undefined
    ? Either.left(unparsable(`No property or field '${path.join(".")}' exists in type '${entity}'`))
    : Either.right({ type, of: (row) => scalarOf(type, valueAt(row, path)) })
}

const constant = (type: Type, value: Scalar): Operand => ({ type, of: () => value })

const order = (left: Scalar, right: Scalar): number =>
  left === right ? 0 : left === null || (right !== null && left < right) ? -1 : 1

const operators: { readonly [mark: string]: (left: Scalar, right: Scalar) => boolean } = {
  "==": (left, right) => left === right,
  "=": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<>": (left, right) => left !== right,
  "<": (left, right) => left !== null && right !== null && left < right,
  "<=": (left, right) => left !== null && right !== null && left <= right,
  ">": (left, right) => left !== null && right !== null && left > right,
  ">=": (left, right) => left !== null && right !== null && left >= right
}

const textTests: { readonly [method: string]: (held: string, asked: string) => boolean } = {
  Contains: (held, asked) => held.includes(asked),
  StartsWith: (held, asked) => held.startsWith(asked),
  EndsWith: (held, asked) => held.endsWith(asked)
}

/** Reads a filter from its tokens, from left to right. */
class Reader {
  private at = 0
  private readonly entity: string
  private readonly fields: Fields
  private readonly tokens: ReadonlyArray<Token>

  constructor(entity: string, fields: Fields, tokens: ReadonlyArray<Token>) {
    this.entity = entity
    this.fields = fields
    this.tokens = tokens
  }

  whole(): Outcome<Test> {
    return Either.filterOrLeft(
      this.either(),
      () => this.at >= this.tokens.length,
      () => this.wrong()
    )
  }

  private wrong() {
    return unparsable(`Syntax error near '${this.tokens[this.at]?.text ?? ""}'`)
  }

  private take(...marks: ReadonlyArray<string>): string | undefined {
    const token = this.tokens[this.at]
    if (token === undefined || token.kind === "text" || !marks.includes(token.text)) return undefined
    this.at += 1
    return token.text
  }

  private need(mark: string): Outcome<string> {
    return Either.fromNullable(this.take(mark), () => this.wrong())
  }

  private either(): Outcome<Test> {
    return Either.flatMap(this.both(), (left) =>
      this.take("||", "OR", "or") === undefined
        ? Either.right(left)
        : Either.map(
            this.either(),
            (right): Test =>
              (row) =>
                left(row) === false ? right(row) : left(row)
          )
    )
  }

  private both(): Outcome<Test> {
    return Either.flatMap(this.single(), (left) =>
      this.take("&&", "AND", "and") === undefined
        ? Either.right(left)
        : Either.map(
            this.both(),
            (right): Test =>
              (row) =>
                left(row) === true ? right(row) : left(row)
          )
    )
  }

  private single(): Outcome<Test> {
    if (this.take("!") !== undefined)
      return Either.map(this.single(), (test): Test => (row) => {
        const is = test(row)
        return is === undefined ? undefined : !is
      })
    if (this.take("(") !== undefined) {
      return Either.flatMap(this.either(), (test) => Either.map(this.need(")"), () => test))
    }
    return Either.flatMap(this.operand(), (left) => this.compared(left))
  }

  private compared(left: Operand | Test): Outcome<Test> {
    if (typeof left === "function") return Either.right(left)
    const mark = this.take(...Object.keys(operators))
    const holds = mark === undefined ? undefined : operators[mark]
    if (holds === undefined) {
      return left.type === "boolean" ? Either.right((row: Doc) => left.of(row) === true) : Either.left(this.wrong())
    }
    return Either.flatMap(this.operand(), (right) => {
      if (typeof right === "function") return Either.left(this.wrong())
      if (left.type !== right.type && left.type !== "null" && right.type !== "null") {
        return Either.left(
          unparsable(`Operator '${mark}' incompatible with operand types '${left.type}' and '${right.type}'`)
        )
      }
      return Either.right((row: Doc) => {
        const [one, other] = [left.of(row), right.of(row)]
        return one === undefined || other === undefined ? undefined : holds(one, other)
      })
    })
  }

  private operand(): Outcome<Operand | Test> {
    const token = this.tokens[this.at]
    this.at += 1
    if (token?.kind === "text") return Either.right(constant("string", token.text))
    if (token?.kind === "number") return Either.right(constant("number", Number(token.text)))
    if (token?.kind !== "word") return Either.left(this.wrong())
    if (token.text === "true" || token.text === "false") return Either.right(constant("boolean", token.text === "true"))
    if (token.text === "null") return Either.right(constant("null", null))
    if (token.text === "DateTime" && this.take("(") !== undefined) return this.dateTime()
    if (token.text === "Guid" && this.take("(") !== undefined) return this.guid()
    return this.path(token.text)
  }

  private dateTime(): Outcome<Operand> {
    const parts: Array<number> = []
    do {
      const token = this.tokens[this.at]
      if (token?.kind !== "number") return Either.left(this.wrong())
      parts.push(Number(token.text))
      this.at += 1
    } while (this.take(",") !== undefined)
    const [year, month, day, hour = 0, minute = 0, second = 0] = parts
    if (year === undefined || month === undefined || day === undefined) return Either.left(this.wrong())
    return Either.map(this.need(")"), () => constant("DateTime", Date.UTC(year, month - 1, day, hour, minute, second)))
  }

  private guid(): Outcome<Operand> {
    const token = this.tokens[this.at]
    if (token?.kind !== "text") return Either.left(this.wrong())
    this.at += 1
    return Either.map(this.need(")"), () => constant("Guid", token.text.toLowerCase()))
  }

  private path(first: string): Outcome<Operand | Test> {
    const names = [first]
    let turn: (value: Scalar) => Scalar | undefined = (value) => value
    const operand = () =>
      Either.map(property(this.entity, this.fields, names), ({ of, type }): Operand => {
        const to = turn
        return { type, of: (row) => to(of(row) ?? null) }
      })
    while (this.take(".") !== undefined) {
      const token = this.tokens[this.at]
      if (token?.kind !== "word") return Either.left(this.wrong())
      this.at += 1
      const test = textTests[token.text]
      if (test !== undefined) return Either.flatMap(operand(), (held) => this.textTest(held, test))
      if (token.text === "ToLower") {
        if (this.take("(") === undefined || this.take(")") === undefined) return Either.left(this.wrong())
        turn = (value) => (typeof value === "string" ? value.toLowerCase() : undefined)
      } else names.push(token.text)
    }
    return operand()
  }

  private textTest(held: Operand, test: (held: string, asked: string) => boolean): Outcome<Test> {
    const asked = this.tokens[this.at + 1]
    if (this.take("(") === undefined || asked?.kind !== "text") return Either.left(this.wrong())
    this.at += 1
    return Either.map(this.need(")"), (): Test => (row) => {
      const value = held.of(row)
      return typeof value === "string" ? test(value, asked.text) : undefined
    })
  }
}

/** A `where` as a test of rows. */
export const filter = (entity: string, fields: Fields, written: string): Outcome<Test> =>
  Either.flatMap(tokensOf(written), (tokens) => new Reader(entity, fields, tokens).whole())

/** An `order` such as `Date DESC, InvoiceNumber` as a comparison of rows. */
export const ordering = (entity: string, fields: Fields, written: string): Outcome<(left: Doc, right: Doc) => number> =>
  Either.map(
    Either.all(
      written.split(",").map((key) => {
        const [path = "", direction = "ASC", ...more] = key.trim().split(/\s+/)
        if (more.length > 0 || !/^(?:asc|desc)$/i.test(direction)) {
          return Either.left(unparsable(`Syntax error near '${direction}'`))
        }
        return Either.map(property(entity, fields, path.split(".")), ({ of }) => ({
          of,
          sign: direction.toUpperCase() === "DESC" ? -1 : 1
        }))
      })
    ),
    (keys) => (left, right) => {
      for (const { of, sign } of keys) {
        const difference = order(of(left) ?? null, of(right) ?? null)
        if (difference !== 0) return difference * sign
      }
      return 0
    }
  )
