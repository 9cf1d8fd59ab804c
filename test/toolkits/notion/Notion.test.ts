import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { Notion } from "../../../src/toolkits/notion/Notion.ts"
import { simulator } from "../../../src/toolkits/notion/simulator/NotionSimulator.ts"
import { checkTable, type Doc, listIn, toolbox, tools } from "../../support/Toolbox.ts"

const { call, misfit, refusal, toolkit, uncalled } = tools("notion")

const walk = Effect.fnUntraced(function* (name: string, list: string, args: Doc, limit: number) {
  const entries: Array<Doc> = []
  for (let cursor: unknown = undefined; cursor !== null;) {
    const answer: Doc = yield* call(name, { ...args, limit, ...(cursor === undefined ? {} : { cursor }) })
    entries.push(...listIn(answer, list))
    cursor = answer["next_cursor"]
  }
  return entries
})

const idOf = (query: string, kind: string) =>
  Effect.map(call("notion_search", { query, kind }), (answer) => String(listIn(answer, "results")[0]?.["id"]))

const fieldsOf = (error: { readonly reason: { readonly _tag: string } }) =>
  "fields" in error.reason ? error.reason.fields : undefined

const missing = "00000000-0000-4000-8000-000000000000"

layer(toolbox(Notion, simulator))("Notion", (it) => {
  it.effect("knows the workspace and its people", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* call("notion_get_me"), { workspace: "Larkspur Labs", type: "bot" })
      const people = yield* walk("notion_list_users", "people", {}, 4)
      assert.lengthOf(people, 9)
      assert.isTrue(people.some(({ email }) => email === "mira.okafor@larkspur.example"))
    })
  )

  it.effect("finds pages and data sources, page by page, each once", () =>
    Effect.gen(function* () {
      const all = yield* walk("notion_search", "results", {}, 20)
      assert.isAbove(all.length, 40)
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
      const found = listIn(yield* call("notion_search", { query: "roadmap" }), "results")
      assert.deepStrictEqual(
        found.map(({ kind, title }) => [kind, title]),
        [["data_source", "Roadmap"]]
      )
    })
  )

  it.effect("reads what is on a page as Markdown", () =>
    Effect.gen(function* () {
      const page_id = yield* idOf("On-call", "page")
      const page = yield* call("notion_get_page", { page_id: page_id.replaceAll("-", "") })
      assert.deepInclude(page, { id: page_id, title: "On-call handbook", properties: { title: "On-call handbook" } })
      const blocks = yield* walk("notion_list_blocks", "blocks", { block_id: page_id }, 5)
      assert.deepStrictEqual(
        blocks.slice(0, 6).map(({ text }) => text),
        [
          "# On-call handbook",
          "What everybody at Larkspur Labs should know.",
          "- Details",
          "- [ ] Read this page",
          "```bash\nnpm test\n```",
          "---"
        ]
      )
      assert.isTrue(blocks[2]?.["has_children"])
      const inner = listIn(yield* call("notion_list_blocks", { block_id: blocks[2]?.["id"] }), "blocks")
      assert.deepStrictEqual(
        inner.map(({ text }) => text),
        ["Ask Mira when in doubt."]
      )
    })
  )

  it.effect("writes Markdown that reads back as it was", () =>
    Effect.gen(function* () {
      const lines = [
        "# Minutes",
        "Plain, **bold**, _italic_, `code`, ~~gone~~ and [a link](https://example.com/a?b=1).",
        "- one",
        "1. first",
        "- [x] done",
        "> quoted",
        "---",
        "snake_case_name and 2 * 3 * 4 stay",
        `long ${"x".repeat(1990)}`
      ]
      const parent_page_id = yield* idOf("Onboarding", "page")
      const made = yield* call("notion_create_page", { parent_page_id, title: "Minutes", content: lines.join("\n\n") })
      const appended = yield* call("notion_append_blocks", {
        block_id: made["id"],
        content: `\`\`\`\nlet a = "# no heading"\n\`\`\`\n${"é".repeat(2500)}`
      })
      assert.lengthOf(JSON.stringify(appended["block_ids"]).split(","), 2)
      const blocks = yield* walk("notion_list_blocks", "blocks", { block_id: made["id"] }, 100)
      assert.deepStrictEqual(
        blocks.slice(0, lines.length).map(({ text }) => text),
        lines
      )
      assert.strictEqual(blocks[lines.length]?.["text"], '```plain text\nlet a = "# no heading"\n```')
      assert.isTrue(blocks[lines.length + 1]?.["truncated"])
      const many = { block_id: made["id"], content: "line\n".repeat(101) }
      assert.deepStrictEqual(fieldsOf(yield* refusal("notion_append_blocks", many)), {
        content: "has 101 lines; at most 100 at a time, append the rest"
      })
    })
  )

  it.effect("queries rows by their properties", () =>
    Effect.gen(function* () {
      const data_source_id = yield* idOf("Roadmap", "data_source")
      const source = yield* call("notion_get_data_source", { data_source_id })
      assert.deepInclude(source["properties"], {
        Status: { type: "status", options: ["Not started", "In progress", "Done"] },
        Points: { type: "number" }
      })
      const database_id = getPath(source, "parent.database_id")
      const database = yield* call("notion_get_database", { database_id })
      assert.deepStrictEqual(listIn(database, "data_sources"), [{ id: data_source_id, name: "Roadmap" }])

      const args = {
        data_source_id,
        filter: {
          and: [
            { property: "Status", status: { equals: "Done" } },
            { property: "Points", number: { greater_than: 2 } }
          ]
        },
        sorts: [{ property: "Points", direction: "descending" }]
      }
      const rows = yield* walk("notion_query_data_source", "rows", args, 3)
      const points = rows.map(({ properties }) => Number(getPath(properties, "Points")))
      assert.isAbove(rows.length, 3)
      assert.deepStrictEqual(
        points,
        points.toSorted((a, b) => b - a)
      )
      assert.isTrue(points.every((one) => one > 2))
      const wrong = yield* refusal("notion_query_data_source", {
        data_source_id,
        filter: { property: "Status", select: { equals: "Done" } }
      })
      assert.include(wrong.detail, "does not match filter select")
    })
  )

  it.effect("adds rows, changes them and moves them to the trash", () =>
    Effect.gen(function* () {
      const data_source_id = yield* idOf("Roadmap", "data_source")
      const properties = {
        Status: "In progress",
        Area: "mobile",
        Tags: ["bug", "chore"],
        Points: 0,
        Due: "2027-01-31",
        Blocked: true,
        Notes: "Since yesterday"
      }
      const made = yield* call("notion_create_page", { data_source_id, title: "Widget is blank", properties })
      assert.deepStrictEqual(made["properties"], { Name: "Widget is blank", ...properties })
      const page_id = made["id"]
      const changed = yield* call("notion_update_page", {
        page_id,
        title: "Widget stays blank",
        properties: { Status: "Done", Points: null, Tags: [], Blocked: false, Due: "2027-01-31/2027-02-02" }
      })
      assert.deepStrictEqual(changed["properties"], {
        Name: "Widget stays blank",
        Status: "Done",
        Area: "mobile",
        Due: "2027-01-31/2027-02-02",
        Blocked: false,
        Notes: "Since yesterday"
      })
      assert.isTrue((yield* call("notion_update_page", { page_id, in_trash: true }))["in_trash"])
      assert.deepStrictEqual(listIn(yield* call("notion_search", { query: "stays blank" }), "results"), [])
      assert.isUndefined((yield* call("notion_update_page", { page_id, in_trash: false }))["in_trash"])

      const wrong = yield* refusal("notion_update_page", {
        page_id,
        properties: { Points: "many", Colour: "red", Status: 3 }
      })
      assert.deepStrictEqual(fieldsOf(wrong), {
        "properties.Points": "must be a number",
        "properties.Colour":
          "is not known; there are Name, Status, Area, Tags, Points, Due, Owner, Blocked, Notes, Link",
        "properties.Status": "must be the name of a status"
      })
      const unknown = yield* refusal("notion_update_page", { page_id, properties: { Status: "Perhaps" } })
      assert.include(unknown.detail, "Perhaps")
    })
  )

  it.effect("refuses what could not be meant", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* misfit("notion_get_page", { page_id: "Home" }), {
        page_id: "must be an id of Notion, 32 hexadecimal digits"
      })
      assert.strictEqual((yield* refusal("notion_get_page", { page_id: missing })).reason._tag, "Missing")
      assert.deepStrictEqual(fieldsOf(yield* refusal("notion_create_page", { title: "x" })), {
        parent_page_id: "or data_source_id must be given, not both"
      })
      assert.deepStrictEqual(fieldsOf(yield* refusal("notion_update_page", { page_id: missing })), {
        properties: "or title or in_trash must be given"
      })
    })
  )

  it.effect("renews its token, and hands on limits and missing rights for what they are", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* call("notion_get_me", {}, "renewer")
      yield* faults.add({ provider: "notion", does: { kind: "expire" } })
      assert.strictEqual((yield* call("notion_get_me", {}, "renewer"))["workspace"], "Larkspur Labs")
      yield* faults.add({ provider: "notion", does: { kind: "status", status: 403 } })
      assert.strictEqual((yield* refusal("notion_get_me", {}, "renewer")).reason._tag, "NotPermitted")
      yield* faults.add({ provider: "notion", does: { kind: "limit", retryAfter: 45 } })
      const limited = yield* refusal("notion_get_me", {}, "renewer")
      assert.strictEqual(limited.reason._tag === "LimitReached" ? limited.reason.retryAfter : 0, 45)
    })
  )

  it.effect("has a table that keeps to the rules, and every tool was called", () =>
    Effect.gen(function* () {
      checkTable(yield* toolkit)
      assert.deepStrictEqual(yield* uncalled, [])
    })
  )
})
