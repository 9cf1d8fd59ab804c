import { Effect } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { type Editions, plus } from "./Editions.ts"
import { adjustment } from "./Transaction.ts"
import type { Books } from "./Books.ts"

/** Products by what the company file calls them (`OfferingSku`); what is called otherwise tells nothing. */
const skus: ReadonlyArray<readonly [sku: RegExp, isPlus: boolean]> = [
  [/\b(?:Plus|Advanced|Enterprise Suite)\b/i, true],
  [/\b(?:Simple Start|Essentials|EasyStart|Self-Employed|Solopreneur|Lite)\b/i, false]
]

/**
 * Editions by the product that the company bought, unless the company has refused what they have.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/companyinfo (NameValue)
 */
export const held =
  (books: Books, editions: Editions): NonNullable<ProviderAdapter["held"]> =>
  (connection) =>
    Effect.map(
      Effect.all([books.company(connection), editions.isAbsent(connection, adjustment)]),
      ([company, isAbsent]) => {
        const sku = natives(getPath(company, "NameValue")).find(({ Name }) => Name === "OfferingSku")?.Value
        const isPlus = isAbsent ? false : skus.find(([words]) => words.test(String(sku)))?.[1]
        return ({ kind, name }) => (kind === plus.kind && name === plus.name ? isPlus : undefined)
      }
    )
