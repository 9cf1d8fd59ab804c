import { Array, Effect } from "effect"
import type { Activity } from "../../canonical/crm/Activity.ts"
import type { Meeting } from "../../canonical/crm/Meeting.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import { exact } from "../Filtering.ts"
import { about, links } from "./Activities.ts"
import { compare, moments, type Said } from "./Conditions.ts"
import { deleted, stamps } from "./Common.ts"
import { fits, isOf } from "./Kinds.ts"
import type { Org } from "./Org.ts"
import { insertion, removal, send } from "./Rows.ts"
import { searched } from "./Search.ts"
import type { SObject, Step } from "./SObjects.ts"
import { isId, isSame, quote, soql } from "./Soql.ts"

// Events, which are meetings and activities.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_event.htm

/**
 * The first contact is the event's own, the others are invited. Where the org shares activities, the first one has a row
 * too.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_eventrelation.htm
 */
const relation = "EventRelation"
const relations = "EventRelations"

const relatedIn = (record: Native): ReadonlyArray<Native> => {
  const rows = getPath(record, `${relations}.records`)
  return natives(rows)
}

const contactsOf = (record: Native): ReadonlyArray<unknown> => {
  const all = [record.WhoId, ...relatedIn(record).map((row) => row.RelationId)]
  return [...new Set(all.filter((id) => isOf("Contact", id)))]
}

const includes = (ids: ReadonlyArray<unknown>, id: unknown) => ids.some((one) => isSame(one, id))

/** Invites and uninvites, so that an event's contacts are the given ones. */
const invite =
  (org: Org): Step =>
  (connection, id, contacts) =>
    Effect.gen(function* () {
      const wanted: ReadonlyArray<unknown> = Array.isArray(contacts) ? contacts : []
      const query = soql(["Id", "RelationId"], relation, [`EventId = ${quote(id)}`], "ORDER BY Id")
      const rows = yield* org.query(connection, `${relation}.list`, query)
      const held = rows.filter(({ RelationId }) => isOf("Contact", RelationId))
      for (const row of held.filter(({ RelationId }) => !includes(wanted, RelationId))) {
        yield* send(org, connection, `${relation}.remove`, removal(relation, String(row.Id)))
      }
      const invited = held.map(({ RelationId }) => RelationId)
      for (const contact of wanted.slice(1).filter((one) => !includes(invited, one))) {
        yield* send(org, connection, `${relation}.create`, insertion(relation, { EventId: id, RelationId: contact }))
      }
    })

const contacts = computed({
  canonical: "contacts",
  native: ["WhoId", relations],
  decode: ({ record }) => contactsOf(record),
  needsCurrent: true,
  encode: (value, encoding) => {
    const { current, prefix, set, step } = encoding
    const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const fitting = given.map((id, i) => fits("Contact", id, `${prefix}contacts.${i}`, encoding))
    if (fitting.includes(false)) return
    const wanted = Array.dedupeWith(given, isSame)
    const held = current === undefined ? [] : contactsOf(current.record)
    if (held.length === wanted.length && held.every((id, i) => isSame(id, wanted[i]))) return
    if (wanted.length > 0 || isOf("Contact", current?.record.WhoId)) set("WhoId", wanted[0] ?? null)
    if (wanted.length > 1 || (current !== undefined && relatedIn(current.record).length > 0)) step("contacts", wanted)
  }
})

const day = 86_400_000
const minute = 60_000

const isAllDay = ({ IsAllDayEvent }: Native) => IsAllDayEvent === true

const momentOf = (value: unknown) => Date.parse(String(value).replace(/\+0000$/, "Z"))

/**
 * The end of an event. An all-day event begins at 0:00 UTC whatever the zone of its user, and its `EndDateTime` is the beginning
 * of its last day; its length has all of its days.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_event.htm
 */
const endOf = (record: Native): unknown => {
  if (!isAllDay(record) || typeof record.EndDateTime !== "string") return record.EndDateTime
  const minutes = Number(record.DurationInMinutes ?? 0)
  const end =
    minutes * minute >= day ? momentOf(record.StartDateTime) + minutes * minute : momentOf(record.EndDateTime) + day
  return Number.isNaN(end) ? record.EndDateTime : new Date(end).toISOString()
}

const isMidnight = (moment: number) => moment % day === 0

/** Writes the times of an all-day event: it stays one if they are whole days, and becomes one with times if not. */
const encodeDays = ({ body, set }: Encoding, held: Native) => {
  const [start, end] = [body.start_time ?? held.StartDateTime, body.end_time ?? endOf(held)]
  const [from, to] = [momentOf(start), momentOf(end)]
  if (from === momentOf(held.StartDateTime) && to === momentOf(endOf(held))) return
  if (isMidnight(from) && isMidnight(to) && to > from) {
    set("StartDateTime", start)
    set("DurationInMinutes", (to - from) / minute)
  } else {
    set("IsAllDayEvent", false)
    set("StartDateTime", start)
    set("EndDateTime", end)
  }
}

const time = <N extends "start_time" | "end_time">(
  of: Entries<N>,
  canonical: N,
  native: ReadonlyArray<string>,
  read: (record: Native) => unknown,
  encode: NonNullable<ComputedEntry["encode"]>
) =>
  of.computed({
    canonical,
    native,
    decode: ({ record }, context) => {
      const value = read(record) ?? null
      return value === null ? null : dateTime.decode(value, context)
    },
    needsCurrent: true,
    encode: (value, encoding) => {
      const { body, current, prefix, warn } = encoding
      if (value === null) {
        if (body[canonical] === null)
          warn(prefix + canonical, "CHANGED", "cannot be cleared: an event has a start and an end")
      } else if (current !== undefined && isAllDay(current.record)) encodeDays(encoding, current.record)
      else encode(value, encoding)
    }
  })

const start = (of: Entries<"start_time">) =>
  time(
    of,
    "start_time",
    ["StartDateTime"],
    ({ StartDateTime }) => StartDateTime,
    (value, { body, current, set }) => {
      set("StartDateTime", value)
      // a start that is moved alone would take the end along
      if (current !== undefined && body.end_time === undefined) set("EndDateTime", current.record.EndDateTime)
    }
  )

const end = (of: Entries<"end_time">) =>
  time(
    of,
    "end_time",
    ["EndDateTime", "IsAllDayEvent", "DurationInMinutes"],
    endOf,
    (value, { body, current, set }) => {
      set("EndDateTime", value)
      if (current !== undefined && body.start_time === undefined) set("StartDateTime", current.record.StartDateTime)
    }
  )

/** Entries that meetings and activities share. */
export const eventEntries = (of: EntriesOf<typeof Activity | typeof Meeting>) => [
  ...stamps(of),
  deleted(of),
  of.field("subject", "Subject", text),
  ...textContent(of, "Description", "a Salesforce event"),
  start(of),
  end(of),
  of.field("owner", "OwnerId", text),
  contacts(of),
  ...about(of)
]

/** The first contact, or one of the others. */
const withContact = exact<Said>(({ text }) => {
  if (!isOf("Contact", text) || !isId(text)) return null
  const invited = `SELECT EventId FROM ${relation} WHERE RelationId = ${quote(text)} AND IsDeleted = false`
  return [compare("WhoId", "=", quote(text)), { soql: `Id IN (${invited})`, fields: ["Id"], isJoin: true }]
})

/** Each invited user has a copy, which is the event's child. */
export const events = (org: Org): SObject => ({
  type: "Event",
  prefix: "00U",
  where: () => "IsChild = false",
  keeping: "archives",
  clauses: {
    ...links,
    contact: withContact,
    ...moments("start", "StartDateTime"),
    q: searched(org, "Event")
  },
  subselects: { [relations]: `(SELECT RelationId FROM ${relations} WHERE IsDeleted = false ORDER BY Id)` },
  steps: { contacts: invite(org) },
  // a start that is moved alone takes the end along
  together: [["StartDateTime", "EndDateTime", "DurationInMinutes", "IsAllDayEvent"]]
})
