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

/**
 * Words that all have to be there. Each is in quotes, so that none is an operator; one character is none, nor are signs
 * alone.
 * https://developer.salesforce.com/docs/platform/salesforce-soql-sosl/guide/sforce-api-calls-sosl-find.html
 */
const termsOf = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(word))
    .map((word) => `"${word.replace(/[?&|!{}[\]()^~*:\\"'+-]/g, "\\$&")}"`)

/** What the search finds among the records of a type: the most relevant 2,000, as the index knows them. */
export const searched = (org: Org, type: string): Clause<Said> =>
  exact(({ text }) => {
    const terms = termsOf(text)
    if (terms.length === 0 || text.length > longest) return null
    const q = `FIND {${terms.join(" AND ")}} IN ALL FIELDS RETURNING ${type}(Id) LIMIT ${most}`
    return (connection) =>
      Effect.map(
        org.call(connection, { operation: `${type}.search`, method: "GET", path: `${api}/search`, query: { q } }),
        ({ body }) => natives(getPath(body, "searchRecords")).map(({ Id }) => String(Id))
      )
  })
