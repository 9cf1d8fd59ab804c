import { VendorCreditLine } from "../../canonical/accounting/Nested.ts"
import { constant, readField, lasting } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import { bills, credits } from "./Applications.ts"
import { transaction } from "./Common.ts"
import { boughtLines, boughtSublists } from "./Lines.ts"
import { document } from "./Documents.ts"
import { partyOf } from "./Heads.ts"
import { applications } from "./Links.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import type { Suite } from "./Suite.ts"

/** Credits of vendors. */

const mapping = plainMapping([
  {
    nativeType: "vendorCredit",
    entries: [
      ...transaction("transaction_date"),
      lasting("number", "tranId", text),
      contactAt("entity", "vendor", "vendor"),
      readField("total_amount", "total", number),
      constant("inclusive_of_tax", false),
      boughtLines({ list: "lines", total: "net_amount", shape: VendorCreditLine }),
      credits(bills)
    ]
  }
])

export const vendorCredit = (own: Suite) =>
  records(own, mapping, [
    document({
      name: "vendorCredit",
      codes: ["VendCred"],
      sign: -1,
      sublists: boughtSublists,
      columns: partyOf("entity", "vendor"),
      beside: applications
    })
  ])
