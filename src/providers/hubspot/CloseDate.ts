import { Effect } from "effect"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"
import { dayInZone, isZone, startOfDay } from "../../mapping/Zones.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"

const utc = "UTC"

const zoneOf = (lookups: { readonly [name: string]: unknown } | undefined): string => {
  const zone = lookups?.time_zone
  return isZone(zone) ? zone : utc
}

/**
 * The time zone of an account, in which its users see days. Where the account information may not be read, days are those
 * in UTC.
 * https://developers.hubspot.com/docs/api-reference/account-account-info-v3/guide
 */
export const loadTimeZone = (call: Caller, connection: ConnectionRef) => {
  const request: Call = { operation: "account.details", method: "GET", path: "/account-info/v3/details" }
  return call(connection, request).pipe(
    Effect.map(({ body }) => getPath(body, "timeZone") ?? utc),
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotPermitted" || reason._tag === "Missing",
      () => Effect.succeed(utc)
    )
  )
}

const property = "properties.closedate"

/** The day on which a deal closes, which HubSpot keeps as a moment. A moment whose day does not change is not written. */
export const closeDate = (of: Entries<"close_date">): ComputedEntry<"close_date"> => {
  const dayOf = (record: unknown, zone: string) => {
    const moment = dateTime.decode(getPath(record, property) ?? "", { reference: () => "" })
    return typeof moment === "string" ? dayInZone(Date.parse(moment), zone) : null
  }
  return of.computed({
    canonical: "close_date",
    native: [property],
    lookups: ["time_zone"],
    encodeLookups: ["time_zone"],
    needsCurrent: true,
    decode: ({ lookups, record }) => dayOf(record, zoneOf(lookups)),
    encode: (value, { current, lookups, set }) => {
      const zone = zoneOf(lookups)
      const before = current === undefined ? null : dayOf(current.record, zone)
      if (before === value) return
      set(property, value === null ? "" : new Date(startOfDay(String(value), zone)).toISOString())
    }
  })
}
