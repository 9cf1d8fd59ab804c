import { Either } from "effect"
import type { Dialect, Token } from "../../simulation/Query.ts"

const is = (token: Token | undefined, ...words: ReadonlyArray<string>) =>
  token?.kind === "word" && words.includes(token.text.toLowerCase())

const sign = (text: string): Token => ({ kind: "sign", text })
const word = (text: string): Token => ({ kind: "word", text })

/** More than one `and` or `or` between the same parentheses. */
const isUngrouped = (tokens: ReadonlyArray<Token>): boolean => {
  const joined = [0]
  return tokens.some((token) => {
    if (token.text === "(") joined.push(0)
    if (token.text === ")") joined.pop()
    if (is(token, "and", "or")) joined.push((joined.pop() ?? 0) + 1)
    return (joined.at(-1) ?? 0) > 1
  })
}

/** A quote in a text is doubled, and a backslash is one; two texts in a row are what stands around such a quote. */
const withQuotes = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (const token of tokens) {
    const last = found.at(-1)
    const text = token.kind === "text" ? token.text.replaceAll("\\", "\\\\") : token.text
    if (token.kind === "text" && last?.kind === "text") {
      found.splice(-1, 1, { kind: "text", text: `${last.text.slice(0, -1)}\\${text}` })
    } else {
      found.push({ kind: token.kind, text })
    }
  }
  return found
}

/** Clauses and operators of its own, each as what SQL has for it, with the number of tokens it takes. */
const clauses: ReadonlyArray<(tokens: ReadonlyArray<Token>) => readonly [taken: number, ...Array<Token>] | undefined> =
  [
    ([a, b]) => (is(a, "is") && is(b, "null") ? [2, sign("="), word("null")] : undefined),
    ([a, b, c]) => (is(a, "is") && is(b, "not") && is(c, "null") ? [3, sign("!="), word("null")] : undefined),
    ([name, between, low, and, high]) =>
      name?.kind === "word" && is(between, "between") && low !== undefined && is(and, "and") && high !== undefined
        ? [5, sign("("), name, sign(">="), low, word("and"), name, sign("<="), high, sign(")")]
        : undefined,
    // the rows to leave out come first
    ([limit, offset, comma, count]) =>
      is(limit, "limit") && offset !== undefined && comma?.text === "," && count !== undefined
        ? [4, word("limit"), count, word("offset"), offset]
        : undefined,
    // ids are longer than numbers are exact
    ([number]) =>
      number?.kind === "number" && /^\d{16,}$/.test(number.text)
        ? [1, { kind: "text", text: `'${number.text}'` }]
        : undefined
  ]

const inSql = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (let at = 0; at < tokens.length;) {
    const rest = tokens.slice(at, at + 5)
    const clause = clauses.map((one) => one(rest)).find((one) => one !== undefined)
    const [taken, ...written] = clause ?? [1, ...rest.slice(0, 1)]
    found.push(...written)
    at += taken
  }
  return found
}

/**
 * Zoho's COQL without aliases, functions other than count, subqueries and grouping of rows.
 * https://www.zoho.com/crm/developer/docs/api/v8/COQL-Overview.html
 */
export const coql: Dialect = {
  keywords: new Set(
    "select from where and or in not like is null between true false order by asc desc limit offset group having".split(
      " "
    )
  ),
  allows: new Set(["=", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "NOT IN", "OR", "null"]),
  nullsFirst: (descending) => !descending,
  rewrite: (tokens) => {
    // null is no value to compare with
    if (tokens.some((token, index) => is(token, "null") && !is(tokens[index - 1], "is", "not"))) {
      return Either.left("null")
    }
    // a backslash escapes nothing, so the text ends at the quote after it
    const broken = tokens.find(({ kind, text }) => kind === "text" && text.includes("\\'"))
    if (broken !== undefined) return Either.left(broken.text)
    const written = inSql(withQuotes(tokens))
    return isUngrouped(written) ? Either.left("and") : Either.right(written)
  }
}
