import { VendorCredit } from "../../canonical/accounting/VendorCredit.ts"
import { VendorCreditLine } from "../../canonical/accounting/Nested.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import { bills, credits } from "./Applications.ts"
import { transaction } from "./Common.ts"
import { boughtLines, boughtSublists } from "./Lines.ts"
import { equal, refersTo } from "./Conditions.ts"
import { document } from "./Documents.ts"
import { partyOf, transactionFilters } from "./Heads.ts"
import { applications } from "./Links.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import type { Suite } from "./Suite.ts"

/** Credits of vendors. */

const mapping = plainMapping(VendorCredit, (of) => [
  of.variant({
    nativeType: "vendorCredit",
    entries: [
      ...transaction(of, "transaction_date"),
      of.lasting("number", "tranId", text),
      contactAt(of, "vendor", "entity", "vendor"),
      of.readField("total_amount", "total", number),
      of.constant("inclusive_of_tax", false),
      of.lines("lines", boughtLines({ total: "net_amount", shape: VendorCreditLine })),
      credits(of, bills)
    ],
    notHeld: {}
  })
])

export const vendorCredit = (own: Suite) =>
  records(own, mapping, [
    document({
      name: "vendorCredit",
      codes: ["VendCred"],
      sign: -1,
      sublists: boughtSublists,
      columns: partyOf("entity", "vendor"),
      filters: { ...transactionFilters("issued"), number: equal("t.tranid"), contact: refersTo("t.entity", "vendor") },
      beside: applications
    })
  ])
