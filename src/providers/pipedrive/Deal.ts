import { Deal } from "../../canonical/crm/Deal.ts"
import { computed } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { enumeration, number, percent, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, mappingOf, noActivityTime, numericId, stamps } from "./Common.ts"
import { link, named, search, stamped } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { dayInZone, isZone, startOfDay } from "../../mapping/Zones.ts"

const statuses = { open: "OPEN", won: "WON", lost: "LOST" }

const closings = new Map<unknown, string>([
  ["won", "won_time"],
  ["lost", "lost_time"]
])

type Lookups = { readonly [name: string]: unknown } | undefined

const zoneIn = (lookups: Lookups) => (isZone(lookups?.timeZone) ? lookups.timeZone : undefined)

/** Days of closing as Pipedrive reckons them. */
const localDays: { readonly [closing: string]: string } = { won_time: "local_won_date", lost_time: "local_lost_date" }

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null)

/** The day of a closing time in the account's time zone; where that is not known, the day that Pipedrive says. */
const closingDayOf = (record: Native, closing: string, lookups: Lookups): string | null => {
  const moment = Date.parse(textOf(record[closing]) ?? "")
  if (Number.isNaN(moment)) return null
  const zone = zoneIn(lookups)
  if (zone !== undefined) return dayInZone(moment, zone)
  return textOf(record[localDays[closing] ?? ""]) ?? dayInZone(moment, "UTC")
}

const closeDateOf = (record: Native, lookups: Lookups) => {
  const closing = closings.get(record.status)
  return closing === undefined
    ? textOf(record.expected_close_date)?.slice(0, 10)
    : closingDayOf(record, closing, lookups)
}

/**
 * The expected day while the deal is open, then the day it was won or lost on. Times are in UTC, days in the account's zone.
 * https://pipedrive.readme.io/docs/core-api-concepts-date-format
 */
const closeDate = computed({
  canonical: "close_date",
  native: ["expected_close_date", "won_time", "lost_time", "local_won_date", "local_lost_date", "status"],
  lookups: ["timeZone"],
  encodeLookups: ["timeZone"],
  needsCurrent: true,
  decode: ({ lookups, record }) => closeDateOf(record, lookups),
  encode: (value, { current, get, lookups, set }) => {
    const closing = closings.get(get("status"))
    if (closing === undefined) set("expected_close_date", value)
    // a closed deal is never without the time, and keeps its hour unless the day changes
    else if (value !== null && (current === undefined || value !== closingDayOf(current.record, closing, lookups))) {
      const start = new Date(startOfDay(String(value), zoneIn(lookups) ?? "UTC"))
      set(closing, `${start.toISOString().slice(0, 19)}Z`)
    }
  }
})

/** https://developers.pipedrive.com/docs/api/v1/Deals */
const mapping = mappingOf(Deal, "custom_fields", (of) => [
  of.variant({
    nativeType: "deals",
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("name", "title", text),
      of.field("amount", "value", number),
      of.lasting("currency", "currency", text),
      of.lasting("pipeline", "pipeline_id", numericId),
      of.lasting("stage", "stage_id", numericId),
      of.lasting("status", "status", enumeration("status", statuses)),
      closeDate(of),
      of.field("probability", "probability", percent),
      of.lasting("owner", "owner_id", numericId),
      of.field("account", "org_id", numericId),
      of.field("contact", "person_id", numericId)
    ],
    notHeld: {
      description: "Pipedrive deals have no description.",
      last_activity_at: noActivityTime
    }
  })
])

/** Archived deals are a list of their own and cannot be edited: the resource does not list them. */
export const deal = (call: Caller): ResourceAdapter =>
  objects(call, mapping, {
    filters: {
      ...stamped,
      include_deleted: exact(() => ({ hasDeleted: true })),
      name: named("title"),
      account: link("org_id"),
      contact: link("person_id"),
      owner: link("owner_id"),
      pipeline: link("pipeline_id"),
      stage: link("stage_id"),
      status: exact(({ values }) => {
        const states = Object.entries(statuses).flatMap(([native, status]) => (values.includes(status) ? [native] : []))
        return { states, keeps: ({ status }) => states.some((state) => state === status) }
      }),
      q: search
    }
  })
