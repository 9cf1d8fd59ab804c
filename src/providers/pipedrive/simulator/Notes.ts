import { Either } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import {
  type Answered,
  bodyOf,
  choiceIn,
  failure,
  idIn,
  integerIn,
  ok,
  queryOf,
  refuse,
  stamp,
  timeIn,
  timeOf,
  v1Time
} from "./Answers.ts"
import { recordOf } from "./Entities.ts"
import { v1 } from "./Limits.ts"
import { offsetPage, offsetParameters, sortedBy } from "./Paging.ts"
import { me, users } from "./Settings.ts"

// Notes: https://developers.pipedrive.com/docs/api/v1/Notes

const info = "Please check developers.pipedrive.com for more information about Pipedrive API."

const invalid = (error: string) => Either.left(failure(400, error, info))

/** What a note may hang on: the field, the type of the records, and the word in the fields around it. */
const parents = [
  ["deal_id", "deals", "deal", "title"],
  ["person_id", "persons", "person", "name"],
  ["org_id", "organizations", "organization", "name"],
  ["lead_id", "leads", "lead", "title"]
] as const

const pins = parents.map(([, , word]) => `pinned_to_${word}_flag`)

/** A note that hangs on nothing and is pinned nowhere. */
const blank = {
  ...Object.fromEntries(parents.map(([field]) => [field, null])),
  ...Object.fromEntries(pins.map((pin) => [pin, false]))
}

/** Elements that no note keeps, with what is in them. */
const sanitized = (html: string) => html.replace(/<(script|style|iframe|object)\b[^>]*>.*?<\/\1\s*>/gis, "")

/** Characters that a note holds. */
const mostContent = 100_000

const known = ["content", "user_id", "add_time", ...parents.map(([field]) => field), ...pins]

const parentOf = (account: Account, type: string, id: unknown): Doc | undefined => {
  const record = recordOf(account, type, String(id))
  return record?.is_deleted === true ? undefined : record
}

/** What a body says about a note. */
const read = (account: Account, body: Doc): Answered<Doc> =>
  Either.gen(function* () {
    const unknown = Object.keys(body).find((name) => !known.includes(name))
    if (unknown !== undefined) return yield* invalid(`Unknown parameter ${unknown}.`)
    const { add_time: addTime, content, user_id: userId, ...rest } = body
    const empty = Object.keys(body).find((name) => body[name] === null)
    if (empty !== undefined) return yield* invalid(`${empty} must not be null.`)
    const values: { [name: string]: unknown } = {}
    if (content !== undefined) {
      if (typeof content !== "string" || content.trim() === "") return yield* invalid("Content must be given.")
      if (content.length > mostContent) return yield* invalid("Content is too long.")
      values.content = sanitized(content)
    }
    if (userId !== undefined) {
      if (!users.some(({ id, isActive }) => isActive && id === userId)) return yield* invalid("User not found.")
      values.user_id = userId
    }
    if (addTime !== undefined) {
      const time = typeof addTime === "string" ? timeOf(`${addTime.replace(" ", "T")}Z`) : undefined
      if (time === undefined) return yield* invalid("Add time must be in the format YYYY-MM-DD HH:MM:SS.")
      values.add_time = time
    }
    for (const [field, type, word] of parents) {
      const id = rest[field]
      const pin = rest[`pinned_to_${word}_flag`]
      if (id !== undefined && parentOf(account, type, id) === undefined) {
        return yield* invalid(`${word.charAt(0).toUpperCase()}${word.slice(1)} not found.`)
      }
      if (id !== undefined) values[field] = field === "lead_id" ? id : Number(id)
      if (pin !== undefined && pin !== 0 && pin !== 1) return yield* invalid(`pinned_to_${word}_flag must be 0 or 1.`)
      if (pin !== undefined) values[`pinned_to_${word}_flag`] = pin === 1
    }
    return values
  })

/** Writes a body onto a new note or an old one, and keeps it. */
export const writeNote = (account: Account, body: Doc, before?: Doc): Answered<Doc> =>
  Either.gen(function* () {
    const given = yield* read(account, body)
    if (before === undefined && given.content === undefined) return yield* invalid("Content must be given.")
    const base = before ?? {
      id: account.nextId(),
      active_flag: true,
      user_id: me.id,
      add_time: stamp(account.now),
      ...blank
    }
    const note: Doc = { ...base, ...given, last_update_user_id: before === undefined ? null : me.id }
    if (parents.every(([field]) => note[field] === null)) {
      return yield* invalid("One of deal_id, person_id, org_id, lead_id, project_id or task_id must be given.")
    }
    const kept: Doc = { ...note, update_time: stamp(account.now) }
    account.put("notes", String(kept.id), kept)
    return kept
  })

const view = (account: Account, note: Doc): Doc => {
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
        .map(([field, type, word, title]) => {
          const parent = note[field] === null ? undefined : account.get(type, String(note[field]))
          return [word, parent === undefined ? null : { [title]: parent[title] }]
        })
    ),
    user:
      author === undefined
        ? null
        : { email: author.email, icon_url: null, is_you: author.id === me.id, name: author.name }
  }
}

const noteNamed = (account: Account, request: SimulatedRequest): Answered<Doc> => {
  const note = account.get("notes", idIn(request))
  return note === undefined ? Either.left(failure(404, "Note not found", info)) : Either.right(note)
}

const links = ["user_id", "deal_id", "person_id", "org_id"]

const sorts = ["id", "user_id", "deal_id", "person_id", "org_id", "content", "add_time", "update_time"]

const list = (request: SimulatedRequest, account: Account) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, [
      ...offsetParameters,
      ...links,
      "lead_id",
      "sort",
      "start_date",
      "end_date",
      "updated_since",
      ...pins
    ])
    for (const name of links) yield* integerIn(query, name)
    for (const name of pins) yield* choiceIn(query, name, ["0", "1"])
    for (const name of ["start_date", "end_date"]) {
      const day = query(name)
      if (day !== undefined && !isDay(day)) return yield* refuse(name, "must be in YYYY-MM-DD format")
    }
    const since = yield* timeIn(query, "updated_since")
    const [from, to] = [query("start_date"), query("end_date")]
    const records = account
      .all("notes")
      .filter(
        (note) =>
          note.active_flag === true &&
          (since === undefined || String(note.update_time) >= since) &&
          (from === undefined || String(note.add_time) >= from) &&
          (to === undefined || String(note.add_time).slice(0, 10) <= to) &&
          [...links, "lead_id"].every((name) => query(name) === undefined || query(name) === String(note[name])) &&
          pins.every((name) => query(name) === undefined || (query(name) === "1") === note[name])
      )
    const { pagination, slice } = yield* offsetPage(query, yield* sortedBy(query, sorts, records))
    return ok(
      slice.map((note) => view(account, note)),
      { pagination }
    )
  })

/** An active note: what is deleted is neither changed nor deleted again. */
const active = (account: Account, request: SimulatedRequest) =>
  Either.filterOrLeft(
    noteNamed(account, request),
    ({ active_flag }) => active_flag === true,
    () => failure(404, "Note not found", info)
  )

export const noteRoutes: ReadonlyArray<Route> = [
  v1("GET", "notes", 20, list),
  v1("POST", "notes", 10, (request, account) =>
    Either.gen(function* () {
      return ok(view(account, yield* writeNote(account, yield* bodyOf(request))))
    })
  ),
  v1("GET", "notes/:id", 2, (request, account) =>
    Either.map(noteNamed(account, request), (note) => ok(view(account, note)))
  ),
  v1("PUT", "notes/:id", 10, (request, account) =>
    Either.gen(function* () {
      const note = yield* active(account, request)
      return ok(view(account, yield* writeNote(account, yield* bodyOf(request), note)))
    })
  ),
  v1("DELETE", "notes/:id", 6, (request, account) =>
    Either.map(active(account, request), (note) => {
      account.put("notes", String(note.id), { ...note, active_flag: false, update_time: stamp(account.now) })
      return ok(true)
    })
  )
].flat()
