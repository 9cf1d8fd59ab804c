import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partAt, textAt } from "../../simulation/Docs.ts"
import { type Checked, complain, dayString } from "./Answers.ts"
import { contactFields, contactIn, contactRef } from "./Contacts.ts"
import { common, day, type Fields, flag, id, number, one, own, part, parts, text } from "./Fields.ts"
import { cleared, type Depth, isOfApp, isWhole } from "./Kind.ts"
import { lineFields, type LineRules, linesOf, lineView, totalsOf } from "./LineItems.ts"
import { baseCurrencyOf, currenciesOf, today } from "./Organisation.ts"

// Shared by invoices, credit notes, purchase orders and bank transactions.

export const documentFields: Fields = {
  ...common,
  Contact: part(contactFields),
  LineItems: parts(lineFields),
  Date: day,
  DateString: own(text()),
  DueDateString: own(text()),
  LineAmountTypes: one("Exclusive", "Inclusive", "NoTax"),
  Reference: text(255),
  BrandingThemeID: id,
  Url: text(),
  CurrencyCode: text(),
  CurrencyRate: number,
  SubTotal: own(number),
  TotalTax: own(number),
  Total: own(number),
  TotalDiscount: own(number),
  IsDiscounted: own(flag),
  InvoiceAddresses: own(parts({}))
}

/** Statuses that can follow each status; a document may always keep its own. */
export interface Statuses {
  readonly [from: string]: ReadonlyArray<string>
}

export const statusOf = (
  statuses: Statuses,
  given: Doc,
  current: Doc | undefined,
  refusal: string
): Checked<string> => {
  const from = textAt(current ?? {}, "Status") ?? "new"
  const to = textAt(given, "Status") ?? (current === undefined ? statuses.new?.[0] : from)
  return to !== undefined && statuses[from]?.includes(to) === true ? Either.right(to) : complain(refusal)
}

/** A document to write, with the rules that it must meet. */
export interface Write {
  readonly given: Doc
  readonly current: Doc | undefined
  /** Members that the kind of document sets, such as id and status. */
  readonly own: Doc
  readonly rules: Omit<LineRules, "lineAmountTypes">
  readonly complaints: (draft: Doc) => ReadonlyArray<string>
  /** Complaints about the lines, once worked out. */
  readonly lineComplaints?: (document: Doc) => ReadonlyArray<string>
  /** The currency, where it is not the contact's. */
  readonly currency?: string
}

const contactOf = (account: Account, { current, given }: Write): Checked<() => Doc> => {
  const asked = partAt(given, "Contact")
  const isSame = current !== undefined && (given.Contact === undefined || asked.ContactID === current.ContactID)
  return isSame
    ? Either.right(() => account.get("Contact", String(current.ContactID)) ?? {})
    : contactIn(account, asked)
}

/** Returns the whole document; creates its contact when the name is new. */
export const documentOf = (account: Account, write: Write): Checked<() => Doc> =>
  Either.gen(function* () {
    const { complaints, current, given, own: fixed, rules } = write
    const contact = yield* contactOf(account, write)
    const { Contact: _contact, LineItems: _lines, ...members } = given
    const draft = cleared({ Date: today(account), LineAmountTypes: "Exclusive", ...current, ...members, ...fixed })
    const said = textAt(draft, "CurrencyCode")
    const messages = [
      ...(said !== undefined && currenciesOf(account)[said] === undefined
        ? [`Organisation is not subscribed to currency ${said}`]
        : []),
      ...(said !== undefined && write.currency !== undefined && said !== write.currency
        ? ["The currency of the transaction must be that of its bank account."]
        : []),
      ...complaints(draft)
    ]
    if (messages.length > 0) return yield* complain(...messages)
    const lineAmountTypes = String(draft.LineAmountTypes)
    const LineItems = yield* linesOf(account, given, current, { ...rules, lineAmountTypes })
    if (LineItems.length === 0) return yield* complain("One or more line items must be specified")
    const short = write.lineComplaints?.({ ...draft, LineItems }) ?? []
    if (short.length > 0) return yield* complain(...short)
    const { TotalDiscount, ...totals } = totalsOf(LineItems, lineAmountTypes)
    if (totals.Total < 0) return yield* complain("The total of the document must not be negative.")
    return () => {
      const held = contact()
      const CurrencyCode = said ?? write.currency ?? textAt(held, "DefaultCurrency") ?? baseCurrencyOf(account)
      return {
        ...draft,
        CurrencyCode,
        CurrencyRate: rateOf(account, CurrencyCode, draft, current),
        ContactID: held.ContactID,
        LineItems,
        ...totals,
        ...(rules.discounts ? { TotalDiscount, IsDiscounted: TotalDiscount !== 0 } : {})
      }
    }
  })

/**
 * Units of the document's currency for one of the base currency ("CurrencyRate" of
 * https://developer.xero.com/documentation/api/accounting/invoices: the day's rate by default).
 */
const rateOf = (account: Account, currency: string, draft: Doc, current: Doc | undefined): unknown => {
  if (currency === baseCurrencyOf(account)) return 1
  const isSame = current === undefined || current.CurrencyCode === currency
  const said = isSame || draft.CurrencyRate !== current.CurrencyRate ? draft.CurrencyRate : undefined
  return said === undefined
    ? currenciesOf(account)[currency]?.rate
    : amountAt({ said }, "said").toDecimalPlaces(6).toNumber()
}

/** The next free number of a series. */
export const nextNumber = (account: Account, prefix: string, isTaken: (number: string) => boolean): string => {
  let last = Number(account.get("counter", prefix)?.last ?? 0)
  let number
  do {
    last += 1
    number = `${prefix}${String(last).padStart(4, "0")}`
  } while (isTaken(number))
  account.put("counter", prefix, { last })
  return number
}

/**
 * The rate as responses show it. Reads leave it out for documents in the base currency that were entered in the app; orders
 * always have it.
 */
const rateView = (account: Account, doc: Doc, depth: Depth, isOfOrder: boolean): Doc =>
  isOfOrder || depth === "written" || !isOfApp(doc) || doc.CurrencyCode !== baseCurrencyOf(account)
    ? { CurrencyRate: doc.CurrencyRate }
    : {}

/** Only invoices and orders say whether their contact is a customer or a supplier. */
const contactOfDocument = (account: Account, { ContactID, Type }: Doc, depth: Depth, isOfOrder: boolean): Doc => {
  const { IsCustomer, IsSupplier, ...contact } = contactRef(account, ContactID, depth)
  return isWhole(depth) && (isOfOrder || Type === "ACCREC" || Type === "ACCPAY")
    ? { ...contact, IsCustomer, IsSupplier }
    : contact
}

/** A document as responses show it. */
export const documentView = (
  account: Account,
  doc: Doc,
  depth: Depth,
  id: unknown,
  { isOfOrder = false }: { readonly isOfOrder?: boolean } = {}
): Doc => {
  const { ContactID, CurrencyRate: _rate, LineItems, TotalDiscount, ...members } = doc
  const isStated = isOfOrder ? depth === "written" : isWhole(depth) && TotalDiscount !== 0
  return compact({
    ...members,
    ...rateView(account, doc, depth, isOfOrder),
    ...(isStated ? { TotalDiscount } : {}),
    ...(ContactID === undefined ? {} : { Contact: contactOfDocument(account, doc, depth, isOfOrder) }),
    DateString: dayString(doc.Date),
    DueDateString: dayString(doc.DueDate),
    LineItems: depth === "list" || !Array.isArray(LineItems) ? [] : LineItems.map(lineView(account, depth, isOfOrder)),
    HasAttachments: account.get("attached", String(id)) !== undefined
  })
}
