import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { isDay } from "../../simulation/Period.ts"
import {
  type Field,
  type Kind,
  kept,
  may,
  must,
  type Rule,
  set,
  shown,
  worked,
  write
} from "../../simulation/table/Kind.ts"
import { anyText, equal, type Filter, flag, formed, listed, where } from "../../simulation/table/Query.ts"
import * as V from "../../simulation/table/Value.ts"
import { someFields } from "./Answers.ts"
import { leadStatuses, me, opportunityStatuses, organization, pipelines, stamp, users } from "./Settings.ts"

const text = V.text("text")
const integer = V.number("integer", { whole: true })
const idsOf = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)
const user = V.choice("user", idsOf(users))
const nameOfUser = (id: unknown) => {
  const found = users.find((one) => one.id === id)
  return found === undefined ? null : `${found.first_name} ${found.last_name}`
}

/** A moment as it is kept. */
const momentOf = (value: string) => {
  const time = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : NaN
  return Number.isNaN(time) ? undefined : stamp(time)
}

/** A day; what a moment says besides is not kept. */
const day = V.formed("date", "date", (value) => (isDay(value.slice(0, 10)) ? value.slice(0, 10) : undefined))

const dayOrMoment = V.formed("date", "date", (value) => (isDay(value) ? value : momentOf(value)))

const timeOf = (text: string) => {
  const time = isDay(text) || momentOf(text) !== undefined ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}

/** Lists records at a time, before or after it. https://developer.close.com/api/overview/filter-parameters */
const times = (field: string): ReadonlyArray<Filter> =>
  Object.entries({
    gte: (time: number, bound: number) => time >= bound,
    gt: (time: number, bound: number) => time > bound,
    lte: (time: number, bound: number) => time <= bound,
    lt: (time: number, bound: number) => time < bound
  }).map(([operator, fits]) =>
    where(`${field}__${operator}`, formed("date", timeOf), (record, bound) =>
      fits(Date.parse(String(record[field])), bound)
    )
  )

/** The name of the record that another is linked to. */
const named = (link: string, type: string) => (account: Account, record: Doc) =>
  (record[link] === null ? undefined : account.get(type, String(record[link])))?.name ?? null

const inList =
  ({ fields, name }: Kind) =>
  (account: Account, record: Doc) =>
    account
      .all(name)
      .filter(({ lead_id }) => lead_id === record.id)
      .map((one) => shown(account, fields, one))

const today = ({ now }: Account) => stamp(now).slice(0, 10)

/** Fields of all records. */
const kind = (name: string, prefix: string, own: ReadonlyArray<Field>, rest: Partial<Kind> = {}): Kind => {
  const fields = [
    set("id", "ID", text),
    ...own,
    set("organization_id", "Organization", text, organization.id),
    set("created_by", "Created by", user, me.id),
    set("updated_by", "Updated by", user, me.id),
    set("date_created", "Created", text),
    set("date_updated", "Updated", text)
  ]
  return {
    name,
    fields,
    // in the order in which they were made
    nextId: (account) => `${prefix}_${String(account.nextId()).padStart(43, "0")}`,
    made: (account) => ({ date_created: stamp(account.now) }),
    stamps: (account) => ({ updated_by: me.id, date_updated: stamp(account.now) }),
    sorts: [],
    filters: [equal("lead_id", anyText)],
    view: someFields(fields),
    ...rest
  }
}

/** Custom fields that the organization has, under flat keys. https://developer.close.com/api/resources/custom-fields */
const customFields = (kind: string): ReadonlyArray<Field> =>
  ["Tier", "Region"].map((name) => may(`custom.cf_${kind}${name}7dR5MkL8sWuCiG8cUleO9c`, name, text))

/** Makes a lead for a record that names none. */
const withLead =
  (nameOf: (after: Doc) => unknown): Rule =>
  ({ account, after }) =>
    (after.lead_id ?? null) === null
      ? Either.map(write(account, lead, { name: nameOf(after) }), ({ id }) => ({ ...after, lead_id: id }))
      : Either.right(after)

const leadOnce: Field = { ...must("lead_id", "Lead", V.link("lead", "lead")), writes: "create" }

// https://developer.close.com/api/resources/contacts

/** Numbers are kept without what stands between digits; one without `+` is of a country that the account knows. */
const phone = V.formed("phone", "phone", (value) => value.replace(/(?!^\+)\D/g, "") || undefined)

/** Addresses of one sort with their labels. */
const points = (code: string, name: string, value: V.Value, more: { readonly [part: string]: V.Value } = {}) => {
  const parts = { [value.as]: value, type: V.text("text", { filled: true }), ...more }
  const blank = { type: "office", ...Object.fromEntries(Object.keys(more).map((part) => [part, false])) }
  return kept(code, name, V.list("list", V.object("object", parts, [value.as], blank)), [])
}

export const contact = kind(
  "contact",
  "cont",
  [
    may("name", "Name", text),
    may("title", "Title", text),
    leadOnce,
    points("emails", "Emails", V.text("email", { filled: true, most: 254 }), { is_unsubscribed: V.flag("flag") }),
    points("phones", "Phones", phone),
    points("urls", "URLs", V.text("url", { filled: true })),
    worked("display_name", "Display name", text, (_account, { name }) => name ?? ""),
    set("integration_links", "Integration links", text, []),
    ...customFields("contact")
  ],
  { rules: [withLead(({ name }) => name)] }
)

// https://developer.close.com/api/resources/opportunities

const statusOf = ({ status_id }: Doc) => opportunityStatuses.find(({ id }) => id === status_id)

/** The status says the pipeline; a pipeline alone means its first status. Winning and losing have their days. */
const settle: Rule = ({ account, after, before, given }) => {
  const first = opportunityStatuses.find(({ pipeline_id }) => pipeline_id === after.pipeline_id)
  const settled = given.status_id === undefined && before === undefined ? { ...after, status_id: first?.id } : after
  const status = statusOf(settled)
  if (given.pipeline_id !== undefined && status?.pipeline_id !== given.pipeline_id) {
    return Either.left([{ path: "status_id", complaint: { is: "choice", choices: [] } }])
  }
  const isLost = status?.type === "lost"
  return Either.right({
    ...settled,
    pipeline_id: status?.pipeline_id,
    date_won: after.date_won ?? (status?.type === "won" ? today(account) : null),
    date_lost: isLost ? (before?.date_lost ?? stamp(account.now)) : null
  })
}

const currency = new Intl.NumberFormat("en", { style: "currency", currency: organization.currency })

const shareOf = ({ confidence, value }: Doc) =>
  typeof value === "number" ? Math.round((value * Number(confidence)) / 100) : null

export const opportunity = kind(
  "opportunity",
  "oppo",
  [
    leadOnce,
    may("contact_id", "Contact", V.link("contact", "contact")),
    kept("user_id", "User", user, me.id),
    kept("status_id", "Status", V.choice("status", idsOf(opportunityStatuses)), null),
    { ...kept("pipeline_id", "Pipeline", V.choice("pipeline", idsOf(pipelines)), pipelines[0]?.id), writes: "create" },
    may("value", "Value", V.number("integer", { least: 0, whole: true })),
    kept("value_period", "Period", V.choice("period", ["one_time", "monthly", "annual"]), "one_time"),
    kept("confidence", "Confidence", V.number("integer", { least: 0, most: 100, whole: true }), 50),
    may("note", "Note", text),
    may("date_won", "Won on", day),
    set("date_lost", "Lost on", text),
    worked("value_currency", "Currency", text, () => organization.currency),
    worked("value_formatted", "Formatted value", text, (_account, { value }) =>
      typeof value === "number" ? currency.format(value / 100).replace(".00", "") : null
    ),
    worked("expected_value", "Expected value", integer, (_account, record) => shareOf(record)),
    worked("annualized_value", "Annualized value", integer, (_account, { value, value_period }) =>
      typeof value === "number" ? value * (value_period === "monthly" ? 12 : 1) : null
    ),
    worked("annualized_expected_value", "Annualized expected value", integer, (_account, record) => {
      const share = shareOf(record)
      return share === null ? null : share * (record.value_period === "monthly" ? 12 : 1)
    }),
    worked("status_label", "Status label", text, (_account, record) => statusOf(record)?.label),
    worked("status_display_name", "Status name", text, (_account, record) => statusOf(record)?.label),
    worked("status_type", "Status type", text, (_account, record) => statusOf(record)?.type),
    worked("pipeline_name", "Pipeline name", text, (_account, record) => statusOf(record)?.pipeline_name),
    worked("user_name", "User name", text, (_account, { user_id }) => nameOfUser(user_id)),
    worked("lead_name", "Lead name", text, named("lead_id", "lead")),
    worked("contact_name", "Contact name", text, named("contact_id", "contact")),
    ...customFields("opportunity")
  ],
  {
    rules: [withLead(() => null), settle],
    sorts: ["date_created", "date_updated", "date_won", "confidence", "value"],
    filters: [
      ...["lead_id", "user_id", "status_id"].map((name) => equal(name, anyText)),
      where("status_type", anyText, (record, type) => statusOf(record)?.type === type),
      where("status_type__in", listed(100, anyText), (record, types) => types.includes(statusOf(record)?.type ?? "")),
      ...["date_created", "date_updated", "date_won"].flatMap(times)
    ]
  }
)

// https://developer.close.com/api/resources/tasks

/** A task without a date shows the day it was made on. */
const date: Rule = ({ account, after, before, given }) => {
  const isDateless =
    given.is_dateless === true || (given.date === undefined && (before === undefined || before.is_dateless === true))
  const shown = before?.is_dateless === true ? before.date : today(account)
  return Either.right({ ...after, is_dateless: isDateless, date: isDateless ? shown : after.date })
}

export const task = kind(
  "task",
  "task",
  [
    { ...kept("_type", "Type", V.choice("type", ["lead", "outgoing_call"]), "lead"), writes: "create" },
    leadOnce,
    must("text", "Text", V.text("text", { filled: true })),
    kept("assigned_to", "Assigned to", user, me.id),
    kept("date", "Date", dayOrMoment, null),
    kept("is_dateless", "Dateless", V.flag("flag"), false),
    kept("is_complete", "Complete", V.flag("flag"), false),
    set("contact_id", "Contact", text),
    set("object_type", "Object type", text),
    set("object_id", "Object", text),
    worked("due_date", "Due date", text, (_account, one) => (one.is_dateless === true ? null : one.date)),
    worked("view", "View", text, (account, one) => {
      if (one.is_complete === true) return "archive"
      return String(one.date) > today(account) ? "future" : "inbox"
    }),
    worked("lead_name", "Lead name", text, named("lead_id", "lead")),
    worked("assigned_to_name", "Assignee", text, (_account, { assigned_to }) => nameOfUser(assigned_to))
  ],
  {
    rules: [date],
    sorts: ["date", "date_created"],
    filters: [
      ...["lead_id", "assigned_to"].map((name) => equal(name, anyText)),
      equal("is_complete", flag),
      ...["date", "date_created", "date_updated"].flatMap(times),
      {
        names: ["_type"],
        // other tasks come only when they are asked for
        read: (query) => {
          const type = query("_type") ?? "lead"
          return Either.right((one) => type === "all" || one._type === type)
        }
      }
    ]
  }
)

// https://developer.close.com/api/resources/activities/notes

const characters: { readonly [reference: string]: string } = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&nbsp;": "\u00A0"
}

/** The plain form of HTML: an approximation, whose lines differ from what a browser shows. */
const plainOf = (html: unknown) =>
  String(html)
    .replace(/<br\s*\/?>|<\/(?:p|li|h\d)>(?!\s*<\/)/g, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(?:lt|gt|amp|nbsp);/g, (reference) => characters[reference] ?? reference)

const escaped = (plain: unknown) =>
  String(plain).replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;" })[letter] ?? "&gt;")

/**
 * Text and HTML say the same: a write of one sets the other, and HTML goes first. Line breaks of text become tags.
 * https://developer.close.com/api/resources/activities/notes
 */
const bothForms: Rule = ({ after, given }) => {
  if (given.note_html === null) return Either.right({ ...after, note: null })
  if (given.note_html !== undefined) return Either.right({ ...after, note: plainOf(after.note_html) })
  if (given.note === undefined) return Either.right(after)
  if (given.note === null || given.note === "") return Either.right({ ...after, note_html: null })
  return Either.right({ ...after, note_html: `<body><p>${escaped(given.note).split("\n").join("<br />")}</p></body>` })
}

/** Must be a body element. https://developer.close.com/api/overview/rich-text */
const richText = V.formed("html", "body element", (html) => (/^<body>[^]*<\/body>$/.test(html) ? html : undefined))

export const note = kind(
  "activity/note",
  "acti",
  [
    set("_type", "Type", text, "Note"),
    leadOnce,
    may("contact_id", "Contact", V.link("contact", "contact")),
    { ...kept("user_id", "User", user, me.id), writes: "create" },
    may("note", "Note", text),
    may("note_html", "Note as HTML", richText),
    may("title", "Title", text),
    kept("pinned", "Pinned", V.flag("flag"), false),
    may("activity_at", "Happened at", V.formed("moment", "date", momentOf)),
    set("attachments", "Attachments", text, []),
    worked("users", "Users", text, (_account, { user_id }) => [user_id]),
    worked("user_name", "User name", text, (_account, { user_id }) => nameOfUser(user_id))
  ],
  {
    rules: [bothForms],
    // newest first
    all: (account) => account.all("activity/note").toReversed(),
    filters: [
      ...["lead_id", "contact_id", "user_id"].map((name) => equal(name, anyText)),
      ...["date_created", "activity_at"].flatMap(times)
    ],
    view: { names: [], read: () => Either.right((account, record) => showNote(account, record)) }
  }
)

const showNote = (account: Account, record: Doc): Doc =>
  Object.fromEntries(
    note.fields.map(({ code, compute, initial }) => [code, compute?.(account, record) ?? record[code] ?? initial])
  )

// https://developer.close.com/api/resources/leads

const addressParts = ["label", "address_1", "address_2", "city", "state", "zipcode", "country"]

const address = V.object("address", Object.fromEntries(addressParts.map((part) => [part, text])), [], {
  label: "business"
})

export const lead: Kind = kind(
  "lead",
  "lead",
  [
    may("name", "Name", text),
    may("description", "Description", text),
    may("url", "URL", text),
    kept("addresses", "Addresses", V.list("list", address), []),
    kept("status_id", "Status", V.choice("status", idsOf(leadStatuses)), leadStatuses[0]?.id),
    worked(
      "status_label",
      "Status label",
      text,
      (_account, { status_id }) => leadStatuses.find(({ id }) => id === status_id)?.label
    ),
    worked("display_name", "Display name", text, (_account, { name }) => name ?? "Untitled"),
    worked("html_url", "Address", text, (_account, { id }) => `https://app.close.com/lead/${String(id)}/`),
    worked("contact_ids", "Contact ids", text, (account, record) =>
      inList(contact)(account, record).map(({ id }) => id)
    ),
    worked("contacts", "Contacts", text, inList(contact)),
    worked("opportunities", "Opportunities", text, inList(opportunity)),
    worked("tasks", "Tasks", text, (account, record) =>
      inList(task)(account, record).filter(({ is_complete }) => is_complete !== true)
    ),
    set("integration_links", "Integration links", text, []),
    ...customFields("lead")
  ],
  {
    filters: [],
    // a lead's records go with it
    removed: (account, { id }) => {
      for (const { name } of [contact, opportunity, task, note])
        for (const record of account.all(name)) if (record.lead_id === id) account.remove(name, String(record.id))
      return undefined
    }
  }
)

export const kinds = [lead, contact, opportunity, task, note]
