import { JournalEntry } from "../../canonical/accounting/JournalEntry.ts"
import { computed } from "../../mapping/Entries.ts"
import { ofDocument } from "../../mapping/LineParts.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, money, noPeriods, tagsAreNoCategories, toAccount, toContact, toTaxRate } from "./Common.ts"
import { document } from "./Documents.ts"
import { beginning, day } from "./Filters.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Manual bookings: drafts until they are published, for good.
 * https://www.zoho.com/books/api/v3/journals/
 */

/** An amount without a sign, and the side it is on. */
const netAmount = computed({
  canonical: "net_amount",
  native: ["amount", "debit_or_credit"],
  decode: ({ record: { amount, debit_or_credit } }) =>
    typeof amount === "number" && debit_or_credit === "credit" && amount !== 0 ? -amount : amount,
  encode: (value, { get, set }) => {
    if (typeof value !== "number") return
    set("amount", Math.abs(value))
    set("debit_or_credit", value === 0 ? (get("debit_or_credit") ?? "debit") : value < 0 ? "credit" : "debit")
  }
})

/** A new one is on the ledger unless it says otherwise. */
const posting = computed({
  canonical: "posting_status",
  native: ["status"],
  needsCurrent: true,
  decode: ({ record }) => (record.status === undefined ? null : record.status === "draft" ? "UNPOSTED" : "POSTED"),
  encode: (value, { current, prefix, set, step, warn }) => {
    if (value === null) return
    if (current === undefined) set("status", value === "UNPOSTED" ? "draft" : "published")
    else if (value === "POSTED" && current.record.status === "draft") step("status", "status/publish")
    else if (value === "UNPOSTED" && current.record.status !== "draft") {
      warn(`${prefix}posting_status`, "STATUS_NOT_REACHED", "stays POSTED once it is")
    }
  }
})

const settleNoJournals = "Payments settle invoices and bills in Zoho Books, not journals."

const mapping = mappingOf(JournalEntry, (of) => [
  of.variant({
    nativeType: "journal",
    entries: [
      ...document(of, "journal_id", "transaction_date", { native: "journal_date" }),
      of.field("memo", "notes", text),
      of.readField("journal_number", "entry_number", text),
      posting(of),
      of.lines("lines", {
        native: "line_items",
        id: "line_id",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.field("account", "account_id", toAccount),
              netAmount(of),
              of.field("description", "description", text),
              of.field("contact", "customer_id", toContact),
              of.field("tax_rate", "tax_id", toTaxRate),
              ...ofDocument(of, money),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: {
      inclusive_of_tax: "A Zoho Books journal does not say whether its amounts contain tax.",
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories,
      payments: settleNoJournals,
      applied_payments: settleNoJournals
    }
  })
])

const members = ["line_id", "account_id", "customer_id", "description", "tax_id", "amount", "debit_or_credit"]

const write = (record: Native): Native => ({
  ...record,
  ...(Array.isArray(record.line_items)
    ? {
        line_items: natives(record.line_items).map((line) =>
          Object.fromEntries(
            Object.entries(line).filter(
              ([name, value]) => members.includes(name) && (value !== "" || name === "description")
            )
          )
        )
      }
    : {})
})

const bookedDay = day("date", "journal_date")

const journals: Kind = {
  nativeType: "journal",
  path: "journals",
  id: "journal_id",
  sort: "journal_date",
  isSince: true,
  filters: {
    number: beginning("entry_number"),
    transaction_after: bookedDay.after,
    transaction_before: bookedDay.before
  },
  write,
  // a note has to be there
  isMade: { notes: "", status: "published" }
}

export const journalEntry = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [journals]),
  nullInLists: ["exchange_rate", "posting_status", "lines"]
})
