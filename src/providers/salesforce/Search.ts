import { Effect } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { type Clause, exact } from "../Filtering.ts"
import type { Said } from "./Conditions.ts"
import { api, type Org } from "./Org.ts"

// The search of the org's index: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-search

/** Most results of a search. */
const most = 2000

/** Most characters of a search, so that the address keeps within its bounds. */
const longest = 500

/** A word to look for has at least two letters or digits. */
const word = /[\p{L}\p{N}]\S*[\p{L}\p{N}]/u

export const searchText = {
  pattern: new RegExp(`^(?=.{1,${longest}}$).*${word.source}`, "su"),
  expected: `must have a word of 2 letters or digits at least, and ${longest} characters at most`
}

/**
 * Words that must all be there. Each is in quotes, so that none is an operator; a single character is no word, nor are signs
 * alone.
 * https://developer.salesforce.com/docs/platform/salesforce-soql-sosl/guide/sforce-api-calls-sosl-find.html
 */
const termsOf = (text: string) =>
  text
    .split(/\s+/)
    .filter((one) => word.test(one))
    .map((one) => `"${one.replace(/[?&|!{}[\]()^~*:\\"'+-]/g, "\\$&")}"`)

/** Searches the index for records of a type: the most relevant 2,000, as the index knows them. */
export const searched = (org: Org, type: string): Clause<Said> =>
  exact(({ text }) => {
    const q = `FIND {${termsOf(text).join(" AND ")}} IN ALL FIELDS RETURNING ${type}(Id) LIMIT ${most}`
    return (connection) =>
      Effect.map(
        org.call(connection, { operation: `${type}.search`, method: "GET", path: `${api}/search`, query: { q } }),
        ({ body }) => natives(getPath(body, "searchRecords")).map(({ Id }) => String(Id))
      )
  })
