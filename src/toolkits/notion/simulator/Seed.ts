import type { Account } from "../../../providers/simulation/Account.ts"
import { firm, remarks, staff, work } from "../../../providers/simulation/SampleSoftware.ts"
import { blank } from "./Content.ts"
import { blocks, bot, pages, type Parent, sources, users, userView, uuidOf } from "./Tables.ts"
import { optionOf, written } from "./Values.ts"

// The workspace of a software firm; the same for every account of a day.

const day = 86_400_000

const statuses = ["Not started", "In progress", "Done"]
const areas = [...new Set(work.map(({ area }) => area))]

const options = (type: string, names: ReadonlyArray<string>, more: object = {}) => ({
  type,
  [type]: { options: names.map(optionOf), ...more }
})

/** A value of a select: the option with that name. */
const chosen = (name: string | undefined) => {
  const { description: _, ...option } = optionOf(name ?? "")
  return option
}

/** The three groups that statuses are in. */
const groups = ["To-do", "In progress", "Complete"].map((name, index) => ({
  id: uuidOf(`group ${name}`),
  name,
  color: ["gray", "blue", "green"][index],
  option_ids: statuses.slice(index, index + 1).map((status) => optionOf(status)["id"])
}))

const columns = Object.fromEntries(
  Object.entries({
    Name: { type: "title", title: {} },
    Status: options("status", statuses, { groups }),
    Area: options("select", areas),
    Tags: options("multi_select", ["bug", "feature", "chore"]),
    Points: { type: "number", number: { format: "number" } },
    Due: { type: "date", date: {} },
    Owner: { type: "people", people: {} },
    Blocked: { type: "checkbox", checkbox: {} },
    Notes: { type: "rich_text", rich_text: {} },
    Link: { type: "url", url: {} }
  }).map(([name, column]) => [
    name,
    { id: name === "Name" ? "title" : uuidOf(name).slice(0, 4), name, description: null, ...column }
  ])
)

export const seed = (account: Account): void => {
  users.put(account, bot, { id: bot, name: "Tributary", email: null })
  const people = staff.map(({ email, login, name }) => {
    const id = uuidOf(login)
    const user = { id, name, email }
    users.put(account, id, user)
    return userView(user)
  })

  const addPage = (name: string, parent: Parent, age: number) => {
    const id = uuidOf(`page ${name}`)
    const at = account.now - age * day
    pages.put(account, id, {
      id,
      parent,
      created: at,
      edited: at,
      inTrash: false,
      ...(parent.type === "workspace" ? { emoji: "⚓" } : {}),
      properties: { title: { id: "title", type: "title", title: written(name) } }
    })
    return id
  }

  const addBlock = (page: Parent, place: number, type: string, words: string, more: object = {}) => {
    const id = uuidOf(`block ${page.id} ${place}`)
    const at = account.now - 10 * day
    blocks.put(account, id, {
      id,
      parent: page,
      created: at,
      edited: at,
      place,
      type,
      inTrash: false,
      content: type === "divider" ? {} : { ...blank(type), rich_text: written(words), ...more }
    })
    return id
  }

  const home = addPage(`${firm.name} wiki`, { type: "workspace", id: "workspace" }, 400)
  const below: Parent = { type: "page_id", id: home }
  for (const [at, name] of ["Onboarding", "On-call handbook", "Release checklist", "Holidays 2026"].entries()) {
    const page: Parent = { type: "page_id", id: addPage(name, below, 30 + at) }
    addBlock(page, 1, "heading_1", name)
    addBlock(page, 2, "paragraph", `What everybody at ${firm.name} should know.`)
    const toggle = addBlock(page, 3, "bulleted_list_item", "Details")
    addBlock({ type: "block_id", id: toggle }, 1, "paragraph", "Ask Mira when in doubt.")
    addBlock(page, 4, "to_do", "Read this page", { checked: at === 0 })
    addBlock(page, 5, "code", "npm test", { language: "bash" })
    addBlock(page, 6, "divider", "")
    remarks.forEach((words, index) => addBlock(page, 7 + index, "paragraph", words))
    // the empty line that the editor leaves at the end of a page
    addBlock(page, 7 + remarks.length, "paragraph", "")
  }

  const source = uuidOf("source roadmap")
  const made = account.now - 300 * day
  sources.put(account, source, {
    id: source,
    database: uuidOf("database roadmap"),
    parent: below,
    created: made,
    edited: made,
    title: "Roadmap",
    properties: columns
  })
  work.forEach(({ area, kind, text, title }, at) => {
    const id = uuidOf(`row ${title}`)
    const when = account.now - (at + 1) * day
    const value = (name: string, type: string, held: unknown): readonly [string, unknown] => [
      name,
      { id: name === "Name" ? "title" : uuidOf(name).slice(0, 4), type, [type]: held }
    ]
    pages.put(account, id, {
      id,
      parent: { type: "data_source_id", id: source },
      created: when,
      edited: when,
      inTrash: false,
      properties: Object.fromEntries([
        value("Name", "title", written(title)),
        value("Status", "status", chosen(statuses[at % 3])),
        value("Area", "select", chosen(area)),
        value("Tags", "multi_select", [chosen(kind)]),
        value("Points", "number", at % 7 === 0 ? null : 1 + (at % 5)),
        value("Due", "date", {
          start: new Date(Date.UTC(2026, 10, 1) + at * day).toISOString().slice(0, 10),
          end: null,
          time_zone: null
        }),
        value("Owner", "people", people.slice(at % 8, (at % 8) + 1)),
        value("Blocked", "checkbox", at % 6 === 0),
        value("Notes", "rich_text", written(text.slice(0, 1900))),
        value("Link", "url", null)
      ])
    })
  })
}
