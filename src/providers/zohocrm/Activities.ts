import { Array } from "effect"
import type { Activity } from "../../canonical/crm/Activity.ts"
import type { Meeting } from "../../canonical/crm/Meeting.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, type Entry, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { always, moment, owner, stamps } from "./Common.ts"

/**
 * What tasks, meetings and calls have in common: the record they are about, in `What_Id`, of the module that
 * `$se_module` names, and one person in `Who_Id`.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
const modules = [
  ["account", "Accounts"],
  ["opportunity", "Deals"]
] as const

const idOf = (record: Native | undefined, native: string): string | null => {
  const id = getPath(record, `${native}.id`)
  return typeof id === "string" ? id : null
}

const isGiven = (body: Encoding["body"], name: string) => body[name] !== undefined && body[name] !== null

/** The record an activity is about, one of each kind of which the body can give. */
export const about = (of: Entries<"account" | "opportunity">): ReadonlyArray<ComputedEntry> =>
  modules.map(([canonical, module]) => {
    const held = (record: Native) => (record.$se_module === module ? idOf(record, "What_Id") : null)
    return of.computed({
      canonical,
      native: ["What_Id", "$se_module"],
      needsCurrent: true,
      decode: ({ record }) => held(record),
      encode: (value, { body, current, prefix, refuse, set }) => {
        const others = modules.map(([other]) => other).filter((other) => other !== canonical && isGiven(body, other))
        if (value !== null && others.length > 0) {
          refuse(prefix + canonical, `cannot be set beside ${others.join(", ")}: an activity is about one record`)
        } else if (value !== null) {
          set("What_Id", { id: value })
          set("$se_module", module)
        } else if (others.length === 0 && current !== undefined && held(current.record) !== null) set("What_Id", null)
      }
    })
  })

/** The one person of a call. */
export const person = computed({
  canonical: "contacts",
  native: ["Who_Id"],
  decode: ({ record }) => [idOf(record, "Who_Id") ?? []].flat(),
  encode: (value, { prefix, refuse, set }) => {
    const ids: ReadonlyArray<unknown> = Array.isArray(value) ? Array.dedupe(value) : []
    if (ids.length > 1) refuse(`${prefix}contacts.1`, "is one person too many: a call is with one only")
    else set("Who_Id", ids.length === 0 ? null : { id: ids[0] })
  }
})

const isContact = ({ type }: Native) => type === "contact"

const attendeesOf = (record: Native): ReadonlyArray<string> => {
  const found = natives(record.Participants)
    .filter(isContact)
    .map(({ participant }) => String(participant))
  return found.length > 0 ? found : [idOf(record, "Who_Id") ?? []].flat()
}

/**
 * Users, leads and mere addresses that take part stay; contacts are invited, so those who are there are not again. The
 * one an event is with is the first of them.
 */
const attendees = computed({
  canonical: "contacts",
  native: ["Participants", "Who_Id"],
  needsCurrent: true,
  decode: ({ record }) => attendeesOf(record),
  encode: (value, { current, set }) => {
    const wanted = Array.isArray(value) ? Array.dedupe(value.map(String)) : []
    const held = current === undefined ? [] : attendeesOf(current.record)
    if (wanted.length === held.length && wanted.every((id, i) => id === held[i])) return
    const others = natives(current?.record.Participants).filter((one) => !isContact(one))
    set("Participants", [...others, ...wanted.map((participant) => ({ type: "contact", participant }))])
    const [first] = wanted
    if (idOf(current?.record, "Who_Id") !== null) set("Who_Id", first === undefined ? null : { id: first })
  }
})

/** A calendar event, as a meeting and as an activity: `Events`. */
export const eventEntries = (of: EntriesOf<typeof Activity | typeof Meeting>): ReadonlyArray<Entry> => [
  ...stamps(of),
  of.field("subject", "Event_Title", text),
  of.field("content", "Description", text),
  always(of, "start_time", "Start_DateTime", moment),
  always(of, "end_time", "End_DateTime", moment),
  owner(of),
  ...about(of),
  attendees(of)
]
