import { Array } from "effect"
import type { Activity } from "../../canonical/crm/Activity.ts"
import type { Meeting } from "../../canonical/crm/Meeting.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { text } from "../../mapping/Transform.ts"
import { type Clause, exact } from "../Filtering.ts"
import { moment, owner, stamps } from "./Common.ts"
import { moments, refers, type Saying, word } from "./Criteria.ts"
import { idForm } from "./Rows.ts"

/**
 * Shared by tasks, meetings and calls: the record that they are about, in `What_Id`, of the module that `$se_module` names,
 * and one person in `Who_Id`.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
const modules = { account: "Accounts", opportunity: "Deals" } as const

const idOf = (record: Native | undefined, native: string): string | null => {
  const id = getPath(record, `${native}.id`)
  return typeof id === "string" ? id : null
}

/** The record an activity is about. */
export const about = (of: Entries<"account" | "opportunity">) =>
  oneLink(of, {
    fields: ["account", "opportunity"],
    noun: "an activity",
    native: ["What_Id", "$se_module"],
    idIn: (record, field) => (record.$se_module === modules[field] ? idOf(record, "What_Id") : null),
    write: (link, { set }) => {
      set("What_Id", link === null ? null : { id: link.id })
      if (link !== null) set("$se_module", modules[link.field])
    }
  })

/** A query tells the id of the record that an activity is about, but not its module. */
const onRecord = (module: string): Clause<Saying> =>
  exact(({ text }) =>
    idForm.test(text)
      ? {
          anyOf: [{ coql: `What_Id = '${text}'` }],
          checks: { fields: ["What_Id", "$se_module"], holds: ({ $se_module }) => $se_module === module }
        }
      : null
  )

/** Filters by the record that an activity is about, and by owner. */
export const links = {
  account: onRecord(modules.account),
  opportunity: onRecord(modules.opportunity),
  owner: refers("Owner")
}

/** No query can name the participants of an event. */
export const eventClauses = { ...links, ...moments("start", "Start_DateTime"), q: word }

/** The one person of a call. */
export const person = computed({
  canonical: "contacts",
  native: ["Who_Id"],
  decode: ({ record }) => [idOf(record, "Who_Id") ?? []].flat(),
  encode: (value, { prefix, set, warn }) => {
    const ids: ReadonlyArray<unknown> = Array.isArray(value) ? Array.dedupe(value) : []
    for (const i of ids.keys()) if (i > 0) warn(`${prefix}contacts.${i}`, "NOT_HELD", "a call is with one person only")
    set("Who_Id", ids.length === 0 ? null : { id: ids[0] })
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
 * Users, leads and plain addresses that take part stay. Contacts that are there already stay as they are, with whether they
 * are invited and what they answered. The contact that an event is with is the first of them.
 * https://www.zoho.com/crm/developer/docs/api/v8/update-records.html
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
    const all = natives(current?.record.Participants)
    const others = all.filter((one) => !isContact(one))
    const known = all.filter(isContact)
    set("Participants", [
      ...others,
      ...wanted.map((id) => known.find(({ participant }) => participant === id) ?? { type: "contact", participant: id })
    ])
    const [first] = wanted
    if (idOf(current?.record, "Who_Id") !== null) set("Who_Id", first === undefined ? null : { id: first })
  }
})

/** A calendar event, as a meeting and as an activity: `Events`. */
export const eventEntries = (of: EntriesOf<typeof Activity | typeof Meeting>) => [
  ...stamps(of),
  of.field("subject", "Event_Title", text),
  ...textContent(of, "Description", "a Zoho CRM meeting"),
  of.lasting("start_time", "Start_DateTime", moment),
  of.lasting("end_time", "End_DateTime", moment),
  owner(of),
  ...about(of),
  attendees(of)
]
