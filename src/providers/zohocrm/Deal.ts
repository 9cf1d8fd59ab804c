import { computed, field, readField } from "../../mapping/Mapping.ts"
import { date, dateTime, number, percent, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { lookup, moduleMapping, owner, stamps } from "./Common.ts"
import { records } from "./Records.ts"
import { pipelineOf, place, stageOf, statusOfDeal } from "./Stages.ts"

/** Pipeline, stage and status are written together. */
const placed = { lookups: ["pipelines"], encodeLookups: ["pipelines"], needsCurrent: true, encode: place }

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = moduleMapping("Deals", [
  ...stamps,
  field("name", "Deal_Name", text),
  field("description", "Description", text),
  field("amount", "Amount", number),
  // only accounts with several currencies have it, and there every deal has one: left out, it stays as it is
  computed({
    canonical: "currency",
    native: ["Currency"],
    decode: ({ record }) => record.Currency,
    encode: (value, { body, set }) => {
      if (value !== null || body.currency === null) set("Currency", value)
    }
  }),
  computed({
    ...placed,
    canonical: "pipeline",
    native: ["Pipeline"],
    decode: ({ lookups, record }) => pipelineOf(record, lookups?.pipelines)?.id
  }),
  computed({
    ...placed,
    canonical: "stage",
    native: ["Stage", "Pipeline"],
    decode: ({ lookups, record }) => stageOf(record, lookups?.pipelines)
  }),
  computed({
    ...placed,
    canonical: "status",
    native: ["Stage", "Pipeline"],
    decode: ({ lookups, record }) => statusOfDeal(record, lookups?.pipelines)
  }),
  field("close_date", "Closing_Date", date),
  field("probability", "Probability", percent),
  owner,
  field("account", "Account_Name", lookup),
  field("contact", "Contact_Name", lookup),
  readField("last_activity_at", "Last_Activity_Time", dateTime)
])

export const deal = (call: Caller) => ({ ...records(call, mapping), needs: ["stage"] })
