import { VendorCredit } from "../../canonical/accounting/VendorCredit.ts"
import { VendorCreditLine } from "../../canonical/accounting/Nested.ts"
import { type Encoding, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number } from "../../mapping/Transform.ts"
import { applications, applying } from "./Applications.ts"
import { toVendor, trackingCategories } from "./Common.ts"
import { days, equal, refersTo } from "./Conditions.ts"
import { document, documentNumber, exchangeRate, inclusiveOfTax, note, party, withParty } from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { boughtLines } from "./Lines.ts"
import { postsByDate } from "./NotHeld.ts"
import { creditBillPayments, ofBills } from "./Settlements.ts"

/**
 * Credits from vendors.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/vendorcredit
 */

/** Also a bill payment of no amount names the account it is from. */
const fromBank = ({ get, lookups, prefix, refuse }: Encoding): Native => {
  const banks = natives(lookups.accounts).filter((one) => one.AccountType === "Bank")
  const bank = banks.find((one) => one.Currency === get("CurrencyRef.value")) ?? banks[0]
  if (bank === undefined) refuse(`${prefix}applied_to_lines`, "needs a bank account in the books")
  return { PayType: "Check", CheckPayment: { BankAccountRef: { value: bank?.Id } } }
}

const mapping = plainMapping(VendorCredit, (of) => [
  of.variant({
    nativeType: "VendorCredit",
    entries: [
      ...document(of, "transaction_date"),
      documentNumber(of, "number"),
      party(of, "vendor", "VendorRef", toVendor),
      exchangeRate(of),
      note(of),
      inclusiveOfTax(of),
      of.lines("lines", boughtLines({ total: "net_amount", shape: VendorCreditLine })),
      trackingCategories(of, { Department: "DepartmentRef" }),
      of.readField("total_amount", "TotalAmt", number),
      applications(of, ofBills, "billPayments", fromBank)
    ],
    notHeld: { accounting_period: postsByDate }
  })
])

export const vendorCredit = (books: Books) => ({
  ...entities(books, mapping, [
    {
      name: "VendorCredit",
      removal: "delete",
      parts: { billPayments: creditBillPayments },
      filters: { number: equal("DocNumber"), contact: refersTo("VendorRef", "Vendor"), ...days("TxnDate", "issued") },
      steps: { apply: applying(ofBills, "billPayments") }
    }
  ]),
  related: withParty(books, "vendor")
})
