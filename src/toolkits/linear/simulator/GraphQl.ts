import { Either } from "effect"

/**
 * GraphQL documents with one operation and fragments; directives are not known here. https://spec.graphql.org/October2021/
 */
export interface Operation {
  readonly kind: "query" | "mutation"
  readonly variables: ReadonlyArray<Variable>
  readonly selections: ReadonlyArray<Selection>
  readonly fragments: ReadonlyMap<string, Fragment>
}

export interface Variable {
  readonly name: string
  /** As it is written, such as `[String!]!`. */
  readonly type: string
  readonly otherwise: Value | undefined
}

interface Fragment {
  readonly on: string
  readonly selections: ReadonlyArray<Selection>
}

export type Selection =
  FieldSelection | { readonly kind: "spread"; readonly name: string } | ({ readonly kind: "inline" } & Fragment)

export interface FieldSelection {
  readonly kind: "field"
  readonly alias: string
  readonly name: string
  readonly args: ReadonlyMap<string, Value>
  readonly selections: ReadonlyArray<Selection> | undefined
}

export type Value =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "list"; readonly of: ReadonlyArray<Value> }
  | { readonly kind: "object"; readonly of: ReadonlyMap<string, Value> }

interface Token {
  readonly kind: "name" | "sign" | "text" | "number" | "end"
  readonly text: string
}

const forms =
  /[\s,\uFEFF]*(?:#[^\n]*[\s,]*)*(?:([_A-Za-z]\w*)|(\.\.\.|[{}()[\]:=!$@&|])|"""([\s\S]*?)"""|("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|$)/y

const end: Token = { kind: "end", text: "<EOF>" }

const tokensOf = (text: string): ReadonlyArray<Token> | string => {
  const tokens: Array<Token> = []
  forms.lastIndex = 0
  for (;;) {
    const found = forms.exec(text)
    if (found === null) return "Syntax Error: Unexpected character."
    const [, name, sign, block, quoted, number] = found
    if (name !== undefined) tokens.push({ kind: "name", text: name })
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign })
    else if (block !== undefined) tokens.push({ kind: "text", text: block })
    else if (quoted !== undefined) tokens.push({ kind: "text", text: unescaped(quoted) })
    else if (number !== undefined) tokens.push({ kind: "number", text: number })
    else return tokens
  }
}

const unescaped = (quoted: string): string =>
  Either.getOrElse(
    Either.try(() => String(JSON.parse(quoted))),
    () => quoted.slice(1, -1)
  )

/** Reads a document; the words of GraphQL's refusal where it is none. */
export const parse = (text: string): Either.Either<Operation, string> => {
  const tokens = tokensOf(text)
  if (typeof tokens === "string") return Either.left(tokens)
  let at = 0
  const peek = (): Token => tokens[at] ?? end
  const isSign = (sign: string) => peek().kind === "sign" && peek().text === sign
  const skip = (sign: string): boolean => {
    if (!isSign(sign)) return false
    at += 1
    return true
  }
  const unexpected = () =>
    Either.left(`Syntax Error: Unexpected ${peek().kind === "name" ? "Name " : ""}"${peek().text}".`)
  const expect = (sign: string): Either.Either<true, string> =>
    skip(sign) ? Either.right(true) : Either.left(`Syntax Error: Expected "${sign}", found "${peek().text}".`)
  const name = (): Either.Either<string, string> => {
    const token = peek()
    if (token.kind !== "name") return Either.left(`Syntax Error: Expected Name, found "${token.text}".`)
    at += 1
    return Either.right(token.text)
  }

  const type = (): Either.Either<string, string> =>
    Either.gen(function* () {
      const inner: string = skip("[") ? `[${yield* type()}]` : yield* name()
      if (inner.startsWith("[")) yield* expect("]")
      return skip("!") ? `${inner}!` : inner
    })

  const value = (): Either.Either<Value, string> =>
    Either.gen(function* () {
      if (skip("$")) return { kind: "variable", name: yield* name() }
      if (skip("[")) {
        const of: Array<Value> = []
        while (!skip("]")) of.push(yield* value())
        return { kind: "list", of }
      }
      if (skip("{")) {
        const of = new Map<string, Value>()
        while (!skip("}")) {
          const key = yield* name()
          yield* expect(":")
          of.set(key, yield* value())
        }
        return { kind: "object", of }
      }
      const { kind, text } = peek()
      if (kind === "sign" || kind === "end") return yield* unexpected()
      at += 1
      if (kind === "number") return { kind: "literal", value: Number(text) }
      if (kind === "text") return { kind: "literal", value: text }
      const words: { readonly [word: string]: unknown } = { true: true, false: false, null: null }
      // any other name is one of an enumeration
      return { kind: "literal", value: Object.hasOwn(words, text) ? words[text] : text }
    })

  const args = (): Either.Either<ReadonlyMap<string, Value>, string> =>
    Either.gen(function* () {
      const all = new Map<string, Value>()
      if (!skip("(")) return all
      while (!skip(")")) {
        const key = yield* name()
        yield* expect(":")
        all.set(key, yield* value())
      }
      return all
    })

  const selection = (): Either.Either<Selection, string> =>
    Either.gen(function* () {
      if (skip("...")) {
        if (peek().text !== "on") return { kind: "spread", name: yield* name() }
        at += 1
        return { kind: "inline", on: yield* name(), selections: yield* selections() }
      }
      const first = yield* name()
      const field = skip(":") ? yield* name() : first
      const given = yield* args()
      return {
        kind: "field",
        alias: first,
        name: field,
        args: given,
        selections: isSign("{") ? yield* selections() : undefined
      }
    })

  const selections = (): Either.Either<ReadonlyArray<Selection>, string> =>
    Either.gen(function* () {
      yield* expect("{")
      const all: Array<Selection> = []
      do all.push(yield* selection())
      while (!skip("}"))
      return all
    })

  const variables = (): Either.Either<ReadonlyArray<Variable>, string> =>
    Either.gen(function* () {
      const all: Array<Variable> = []
      if (!skip("(")) return all
      while (!skip(")")) {
        yield* expect("$")
        const variable = yield* name()
        yield* expect(":")
        all.push({ name: variable, type: yield* type(), otherwise: skip("=") ? yield* value() : undefined })
      }
      return all
    })

  return Either.gen(function* () {
    const operations: Array<Omit<Operation, "fragments">> = []
    const fragments = new Map<string, Fragment>()
    while (peek().kind !== "end") {
      if (isSign("{")) {
        operations.push({ kind: "query", variables: [], selections: yield* selections() })
        continue
      }
      const word = yield* name()
      if (word === "fragment") {
        const fragment = yield* name()
        if ((yield* name()) !== "on") return yield* unexpected()
        fragments.set(fragment, { on: yield* name(), selections: yield* selections() })
      } else if (word === "query" || word === "mutation") {
        if (peek().kind === "name") yield* name()
        operations.push({ kind: word, variables: yield* variables(), selections: yield* selections() })
      } else return yield* Either.left(`Syntax Error: Unexpected Name "${word}".`)
    }
    const [operation, ...more] = operations
    if (operation === undefined) return yield* Either.left("Must provide an operation.")
    if (more.length > 0) return yield* Either.left("Must provide operation name if query contains multiple operations.")
    return { ...operation, fragments }
  })
}
