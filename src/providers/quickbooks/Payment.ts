import { Payment } from "../../canonical/accounting/Payment.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { identityOf, reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { toAccount, toCustomer, toVendor, trackingCategories } from "./Common.ts"
import { always, days, refersTo } from "./Conditions.ts"
import { accountOf, document, documentNumber, exchangeRate, note, party, withParty } from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { amount, exact } from "./Money.ts"
import { postsByDate } from "./NotHeld.ts"
import { dayOf, linksOf } from "./Settlements.ts"

/**
 * Money from customers, and money to vendors by check or credit card, each with the documents it settles.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/billpayment
 */

/** A kind of document that a payment's lines can settle: canonical type and resource, and native type. */
interface Settled {
  readonly type: string
  readonly resource: string
  readonly native: string
}

const entry: Settled = { type: "JOURNAL_ENTRY", resource: "journal_entry", native: "JournalEntry" }

/** Lines that settle other documents, such as a deposit or a check, stay unchanged. */
const settles = (of: Entries<"applied_to_lines">, kinds: ReadonlyArray<Settled>) => {
  const linkOf = (line: unknown) => natives(getPath(line, "LinkedTxn"))[0]
  const kindOf = (line: unknown) => kinds.find(({ native }) => native === linkOf(line)?.TxnType)
  return of.computed({
    canonical: "applied_to_lines",
    native: ["Id", "Line", "TxnDate"],
    needsCurrent: true,
    encodeLookups: ["preferences"],
    decode: ({ record }, context) =>
      natives(record.Line).flatMap((line) => {
        const kind = kindOf(line)
        const [link] = linksOf(line)
        if (kind === undefined || link === undefined) return []
        const id = String(link.TxnId)
        return [
          {
            remote_id: `${String(record.Id)}:${id}`,
            applied_amount: line.Amount,
            applied_date: dayOf(record),
            related_object_id: context.reference(kind.resource, kind.native, id),
            related_object_type: kind.type
          }
        ]
      }),
    encode: (value, encoding) => {
      const held = natives(encoding.get("Line"))
      // a body may repeat the date that it read although the payment gets a new one
      const days = [encoding.get("TxnDate"), encoding.current?.record.TxnDate]
      const lines = natives(value).flatMap((line, i) => {
        const path = `${encoding.prefix}applied_to_lines.${i}`
        const kind = kinds.find(({ type }) => type === line.related_object_type)
        if (kind === undefined) {
          encoding.refuse(
            `${path}.related_object_type`,
            `must be one of ${kinds.map(({ type }) => type).join(", ")} here`
          )
          return []
        }
        if (typeof line.applied_date === "string" && !days.includes(line.applied_date)) {
          encoding.warn(`${path}.applied_date`, "CHANGED", "is the date of the payment at QuickBooks Online")
        }
        const found = identityOf(
          line.related_object_id,
          kind.resource,
          [kind.native],
          encoding,
          `${path}.related_object_id`
        )
        const amount = exact(line.applied_amount, `${path}.applied_amount`, encoding)
        if (amount?.gt(0) === false) encoding.refuse(`${path}.applied_amount`, "must be more than 0")
        if (found === undefined || amount === undefined) return []
        const same = held.find((one) => kindOf(one) === kind && linkOf(one)?.TxnId === found.remoteId)
        const link = same?.LinkedTxn ?? [{ TxnId: found.remoteId, TxnType: kind.native }]
        return [{ ...same, Amount: amount.toNumber(), LinkedTxn: link }]
      })
      encoding.set("Line", [...lines, ...held.filter((line) => kindOf(line) === undefined)])
    }
  })
}

/** The account tells how a vendor is paid: by check from a bank account, or by credit card. */
const paidFrom = computed({
  canonical: "account",
  native: ["CheckPayment", "CreditCardPayment"],
  needsCurrent: true,
  encodeLookups: ["accounts"],
  decode: ({ record }, context) => {
    const id =
      getPath(record, "CheckPayment.BankAccountRef.value") ?? getPath(record, "CreditCardPayment.CCAccountRef.value")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const { get, lookups, prefix, refuse, set } = encoding
    if (value === null) {
      set("CheckPayment", null)
      set("CreditCardPayment", null)
      return
    }
    const id = remoteIdOf(value, "account", ["Account"], encoding, `${prefix}account`)
    if (id === undefined) return
    if (id === get("CheckPayment.BankAccountRef.value") || id === get("CreditCardPayment.CCAccountRef.value")) return
    const type = accountOf(lookups, id)?.AccountType
    if (type === "Bank") {
      set("PayType", "Check")
      set("CheckPayment.BankAccountRef", { value: id })
      set("CreditCardPayment", null)
    } else if (type === "Credit Card") {
      set("PayType", "CreditCard")
      set("CreditCardPayment", { CCAccountRef: { value: id } })
      set("CheckPayment", null)
    } else refuse(`${prefix}account`, "is neither a bank account nor a credit card")
  }
})

const shared = (of: EntriesOf<typeof Payment>) => [...document(of, "transaction_date"), note(of)]

const mapping = plainMapping(Payment, (of) => [
  of.variant({
    nativeType: "Payment",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      party(of, "contact", "CustomerRef", toCustomer),
      of.field("reference", "PaymentRefNum", text),
      exchangeRate(of),
      amount(of, "total_amount", "TotalAmt"),
      of.lasting("account", "DepositToAccountRef.value", toAccount),
      of.field("payment_method", "PaymentMethodRef.value", reference("payment_method", "PaymentMethod")),
      settles(of, [
        { type: "INVOICE", resource: "invoice", native: "Invoice" },
        { type: "CREDIT_NOTE", resource: "credit_note", native: "CreditMemo" },
        entry
      ])
    ],
    notHeld: {
      tracking_categories: "Intuit documents no class and no location for customer payments.",
      accounting_period: postsByDate
    }
  }),
  of.variant({
    nativeType: "BillPayment",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      party(of, "contact", "VendorRef", toVendor),
      documentNumber(of, "reference"),
      exchangeRate(of),
      amount(of, "total_amount", "TotalAmt"),
      paidFrom(of),
      trackingCategories(of, { Department: "DepartmentRef" }),
      settles(of, [
        { type: "INVOICE", resource: "invoice", native: "Bill" },
        { type: "VENDOR_CREDIT", resource: "vendor_credit", native: "VendorCredit" },
        entry
      ])
    ],
    notHeld: {
      payment_method:
        "QuickBooks Online bill payments have no payment method; the account decides between check and credit card.",
      accounting_period: postsByDate
    }
  })
])

const filters = days("TxnDate", "transaction")

export const payment = (books: Books): ResourceAdapter => ({
  ...entities(books, mapping, [
    {
      name: "Payment",
      removal: "delete",
      filters: { ...filters, type: always("ACCOUNTS_RECEIVABLE"), contact: refersTo("CustomerRef", "Customer") }
    },
    {
      name: "BillPayment",
      removal: "delete",
      filters: { ...filters, type: always("ACCOUNTS_PAYABLE"), contact: refersTo("VendorRef", "Vendor") }
    }
  ]),
  rules: [{ rule: "required", fields: ["account"], when: { type: "ACCOUNTS_PAYABLE" } }],
  related: withParty(books, "contact")
})
