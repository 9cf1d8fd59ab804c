import { JournalEntry } from "../../canonical/accounting/JournalEntry.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import {
  amount,
  codedAccount,
  company,
  identity,
  mappingOf,
  reasons,
  toTaxRate,
  tracking,
  trackingOfLines,
  xeroDay
} from "./Common.ts"
import { byDay, endOf, inclusiveOfTax, status } from "./Documents.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Manual journals, always in the base currency. An archived one is posted, and only hidden from the list of posted journals:
 * https://help.xero.com/au/ManualJournals-VoidArchive One made void is gone: the resource has no word for it. Lines have no ids of
 * their own, and are known by their place.
 * https://developer.xero.com/documentation/api/accounting/manualjournals
 */

const currency = computed({
  canonical: "currency",
  native: [],
  lookups: ["organisation"],
  encodeLookups: ["organisation"],
  decode: ({ lookups }) => getPath(lookups, "organisation.BaseCurrency"),
  encode: (value, { lookups, prefix, refuse }) => {
    const base = getPath(lookups, "organisation.BaseCurrency")
    if (value !== null && value !== base) refuse(`${prefix}currency`, `is ${String(base)}: journals are in no other`)
  }
})

const noSettlement = "Xero sets payments against invoices and credits, never against manual journals."

const mapping = mappingOf(JournalEntry, (of) => [
  of.variant({
    nativeType: "ManualJournal",
    entries: [
      ...identity(of, "ManualJournalID"),
      of.lasting("transaction_date", "Date", xeroDay),
      of.lasting("memo", "Narration", text),
      currency(of),
      of.constant("exchange_rate", "1.0"),
      company(of),
      inclusiveOfTax(of),
      status(of, "posting_status", {
        read: { DRAFT: "UNPOSTED", POSTED: "POSTED", ARCHIVED: "POSTED" },
        write: { UNPOSTED: "DRAFT", POSTED: "POSTED" },
        ways: { new: ["DRAFT", "POSTED"], DRAFT: ["POSTED"] }
      }),
      of.lines("lines", {
        native: "JournalLines",
        id: "Place",
        forms: (of) => [
          {
            where: {},
            entries: [
              codedAccount(of, "account", "AccountCode", "AccountID"),
              amount(of, "net_amount", "LineAmount"),
              of.field("description", "Description", text),
              of.field("tax_rate", "TaxType", toTaxRate),
              tracking(of),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      trackingOfLines(of, "JournalLines")
    ],
    notHeld: {
      remote_created_at: reasons.created,
      journal_number: "Xero numbers the journals of its general ledger, not the manual journals behind them.",
      accounting_period: reasons.period,
      payments: noSettlement,
      applied_payments: noSettlement
    }
  })
])

const placed = (record: Native): Native => ({
  ...record,
  JournalLines: natives(record.JournalLines).map((line, i) => ({ ...line, Place: String(i + 1) }))
})

const unplaced = (record: Native): Native =>
  Array.isArray(record.JournalLines)
    ? {
        ...record,
        // the tax is reckoned again
        JournalLines: natives(record.JournalLines).map(({ Place: _place, TaxAmount: _tax, ...line }) => line)
      }
    : record

export const manualJournals: Kind = {
  nativeType: "ManualJournal",
  endpoint: "ManualJournals",
  id: "ManualJournalID",
  pages: true,
  filters: byDay("transaction"),
  ended: ["DELETED", "VOIDED"],
  stamp: "UpdatedDateUTC",
  read: placed,
  write: unplaced,
  always: ({ Narration }) => ({ Narration }),
  ending: (record) => ({ Status: endOf(record) })
}

export const journalEntry = (call: Caller) => ({ ...objects(call, mapping, manualJournals), needs: ["memo"] })
