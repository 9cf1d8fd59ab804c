import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { JournalEntry } from "../../canonical/accounting/JournalEntry.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { ownCompany, toAccount, trackingCategories, transaction } from "./Common.ts"
import { records } from "./Records.ts"
import type { Part } from "./RecordType.ts"
import { partyAt, taxAt } from "./References.ts"
import type { Suite } from "./Suite.ts"
import { allLines } from "./BulkLines.ts"
import { currencyJoin, equal } from "./Conditions.ts"
import { heads, listed, transactionColumns, transactionFilters } from "./Heads.ts"
import { taxCodeOf } from "./Taxes.ts"

/**
 * Journal entries. A line is a debit or a credit, and names who it is about: one of customer, vendor, employee, project.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157780372046.html
 */

const amountOf = (value: unknown) => new Decimal(typeof value === "number" ? value : 0)

const netAmount = computed({
  canonical: "net_amount",
  native: ["debit", "credit"],
  decode: ({ record }) => amountOf(record.debit).minus(amountOf(record.credit)).toNumber(),
  encode: (value, { set }) => {
    if (typeof value !== "number") return
    set("debit", value >= 0 ? value : null)
    set("credit", value < 0 ? -value : null)
  }
})

const isApproved = (record: unknown) => (getPath(record, "approvalStatus.id") ?? "2") === "2"

/** Approved entries are posted; where an account knows no approvals, all are. */
const postingStatus = computed({
  canonical: "posting_status",
  native: ["approvalStatus"],
  needsCurrent: true,
  decode: ({ record }) => (isApproved(record) ? "POSTED" : "UNPOSTED"),
  encode: (value, { current, set }) => {
    const isPosted = value === "POSTED"
    if (value !== null && isPosted !== isApproved(current?.record)) set("approvalStatus", { id: isPosted ? "2" : "1" })
  }
})

const paymentsElsewhere = "NetSuite names the journal entry on the payment, in applied_to_lines."

const mapping = plainMapping(JournalEntry, (of) => [
  of.variant({
    nativeType: "journalEntry",
    entries: [
      ...transaction(of, "transaction_date", ownCompany),
      of.lasting("journal_number", "tranId", text),
      of.constant("inclusive_of_tax", false),
      postingStatus(of),
      of.lines("lines", {
        native: "lines",
        id: "key",
        forms: (of) => [
          {
            where: { sublist: "line" },
            entries: [
              of.field("account", "account.id", toAccount),
              netAmount(of),
              of.field("description", "memo", text),
              ...partyAt(of, "entity", "contact", "employee", "project"),
              taxAt(of, "tax_rate", "taxCode"),
              trackingCategories(of),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: { payments: paymentsElsewhere, applied_payments: paymentsElsewhere }
  })
])

/** A debit or a credit, in the currency of the entry. */
const lineOf = ({ signed, taxCode, taxItem, ...line }: Native): Native => {
  const amount = typeof signed === "number" ? signed : 0
  return {
    ...line,
    ...(amount < 0 ? { credit: -amount } : { debit: amount }),
    taxCode: taxCodeOf(getPath(taxCode, "id"), taxItem)
  }
}

/** Which of its lines queries call the main one says nothing of an entry: all but taxes are its own. */
const beside: Part<Native> = (own, connection, records) =>
  Effect.map(allLines(own, connection, records), (linesOf) => ({ id }) => {
    const lines = (linesOf.get(id) ?? []).filter(({ isTax }) => isTax !== true)
    return { subsidiary: lines[0]?.subsidiary, line: { items: lines.map(lineOf) } }
  })

export const journalEntry = (own: Suite) =>
  records(own, mapping, [
    {
      name: "journalEntry",
      list: listed(
        ["Journal"],
        { ...heads({}), joins: [currencyJoin], columns: transactionColumns },
        { ...transactionFilters("transaction"), number: equal("t.tranid") },
        beside
      ),
      sublists: ["line"]
    }
  ])
