import { Either } from "effect"

/**
 * Jira's query language: clauses joined by AND, OR and NOT, and an order.
 * https://support.atlassian.com/jira-software-cloud/docs/use-advanced-search-with-jira-query-language-jql/
 * The history operators (WAS, CHANGED) are not known here.
 */
export type Clause =
  | { readonly kind: "and" | "or"; readonly of: ReadonlyArray<Clause> }
  | { readonly kind: "not"; readonly of: Clause }
  | Term

export interface Term {
  readonly kind: "term"
  readonly field: string
  readonly operator: Operator
  readonly values: ReadonlyArray<Value>
}

const operators = ["!=", "!~", ">=", "<=", "=", "~", ">", "<"] as const
export type Operator = (typeof operators)[number] | "in" | "not in" | "is" | "is not"

export type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "empty" }
  | { readonly kind: "call"; readonly name: string; readonly argument: string | undefined }

export interface OrderKey {
  readonly field: string
  readonly isDescending: boolean
}

export interface Jql {
  readonly where: Clause | undefined
  readonly orderBy: ReadonlyArray<OrderKey>
}

interface Token {
  readonly kind: "quoted" | "word" | "sign"
  readonly text: string
  /** Where it begins, from 1. */
  readonly at: number
}

const tokensOf = (text: string): ReadonlyArray<Token> | string => {
  const tokens: Array<Token> = []
  const forms = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(!=|!~|>=|<=|[=~><(),])|([^\s()=~<>!,"']+))/y
  const end = text.trimEnd().length
  while (forms.lastIndex < end) {
    const at = forms.lastIndex
    const found = forms.exec(text)
    if (found === null) return `Error in the JQL Query: The character at ${at + 1} is not allowed here.`
    const [, double, single, sign, word] = found
    const quoted = double ?? single
    tokens.push({
      kind: quoted !== undefined ? "quoted" : sign !== undefined ? "sign" : "word",
      text: quoted?.replace(/\\(.)/g, "$1") ?? sign ?? word ?? "",
      at: at + 1
    })
  }
  return tokens
}

/** A parser stops at the first thing it does not expect. */
interface Unexpected {
  readonly token: Token | undefined
  readonly expected: string
}

type Parsed<A> = Either.Either<readonly [A, number], Unexpected>

const isWord = (token: Token | undefined, ...words: ReadonlyArray<string>) =>
  token?.kind === "word" && words.includes(token.text.toLowerCase())
const isSign = (token: Token | undefined, sign: string) => token?.kind === "sign" && token.text === sign

const parser = (tokens: ReadonlyArray<Token>) => {
  const fail = (at: number, expected: string) => Either.left<Unexpected>({ token: tokens[at], expected })

  const value = (at: number): Parsed<Value> =>
    Either.gen(function* () {
      const token = tokens[at]
      if (token === undefined || token.kind === "sign") return yield* fail(at, "a value, list or function")
      if (isWord(token, "empty", "null")) return [{ kind: "empty" }, at + 1] as const
      if (token.kind === "word" && isSign(tokens[at + 1], "(")) {
        const isBare = isSign(tokens[at + 2], ")")
        const end = isBare ? at + 2 : at + 3
        if (!isSign(tokens[end], ")")) return yield* fail(end, "')'")
        return [
          { kind: "call", name: token.text, argument: isBare ? undefined : tokens[at + 2]?.text },
          end + 1
        ] as const
      }
      return [{ kind: "text", text: token.text }, at + 1] as const
    })

  const values = (at: number): Parsed<ReadonlyArray<Value>> =>
    Either.gen(function* () {
      if (!isSign(tokens[at], "(")) {
        const [one, end] = yield* value(at)
        return [[one], end] as const
      }
      const all: Array<Value> = []
      let next = at
      do {
        const [one, end] = yield* value(next + 1)
        all.push(one)
        next = end
      } while (isSign(tokens[next], ","))
      return isSign(tokens[next], ")") ? ([all, next + 1] as const) : yield* fail(next, "')'")
    })

  const operator = (at: number): Parsed<Operator> => {
    const token = tokens[at]
    const sign = operators.find((one) => token?.kind === "sign" && one === token.text)
    if (sign !== undefined) return Either.right([sign, at + 1] as const)
    if (isWord(token, "in")) return Either.right(["in", at + 1] as const)
    if (isWord(token, "not") && isWord(tokens[at + 1], "in")) return Either.right(["not in", at + 2] as const)
    if (isWord(token, "is")) {
      return Either.right(isWord(tokens[at + 1], "not") ? (["is not", at + 2] as const) : (["is", at + 1] as const))
    }
    return fail(at, "an operator")
  }

  const term = (at: number): Parsed<Clause> =>
    Either.gen(function* () {
      const token = tokens[at]
      if (isWord(token, "not")) {
        const [of, end] = yield* term(at + 1)
        return [{ kind: "not", of }, end] as const
      }
      if (isSign(token, "(")) {
        const [inner, end] = yield* either(at + 1)
        return isSign(tokens[end], ")") ? ([inner, end + 1] as const) : yield* fail(end, "')'")
      }
      if (token === undefined || token.kind === "sign") return yield* fail(at, "a field name")
      const [sign, after] = yield* operator(at + 1)
      const [all, end] = yield* values(after)
      return [{ kind: "term", field: token.text, operator: sign, values: all }, end] as const
    })

  const joined =
    (word: "and" | "or", part: (at: number) => Parsed<Clause>) =>
    (at: number): Parsed<Clause> =>
      Either.gen(function* () {
        const [first, end] = yield* part(at)
        const all = [first]
        let next = end
        while (isWord(tokens[next], word)) {
          const [one, after] = yield* part(next + 1)
          all.push(one)
          next = after
        }
        return [all.length === 1 ? first : { kind: word, of: all }, next] as const
      })

  const both = joined("and", term)
  const either = joined("or", both)

  const order = (at: number): Parsed<ReadonlyArray<OrderKey>> =>
    Either.gen(function* () {
      const keys: Array<OrderKey> = []
      let next = at
      do {
        const token = tokens[next + (keys.length === 0 ? 0 : 1)]
        if (token === undefined || token.kind === "sign") return yield* fail(next, "a field name")
        next += keys.length === 0 ? 1 : 2
        const isSaid = isWord(tokens[next], "asc", "desc")
        keys.push({ field: token.text, isDescending: isWord(tokens[next], "desc") })
        next += isSaid ? 1 : 0
      } while (isSign(tokens[next], ","))
      return [keys, next] as const
    })

  return Either.gen(function* () {
    const isOrdered = (at: number) => isWord(tokens[at], "order") && isWord(tokens[at + 1], "by")
    const [where, end] = tokens.length === 0 || isOrdered(0) ? ([undefined, 0] as const) : yield* either(0)
    const [orderBy, last] = isOrdered(end) ? yield* order(end + 2) : ([[], end] as const)
    return last < tokens.length ? yield* fail(last, "'AND', 'OR' or the end of the query") : { where, orderBy }
  })
}

/** Reads a query; the words of Jira's refusal where it is none. */
export const parse = (text: string): Either.Either<Jql, string> => {
  const tokens = tokensOf(text)
  if (typeof tokens === "string") return Either.left(tokens)
  return Either.mapLeft(parser(tokens), ({ expected, token }) =>
    token === undefined
      ? `Error in the JQL Query: Expecting ${expected} before the end of the query.`
      : `Error in the JQL Query: Expecting ${expected} but got '${token.text}'. (line 1, character ${token.at})`
  )
}
