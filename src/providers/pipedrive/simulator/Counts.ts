import type { Account, Doc } from "../../simulation/Account.ts"
import { type Field, worked } from "../../simulation/table/Kind.ts"
import { company } from "./Settings.ts"
import { datetime, integer, text } from "./Values.ts"

type Counted = (account: Account, record: Doc) => unknown

const liveOf = (account: Account, type: string): ReadonlyArray<Doc> =>
  account.all(type).filter(({ is_deleted }) => is_deleted !== true)

/** How many live records of a type lead to a record by a field. */
const count =
  (type: string, link: string, is: (one: Doc) => boolean = () => true): Counted =>
  (account, record) =>
    liveOf(account, type).filter((one) => one[link] === record.id && is(one)).length

/** The activity that is due next, or was done last. */
const activity =
  (link: string, done: boolean): Counted =>
  (account, record) => {
    const found = liveOf(account, "activities")
      .filter((one) => one[link] === record.id && one.done === done && one.due_date !== null)
      .toSorted((a, b) => (String(a.due_date) < String(b.due_date) ? -1 : 1))
    return found.at(done ? -1 : 0)?.id ?? null
  }

const always =
  (value: unknown): Counted =>
  () =>
    value

const activities = (link: string): { readonly [name: string]: Counted } => ({
  next_activity_id: activity(link, false),
  last_activity_id: activity(link, true),
  activities_count: count("activities", link),
  done_activities_count: count("activities", link, ({ done }) => done === true),
  undone_activities_count: count("activities", link, ({ done }) => done !== true),
  notes_count: count("notes", link, ({ active_flag }) => active_flag === true),
  // accounts have no mail, files and followers
  email_messages_count: always(0),
  files_count: always(0),
  followers_count: always(0),
  smart_bcc_email: (_account, record) => `${company.domain}+${link.slice(0, -3)}${String(record.id)}@pipedrivemail.com`
})

const isClosed = ({ status }: Doc) => status !== "open"

const dealsOf = (link: string): { readonly [name: string]: Counted } => ({
  open_deals_count: count("deals", link, ({ status }) => status === "open"),
  closed_deals_count: count("deals", link, isClosed),
  won_deals_count: count("deals", link, ({ status }) => status === "won"),
  lost_deals_count: count("deals", link, ({ status }) => status === "lost"),
  related_open_deals_count: always(0),
  related_closed_deals_count: always(0),
  related_won_deals_count: always(0),
  related_lost_deals_count: always(0)
})

const mail = { last_incoming_mail_time: always(null), last_outgoing_mail_time: always(null) }

/** Fields that are worked out when `include_fields` asks for them. */
const optional = (all: { readonly [code: string]: Counted }): ReadonlyArray<Field> =>
  Object.entries(all).map(([code, compute]) => ({
    ...worked(
      code,
      code.replaceAll("_", " "),
      code.endsWith("_time") ? datetime : code === "smart_bcc_email" ? text() : integer(),
      compute
    ),
    isOptional: true
  }))

export const counts = {
  persons: optional({
    ...activities("person_id"),
    ...dealsOf("person_id"),
    ...mail,
    participant_open_deals_count: always(0),
    participant_closed_deals_count: always(0)
  }),
  organizations: optional({
    ...activities("org_id"),
    ...dealsOf("org_id"),
    people_count: count("persons", "org_id")
  }),
  deals: optional({
    ...activities("deal_id"),
    ...mail,
    first_won_time: (_account, record) => record.won_time ?? null,
    products_count: always(0),
    participants_count: (_account, record) => (record.person_id === null ? 0 : 1),
    source_lead_id: always(null)
  }),
  activities: []
}
