import { Record } from "effect"
import { Invalid, ProviderError } from "../ProviderError.ts"

/**
 * Business rules that Intuit tells in words, with no element: which field the words are about. Of lines it does not say
 * which one it was.
 * https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes
 */

/** The other side of a document, what it is linked to, and its total stand elsewhere in each entity. */
const [party, links, total] = ["the party", "the links", "the total"]

const topics: ReadonlyArray<readonly [words: RegExp, native: string]> = [
  [/exchange rate/i, "ExchangeRate"],
  [/\bcurrency\b/i, "CurrencyRef"],
  [/linked belongs to another|linked was deposited/i, links],
  [/name on a transaction/i, party],
  [/choose a (customer|vendor|supplier) in the name field/i, "JournalEntryLineDetail.Entity"],
  [/TaxCode/, "TaxCodeRef.value"],
  [/detail type|SubType/i, "AccountSubType"],
  [/account inactive/i, "Active"],
  [/same account type as their parent|own parent/i, "ParentRef"],
  [/account numbers?\b/i, "AcctNum"],
  [/different type of account|type of (an|this) account/i, "AccountType"],
  [/type of an item/i, "Type"],
  [/one of these must be non-empty/i, "DisplayName"],
  [/UnitPrice|two lines|debits and credits|billable split line|amount applied|line of a payment/i, "Line"],
  [/amount must be/i, total],
  [/one discount|discount amount/i, "Line"]
]

/** The native field, or what stands for it, that the words of a refusal are about. */
export const topicOf = (words: string): string | undefined => topics.find(([about]) => about.test(words))?.[1]

const places: { readonly [entity: string]: { readonly [topic: string]: string } } = {
  Bill: { [party]: "VendorRef.value", [links]: "LinkedTxn" },
  VendorCredit: { [party]: "VendorRef.value" },
  BillPayment: { [party]: "VendorRef.value", [total]: "TotalAmt" },
  Payment: { [total]: "TotalAmt" },
  PurchaseOrder: { [party]: "VendorRef.value" },
  Purchase: { [party]: "EntityRef" }
}

const usual: { readonly [topic: string]: string } = { [party]: "CustomerRef.value", [links]: "Line", [total]: "Line" }

/** A refusal of a write of an entity, its fields by their native names. */
export const placed =
  (entity: string) =>
  (error: ProviderError): ProviderError => {
    const { reason } = error
    if (reason._tag !== "Invalid") return error
    const named = (name: string) => places[entity]?.[name] ?? usual[name] ?? name
    const fields = Record.mapKeys(reason.fields, named)
    return new ProviderError({ ...error, reason: new Invalid({ fields }) })
  }
