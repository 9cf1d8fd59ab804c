import { Deal } from "../../canonical/crm/Deal.ts"
import { date, dateTime, number, percent, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { lookup, moduleMapping, owner, stamps } from "./Common.ts"
import { records } from "./Records.ts"
import { pipelineOf, place, stageOf, statusOfDeal } from "./Stages.ts"

/** Pipeline, stage and status are written together. */
const placed = { lookups: ["pipelines"], encodeLookups: ["pipelines"], needsCurrent: true, encode: place }

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = moduleMapping(Deal, "Deals", (of) => [
  ...stamps(of),
  of.field("name", "Deal_Name", text),
  of.field("description", "Description", text),
  of.field("amount", "Amount", number),
  // only accounts with several currencies have it, and there every deal has one: left out, it stays as it is
  of.computed({
    canonical: "currency",
    native: ["Currency"],
    decode: ({ record }) => record.Currency,
    encode: (value, { body, set }) => {
      if (value !== null || body.currency === null) set("Currency", value)
    }
  }),
  of.computed({
    ...placed,
    canonical: "pipeline",
    native: ["Pipeline"],
    decode: ({ lookups, record }) => pipelineOf(record, lookups?.pipelines)?.id
  }),
  of.computed({
    ...placed,
    canonical: "stage",
    native: ["Stage", "Pipeline"],
    decode: ({ lookups, record }) => stageOf(record, lookups?.pipelines)
  }),
  of.computed({
    ...placed,
    canonical: "status",
    native: ["Stage", "Pipeline"],
    decode: ({ lookups, record }) => statusOfDeal(record, lookups?.pipelines)
  }),
  of.field("close_date", "Closing_Date", date),
  of.field("probability", "Probability", percent),
  owner(of),
  of.field("account", "Account_Name", lookup),
  of.field("contact", "Contact_Name", lookup),
  of.readField("last_activity_at", "Last_Activity_Time", dateTime)
])

export const deal = (call: Caller) => ({ ...records(call, mapping), needs: ["stage"] })
