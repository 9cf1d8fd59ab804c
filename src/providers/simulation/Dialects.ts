import { Either } from "effect"
import { period } from "./Period.ts"
import type { Dialect, Token } from "./Query.ts"

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

const isWord = (token: Token | undefined, word: string) => token?.kind === "word" && token.text.toLowerCase() === word

/** `AND` and `OR` between the same parentheses, which SOQL refuses for being ambiguous. */
const mixes = (tokens: ReadonlyArray<Token>): boolean => {
  const joined: Array<Set<string>> = [new Set()]
  return tokens.some((token) => {
    if (token.text === "(") joined.push(new Set())
    if (token.text === ")") joined.pop()
    if (isWord(token, "and") || isWord(token, "or")) joined.at(-1)?.add(token.text.toLowerCase())
    return joined.at(-1)?.size === 2
  })
}

/**
 * Salesforce's SOQL without grouping, aliases, functions other than count, and polymorphic paths.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select.htm
 */
export const soql: Dialect = {
  keywords: words(
    "select from where and or not in like null true false order by asc desc nulls first last limit offset group having"
  ),
  allows: new Set([
    ...(["=", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "NOT IN"] as const),
    ...(["OR", "NOT", "subselect", "join", "null", "_"] as const)
  ]),
  // ".../sforce_api_calls_soql_select_orderby.htm": by default, null values are sorted first
  nullsFirst: () => true,
  rewrite: (tokens) => {
    if (mixes(tokens)) return Either.left("unexpected token: 'OR'")
    const escape = tokens.flatMap(({ kind, text }) => (kind === "text" ? (text.match(/\\./gs) ?? []) : []))
    const unknown = escape.find((one) => !/\\[nrtbf"'\\_%]/i.test(one))
    if (unknown !== undefined) return Either.left(`Illegal character escape '${unknown}'`)
    return Either.right(
      tokens.map((token, index) =>
        token.kind === "word" && /^[=<>!]/.test(tokens[index - 1]?.text ?? "") && period(token.text) !== undefined
          ? { kind: "period", text: token.text }
          : token
      )
    )
  }
}

/**
 * QuickBooks Online's query language: one entity, `AND` only.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries
 */
export const quickBooks: Dialect = {
  keywords: words("select from where and in like true false order by asc desc limit offset"),
  allows: new Set(["=", "<", "<=", ">", ">=", "LIKE", "IN"]),
  nullsFirst: (descending) => !descending,
  rewrite: (tokens) => {
    const found: Array<Token> = []
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]
      const isPaging = isWord(token, "startposition") || isWord(token, "maxresults")
      if (token === undefined || token.kind === "period" || isWord(token, "limit") || isWord(token, "offset")) {
        return Either.left(`unexpected token: '${token?.text ?? ""}'`)
      } else if (isWord(token, "orderby")) {
        found.push({ kind: "word", text: "order" }, { kind: "word", text: "by" })
      } else if (isPaging) {
        const isStart = isWord(token, "startposition")
        const number = Number(tokens[(at += 1)]?.text)
        if (!Number.isInteger(number) || number < (isStart ? 1 : 0)) {
          return Either.left(`${token.text} takes a whole number${isStart ? " from 1" : ""}`)
        }
        found.push(
          { kind: "word", text: isStart ? "offset" : "limit" },
          { kind: "number", text: String(isStart ? number - 1 : number) }
        )
      } else {
        found.push(token)
      }
    }
    return Either.right(found)
  }
}
