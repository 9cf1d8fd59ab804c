import { Either } from "effect"
import { isDay } from "../../simulation/Period.ts"
import { type Problem, refused } from "../../simulation/table/Complaint.ts"
import { type Kind, kept, must, recordOf, type Rule, set, type Show } from "../../simulation/table/Kind.ts"
import { anyText, equal, formed, oneOf, where } from "../../simulation/table/Query.ts"
import { routesOf, type Style } from "../../simulation/table/Routes.ts"
import * as Value from "../../simulation/table/Value.ts"
import { failure, ok, said, stamp, timeOf, v1Style, v1Time } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { links, updatedSince } from "./Filters.ts"
import { leads } from "./Leads.ts"
import { me, users } from "./Settings.ts"
import * as V from "./Values.ts"

// Notes: https://developers.pipedrive.com/docs/api/v1/Notes

const info = "Please check developers.pipedrive.com for more information about Pipedrive API."

/** Records that a note may hang on: the field, its records, and the words in the fields around it. */
const parents = [
  ["deal_id", entities.deals, "deal", "title"],
  ["person_id", entities.persons, "person", "name"],
  ["org_id", entities.organizations, "organization", "name"],
  ["lead_id", leads, "lead", "title"]
] as const

const pinOf = (word: string) => `pinned_to_${word}_flag`

/** A record to hang on, by its id as a number or as text. */
const parent = (kind: Kind): Value.Value => ({
  as: "int",
  links: [kind.name],
  check: (value, account) => {
    const found = recordOf(account, kind, String(value))
    return found === undefined || kind.isGone?.(found) === true ? Either.left({ is: "absent" }) : Either.right(found.id)
  }
})

const pin: Value.Value = {
  as: "boolean",
  check: (value) =>
    value === 0 || value === 1 ? Either.right(value === 1) : Either.left({ is: "choice", choices: [0, 1] })
}

/** Elements that no note keeps, with what is in them. */
const sanitized = (html: string) => html.replace(/<(script|style|iframe|object)\b[^>]*>.*?<\/\1\s*>/gis, "")

const content = Value.text("text", { filled: true, most: 100_000 })

const day = formed("date", (text) => (isDay(text) ? text : undefined))

/** Writes of notes that hang on nothing are refused. */
const hangs: Rule = ({ after }) =>
  after.content !== null && parents.every(([field]) => after[field] === null)
    ? refused("One of deal_id, person_id, org_id, lead_id, project_id or task_id must be given.")
    : Either.right(after)

const show: Show = (account, note) => {
  const author = users.find(({ id }) => id === note.user_id)
  return {
    ...note,
    add_time: v1Time(note.add_time),
    update_time: v1Time(note.update_time),
    project_id: null,
    project: null,
    task_id: null,
    task: null,
    pinned_to_project_flag: false,
    pinned_to_task_flag: false,
    ...Object.fromEntries(
      parents
        .filter(([field]) => field !== "lead_id")
        .map(([field, { name }, word, title]) => {
          const on = note[field] === null ? undefined : account.get(name, String(note[field]))
          return [word, on === undefined ? null : { [title]: on[title] }]
        })
    ),
    user:
      author === undefined
        ? null
        : { email: author.email, icon_url: null, is_you: author.id === me.id, name: author.name }
  }
}

export const notes: Kind = {
  name: "notes",
  fields: [
    set("id", "ID", V.integer()),
    must("content", "Content", {
      ...content,
      check: (value, account) => Either.map(content.check(value, account), (text) => sanitized(String(text)))
    }),
    kept("user_id", "User", V.owner, me.id),
    kept(
      "add_time",
      "Add time",
      Value.formed("date", "YYYY-MM-DD HH:MM:SS", (text) => timeOf(`${text.replace(" ", "T")}Z`)),
      null
    ),
    set("update_time", "Update time", V.datetime),
    set("active_flag", "Active", V.flag, true),
    set("last_update_user_id", "Last updated by", V.owner),
    ...parents.flatMap(([field, kind, word]) => [
      kept(field, word, parent(kind), null),
      kept(pinOf(word), `Pinned to ${word}`, pin, false)
    ])
  ],
  rules: [hangs],
  made: (account) => ({ add_time: stamp(account.now) }),
  stamps: (account, before) => ({
    update_time: stamp(account.now),
    last_update_user_id: before === undefined ? null : me.id
  }),
  isGone: ({ active_flag }) => active_flag !== true,
  removed: (account, note) => ({ ...note, active_flag: false, update_time: stamp(account.now) }),
  sorts: ["id", "user_id", "deal_id", "person_id", "org_id", "content", "add_time", "update_time"],
  filters: [
    ...links("user_id", "deal_id", "person_id", "org_id"),
    equal("lead_id", anyText),
    ...parents.map(([, , word]) =>
      where(pinOf(word), oneOf(["0", "1"]), (note, value) => note[pinOf(word)] === (value === "1"))
    ),
    where("start_date", day, ({ add_time }, from) => String(add_time) >= from),
    where("end_date", day, ({ add_time }, to) => String(add_time).slice(0, 10) <= to),
    updatedSince
  ],
  view: { names: [], read: () => Either.right(show) }
}

const sentence = ({ complaint, given, path }: Problem) => {
  if (complaint.is === "refused") return complaint.words
  if (complaint.is === "not allowed") return `Unknown parameter ${path}.`
  if (given === null) return `${path} must not be null.`
  const [, , word] = parents.find(([field]) => field === path) ?? []
  if (word !== undefined) return `${word.charAt(0).toUpperCase()}${word.slice(1)} not found.`
  if (path === "content") return complaint.is === "length" ? "Content is too long." : "Content must be given."
  return `${path} ${said(complaint)}.`
}

const style: Style = {
  ...v1Style,
  update: "PUT",
  refuse: (problems, place) =>
    place === "query" ? v1Style.refuse(problems, place) : failure(400, problems.map(sentence)[0] ?? "", info),
  missing: () => failure(404, "Note not found", info),
  one: (record, verb) => ok(verb === "remove" ? true : record)
}

export const noteRoutes = routesOf(style, notes)
