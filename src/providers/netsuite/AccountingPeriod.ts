import { AccountingPeriod } from "../../canonical/accounting/AccountingPeriod.ts"
import { computed } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, text } from "../../mapping/Transform.ts"
import { noCreationTime, undated } from "./Common.ts"
import { beginning, modified } from "./Conditions.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Posting periods. Closing one runs through a checklist in NetSuite; what is written here makes one unusable. */

const status = computed({
  canonical: "status",
  native: ["closed", "isInactive"],
  needsCurrent: true,
  decode: ({ record }) => (record.closed === true || record.isInactive === true ? "INACTIVE" : "ACTIVE"),
  encode: (value, { current, prefix, refuse, set }) => {
    const isClosed = current?.record.closed === true
    if (value === "ACTIVE" && isClosed) refuse(`${prefix}status`, "is closed; open it in NetSuite")
    else if (value !== null && !isClosed) set("isInactive", value === "INACTIVE")
  }
})

const mapping = plainMapping(AccountingPeriod, (of) => [
  of.variant({
    nativeType: "accountingPeriod",
    entries: [
      ...undated(of),
      of.field("name", "periodName", text),
      status(of),
      of.field("start_date", "startDate", date),
      of.field("end_date", "endDate", date)
    ],
    notHeld: { remote_created_at: noCreationTime("accounting periods") }
  })
])

export const accountingPeriod = (own: Suite) =>
  records(own, mapping, [
    {
      name: "accountingPeriod",
      list: {
        select: {
          from: "accountingperiod p",
          columns: {
            id: Query.text("p.id"),
            periodName: Query.text("p.periodname"),
            startDate: Query.day("p.startdate"),
            endDate: Query.day("p.enddate"),
            closed: Query.flag("p.closed"),
            isInactive: Query.flag("p.isinactive"),
            lastModifiedDate: Query.instant("p.lastmodifieddate")
          },
          order: "p.id"
        },
        filters: { ...modified("p.lastmodifieddate"), name: beginning("p.periodname") }
      },
      retires: true
    }
  ])
