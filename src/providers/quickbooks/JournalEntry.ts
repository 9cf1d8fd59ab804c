import { JournalEntry } from "../../canonical/accounting/JournalEntry.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { amountOf, toAccount, toTaxRate, trackingCategories } from "./Common.ts"
import { days, equal } from "./Conditions.ts"
import { ofDocument } from "../../mapping/LineParts.ts"
import { document, documentNumber, exchangeRate, inclusiveOfTax, money, nameOf, note } from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { exact } from "./Money.ts"
import { notOfEntries, postsByDate } from "./NotHeld.ts"

/**
 * Manual journal entries. Lines on receivables need a customer, lines on payables a vendor.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/journalentry
 */

const detail = "JournalEntryLineDetail"

/** QuickBooks holds an unsigned amount and its side. 0 has no sign, so it stays on its side. */
const netAmount = computed({
  canonical: "net_amount",
  native: ["Amount", `${detail}.PostingType`],
  encodeLookups: ["preferences"],
  decode: ({ record }) => {
    const amount = amountOf(record.Amount)
    const isCredit = getPath(record, `${detail}.PostingType`) === "Credit"
    return isCredit && amount?.isZero() === false ? amount.negated().toNumber() : amount?.toNumber()
  },
  encode: (value, encoding) => {
    const { get, prefix, set } = encoding
    const amount = exact(value, `${prefix}net_amount`, encoding)
    if (amount === undefined) return
    set("Amount", amount.abs().toNumber())
    const side = amount.isZero() ? (get(`${detail}.PostingType`) ?? "Debit") : amount.isNegative() ? "Credit" : "Debit"
    set(`${detail}.PostingType`, side)
  }
})

/** Every entry is posted; QuickBooks Online has no drafts. */
const postingStatus = computed({
  canonical: "posting_status",
  native: [],
  decode: () => "POSTED",
  encode: (value, { prefix, warn }) => {
    if (value === "UNPOSTED") {
      warn(`${prefix}posting_status`, "STATUS_NOT_REACHED", "is POSTED: QuickBooks Online has no drafts of entries")
    }
  }
})

const mapping = plainMapping(JournalEntry, (of) => [
  of.variant({
    nativeType: "JournalEntry",
    entries: [
      ...document(of, "transaction_date"),
      exchangeRate(of),
      documentNumber(of, "journal_number"),
      note(of),
      inclusiveOfTax(of),
      postingStatus(of),
      of.lines("lines", {
        native: "Line",
        id: "Id",
        forms: (of) => [
          {
            where: { DetailType: detail },
            entries: [
              of.field("account", `${detail}.AccountRef.value`, toAccount),
              netAmount(of),
              of.field("description", "Description", text),
              ...nameOf(of, {
                native: `${detail}.Entity`,
                kind: `${detail}.Entity.Type`,
                id: `${detail}.Entity.EntityRef.value`,
                make: (Type, value) => ({ Type, EntityRef: { value } })
              }),
              of.field("tax_rate", `${detail}.TaxCodeRef.value`, toTaxRate),
              trackingCategories(of, { Class: `${detail}.ClassRef`, Department: `${detail}.DepartmentRef` }),
              ...ofDocument(of, money),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: {
      tracking_categories: "QuickBooks Online journal entries have classes and locations on their lines only.",
      accounting_period: postsByDate,
      payments: notOfEntries,
      applied_payments: notOfEntries
    }
  })
])

export const journalEntry = (books: Books) =>
  entities(books, mapping, [
    {
      name: "JournalEntry",
      removal: "delete",
      filters: { number: equal("DocNumber"), ...days("TxnDate", "transaction") }
    }
  ])
