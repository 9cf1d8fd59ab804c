import type { Account, Doc } from "../../simulation/Account.ts"
import { goneFrom, withoutFeature, withoutPermission } from "./Features.ts"
import { isOneWorld } from "./Founding.ts"

/**
 * Features that tell accounts and roles apart; the sample's has all. A test puts a `feature`:
 *
 * - `subsidiaries` `{isOff: true}`: an account without OneWorld.
 * - `currencies` `{isOff: true}`: one currency, of which queries say nothing.
 * - `suiteTax` `{isOn: true}`: taxes have rows of their own; records say less of them.
 * - `language` `{is: "de"}`: the user reads German, Italian (`it`) or Japanese (`ja`); see `Languages.ts`.
 * - `books` `{primary: "2"}`: a second book, with amounts of its own.
 * - `role` `{hidden: ["vendorBill"], tables: ["pricing"], columns: ["term.isinactive"], hasBooks: false}`: record types that it
 *   may not see, tables and columns that it is told are not there, and whether it is shown address books; with `isCatalogued`
 *   the catalogue has the record types all the same.
 */
const feature = (account: Account, name: string): Doc => account.get("feature", name) ?? {}

const listOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

export const isSuiteTax = (account: Account): boolean => feature(account, "suiteTax").isOn === true

export const hasCurrencies = (account: Account): boolean => feature(account, "currencies").isOff !== true

/** Whether the catalogue has a type of records. */
export const isCatalogued = (account: Account, type: string): boolean =>
  feature(account, "role").isCatalogued === true || !isHiddenType(account, type)

export const showsBooks = (account: Account): boolean => feature(account, "role").hasBooks !== false

/** Ids of the account's books, the primary one first. */
export const booksOf = (account: Account): ReadonlyArray<string> => {
  const { primary } = feature(account, "books")
  return typeof primary === "string" ? [primary, "1"] : ["1"]
}

/** A role is refused records of such a type, and its queries leave them out without a word. */
export const isHiddenType = (account: Account, type: string): boolean =>
  listOf(feature(account, "role").hidden).includes(type) ||
  withoutPermission(account, type) ||
  withoutFeature(account, type)

const ofCurrencies = ["currency", "transaction.currency", "transaction.exchangerate", "transactionline.foreignamount"]
const ofSuiteTax = ["transactiontaxdetail"]
const ofLegacyTax = ["transactionline.taxcode", "transactionline.taxrate1"]

/** Tables, and columns after a dot, that queries do not know. */
export const unknownIn = (account: Account): ReadonlySet<string> =>
  new Set([
    ...(hasCurrencies(account) ? [] : ofCurrencies),
    ...(isSuiteTax(account) ? ofLegacyTax : ofSuiteTax),
    ...goneFrom(account),
    ...listOf(feature(account, "role").tables),
    ...listOf(feature(account, "role").columns)
  ])

/** Whether a table or column is about subsidiaries, and there are none. */
export const isOfSubsidiaries = (account: Account, name: string): boolean =>
  !isOneWorld(account) && name.includes("subsidiary")

const membersOfSuiteTax = [
  "taxTotal",
  "taxCode",
  "taxcode",
  "taxRate1",
  "tax1Amt",
  "grossAmt",
  "vatRegNumber",
  "taxIdNum"
]

/** A record as an account has it: its edition lacks some members. */
export const asKept = (account: Account, type: string, kept: Doc): Doc => {
  const doc = hasCurrencies(account) ? kept : { ...kept, exchangeRate: undefined, currency: undefined }
  if (!isSuiteTax(account)) return doc
  const bare = (value: Doc): Doc =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !membersOfSuiteTax.includes(name)))
  const lines = ["item", "expense"].flatMap((name) => {
    const held = doc[name]
    return Array.isArray(held) ? [[name, held.map(bare)] as const] : []
  })
  const lost = type === "account" ? "balance" : type === "salesTaxItem" ? "itemId" : undefined
  const head = Object.fromEntries(Object.entries(doc).filter(([name]) => name !== lost))
  return { ...bare(head), ...Object.fromEntries(lines) }
}
