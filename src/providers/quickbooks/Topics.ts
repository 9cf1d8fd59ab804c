import { Record } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
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
  [/transactions have an? .*\brate\b/i, "TaxCodeRef.value"],
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

/** Whether a company outside of the United States was not told the tax of a line: "have a GST/HST rate before you save". */
const lacksTaxCode = /transactions have an? .*\brate\b/i

const untaxedMessage = (words: string) =>
  `is required: this company charges tax. Send the tax rate of every line, the one of 0% too. QuickBooks Online: ${words}`

const details = ["SalesItemLineDetail", "ItemBasedExpenseLineDetail", "AccountBasedExpenseLineDetail"]

/** Lines without a tax code, by path. Subtotals and discounts are not lines of a body. */
const untaxedLines = (json: Native, words: string): { readonly [path: string]: string } =>
  Object.fromEntries(
    natives(json.Line)
      .filter(({ DetailType }) => DetailType !== "SubTotalLineDetail" && DetailType !== "DiscountLineDetail")
      .flatMap((line, i) => {
        const detail = details.find((name) => line.DetailType === name)
        return detail === undefined || getPath(line, `${detail}.TaxCodeRef.value`) !== undefined
          ? []
          : [[`Line[${i}].${detail}.TaxCodeRef.value`, untaxedMessage(words)]]
      })
  )

/** A refusal of a write of an entity, its fields by their native names. */
export const placed =
  (entity: string, json: Native) =>
  (error: ProviderError): ProviderError => {
    const { reason } = error
    if (reason._tag !== "Invalid") return error
    const untaxed = Object.values(reason.fields).find((words) => lacksTaxCode.test(words))
    const lines = untaxed === undefined ? {} : untaxedLines(json, untaxed)
    if (Object.keys(lines).length > 0) return new ProviderError({ ...error, reason: new Invalid({ fields: lines }) })
    const named = (name: string) => places[entity]?.[name] ?? usual[name] ?? name
    const fields = Record.mapKeys(reason.fields, named)
    return new ProviderError({ ...error, reason: new Invalid({ fields }) })
  }
