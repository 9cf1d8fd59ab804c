import { VendorCreditLine } from "../../canonical/accounting/Nested.ts"
import { constant, readField, lasting } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { bills, credits } from "./Applications.ts"
import { created, transaction } from "./Common.ts"
import { boughtLines, boughtSublists } from "./Lines.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"

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

export const vendorCredit = (call: Caller) =>
  records(call, mapping, [
    {
      name: "vendorCredit",
      table: "transaction",
      where: "type = 'VendCred'",
      created: created.ofTransactions,
      sublists: boughtSublists
    }
  ])
