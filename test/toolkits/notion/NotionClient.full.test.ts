import { assert, describe, it } from "@effect/vitest"
import {
  APIErrorCode,
  APIResponseError,
  Client,
  collectAllDataSourceRows,
  collectPaginatedAPI,
  isFullBlock,
  isFullComment,
  isFullDatabase,
  isFullDataSource,
  isFullPage,
  isFullPageOrDataSource,
  isFullUser,
  iteratePaginatedAPI,
  LogLevel
} from "@notionhq/client"
import { Effect, type Scope } from "effect"
import { simulator } from "../../../src/toolkits/notion/simulator/NotionSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// Notion's own client library against the simulator.

const workspace = Effect.map(onPort(simulator), ({ accessToken, url }) => {
  const options = { baseUrl: url, retry: false, logLevel: LogLevel.ERROR } as const
  return {
    notion: new Client({ ...options, auth: accessToken }),
    stranger: new Client({ ...options, auth: "made.up" }),
    misbehave: (does: { readonly kind: string; readonly [member: string]: unknown }) =>
      ask(() => fetch(`${url}/_faults`, { method: "POST", body: JSON.stringify({ does }) }))
  }
})

const test = (
  name: string,
  use: (of: Effect.Effect.Success<typeof workspace>) => Effect.Effect<void, never, Scope.Scope>
) => it.scopedLive(name, () => Effect.flatMap(workspace, use))

const ask = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** An answer that one of the library's guards holds for. */
const full = <A, B extends A>(promise: () => Promise<A>, is: (answer: A) => answer is B) =>
  Effect.filterOrDieMessage(ask(promise), is, "the answer is not a full object")

/** Status and code of the library's error for a failed call. */
const failure = (promise: () => Promise<unknown>) =>
  Effect.tryPromise({ try: promise, catch: (error) => error }).pipe(
    Effect.flip,
    Effect.orDieWith(() => new Error("the call succeeded")),
    Effect.filterOrDieMessage((error) => error instanceof APIResponseError, "the library did not know the error")
  )

/** The members of an object are as they should be. */
const holds = (value: object | undefined, members: object) => assert.deepInclude({ ...value }, members)

const roadmap = (notion: Client) =>
  Effect.map(
    ask(() => notion.search({ query: "Roadmap", filter: { property: "object", value: "data_source" } })),
    ({ results }) => results[0]?.id ?? ""
  )

const pageNamed = (notion: Client, query: string) =>
  Effect.map(
    ask(() => notion.search({ query, filter: { property: "object", value: "page" } })),
    ({ results }) => results[0]?.id ?? ""
  )

const text = (content: string) => [{ text: { content } }]
const paragraph = (content: string) => ({ paragraph: { rich_text: text(content) } })

const missing = "00000000-0000-4000-8000-000000000000"

describe("@notionhq/client", () => {
  test("searches, and walks what it finds", ({ notion }) =>
    Effect.gen(function* () {
      const found = yield* ask(() => collectPaginatedAPI(notion.search, { page_size: 20 }))
      assert.isAbove(found.length, 40)
      assert.lengthOf(new Set(found.map(({ id }) => id)), found.length)
      assert.isTrue(found.every(isFullPageOrDataSource))
      const sorted = yield* ask(() =>
        notion.search({ page_size: 100, sort: { timestamp: "last_edited_time", direction: "ascending" } })
      )
      const times = sorted.results.filter(isFullPage).map(({ last_edited_time }) => last_edited_time)
      assert.deepStrictEqual(times, times.toSorted())
    }))

  test("knows people and the bot", ({ notion }) =>
    Effect.gen(function* () {
      const people = yield* ask(() => collectPaginatedAPI(notion.users.list, { page_size: 4 }))
      assert.lengthOf(people, 9)
      assert.isTrue(people.every(isFullUser))
      const mira = people.find(({ name }) => name === "Mira Okafor")
      const read = yield* full(() => notion.users.retrieve({ user_id: mira?.id ?? "" }), isFullUser)
      assert.containSubset(read, mira)
      assert.deepInclude(read, { type: "person", person: { email: "mira.okafor@larkspur.example" } })
      const bot = yield* full(() => notion.users.me({}), isFullUser)
      assert.strictEqual(bot.type, "bot")
      assert.strictEqual((yield* failure(() => notion.users.retrieve({ user_id: missing }))).status, 404)
    }))

  test("reads a database, its data source and rows", ({ notion }) =>
    Effect.gen(function* () {
      const data_source_id = yield* roadmap(notion)
      const source = yield* full(() => notion.dataSources.retrieve({ data_source_id }), isFullDataSource)
      assert.strictEqual(source.title[0]?.plain_text, "Roadmap")
      const { Area, Points, Status } = source.properties
      assert.isNull(Points?.description)
      const statuses = Status?.type === "status" ? Status.status : { groups: [], options: [] }
      assert.sameMembers(
        statuses.groups.flatMap(({ option_ids }) => option_ids),
        statuses.options.map(({ id }) => id)
      )
      assert.strictEqual(source.parent.type, "database_id")
      const database_id = source.parent.type === "database_id" ? source.parent.database_id : ""
      const database = yield* full(() => notion.databases.retrieve({ database_id }), isFullDatabase)
      assert.deepStrictEqual(database.data_sources, [{ id: data_source_id, name: "Roadmap" }])
      assert.deepStrictEqual(database.parent, source.database_parent)

      const rows = (yield* ask(() => collectAllDataSourceRows(notion, { data_source_id, page_size: 7 }))).filter(
        isFullPage
      )
      assert.isAbove(rows.length, 30)
      const created = rows.map(({ created_time }) => created_time)
      assert.deepStrictEqual(created, created.toSorted())
      for (const { parent, properties } of rows) {
        assert.deepStrictEqual(parent, { type: "data_source_id", data_source_id, database_id })
        assert.hasAllKeys(properties, Object.keys(source.properties))
        for (const [name, { id, type }] of Object.entries(properties)) {
          holds(source.properties[name], { id, type })
        }
      }

      const options = Area?.type === "select" ? Area.select.options : []
      const queried = yield* ask(() =>
        notion.dataSources.query({
          data_source_id,
          filter: {
            and: [
              { property: "Area", select: { equals: options[0]?.name ?? "" } },
              {
                or: [
                  { property: Points?.id ?? "", number: { greater_than: 1 } },
                  { property: "Blocked", checkbox: { equals: true } }
                ]
              },
              { timestamp: "created_time", created_time: { on_or_after: created[0] ?? "" } }
            ]
          },
          sorts: [
            { property: "Points", direction: "descending" },
            { timestamp: "created_time", direction: "ascending" }
          ],
          filter_properties: ["Points", Area?.id ?? ""]
        })
      )
      const points = queried.results.filter(isFullPage).map(({ properties }) => {
        assert.sameMembers(Object.keys(properties), ["Points", "Area"])
        holds(properties["Area"], {
          select: { id: options[0]?.id, name: options[0]?.name, color: "default" }
        })
        return properties["Points"]?.type === "number" ? (properties["Points"].number ?? 0) : 0
      })
      assert.isNotEmpty(points)
      assert.deepStrictEqual(
        points,
        points.toSorted((a, b) => b - a)
      )
    }))

  test("adds rows, changes them, and puts them in the trash and back", ({ notion }) =>
    Effect.gen(function* () {
      const data_source_id = yield* roadmap(notion)
      const [person] = (yield* ask(() => notion.users.list({}))).results.filter((user) => user.type === "person")
      const made = yield* full(
        () =>
          notion.pages.create({
            parent: { data_source_id },
            properties: {
              Name: { title: text("Scanner beeps twice") },
              Status: { status: { name: "In progress" } },
              Area: { select: { name: "hardware" } },
              Tags: { multi_select: [{ name: "bug" }, { name: "urgent" }] },
              Points: { number: 3 },
              Due: { date: { start: "2027-01-31" } },
              Owner: { people: [{ id: person?.id ?? "" }] },
              Blocked: { checkbox: true },
              Notes: { rich_text: text("Since 4.1") },
              Link: { url: "https://example.com" }
            }
          }),
        isFullPage
      )
      const { Area, Due, Owner, Tags } = made.properties
      holds(Due, { date: { start: "2027-01-31", end: null, time_zone: null } })
      holds(Owner, { people: [person] })
      const source = yield* full(() => notion.dataSources.retrieve({ data_source_id }), isFullDataSource)
      const optionsOf = (name: "select" | "multi_select") =>
        Object.values(source.properties).flatMap((column) =>
          column.type === "select" && name === "select"
            ? column.select.options
            : column.type === "multi_select" && name === "multi_select"
              ? column.multi_select.options
              : []
        )
      // a select takes a new option, which the column has from then on
      const chosen = Area?.type === "select" ? Area.select : null
      assert.include(
        optionsOf("select").map(({ id }) => id),
        chosen?.id
      )
      assert.include(
        optionsOf("multi_select").map(({ name }) => name),
        "urgent"
      )
      assert.deepStrictEqual(Tags?.type === "multi_select" ? Tags.multi_select.map(({ name }) => name) : [], [
        "bug",
        "urgent"
      ])

      const page_id = made.id
      const changed = yield* full(
        () =>
          notion.pages.update({
            page_id,
            properties: { Points: { number: null }, Due: { date: null }, Owner: { people: [] } }
          }),
        isFullPage
      )
      holds(changed.properties["Points"], { number: null })
      holds(changed.properties["Area"], { select: chosen })

      const rowIds = Effect.map(
        ask(() => collectPaginatedAPI(notion.dataSources.query, { data_source_id })),
        (rows) => rows.map(({ id }) => id)
      )
      const trashed = yield* full(() => notion.pages.update({ page_id, in_trash: true }), isFullPage)
      holds(trashed, { in_trash: true, archived: true, is_archived: true })
      assert.notInclude(yield* rowIds, page_id)
      yield* ask(() => notion.pages.update({ page_id, in_trash: false }))
      assert.include(yield* rowIds, page_id)
      assert.isFalse((yield* full(() => notion.pages.retrieve({ page_id }), isFullPage)).in_trash)
    }))

  test("writes, reads, changes and deletes what is on a page", ({ notion }) =>
    Effect.gen(function* () {
      const parent = yield* pageNamed(notion, "Onboarding")
      const page = yield* full(
        () =>
          notion.pages.create({
            parent: { page_id: parent },
            properties: { title: { title: text("Minutes") } },
            children: [{ heading_1: { rich_text: text("Agenda") } }, paragraph("First"), { divider: {} }]
          }),
        isFullPage
      )
      const block_id = page.id
      const list = Effect.map(
        ask(async () => {
          const found = []
          for await (const block of iteratePaginatedAPI(notion.blocks.children.list, { block_id, page_size: 2 })) {
            found.push(block)
          }
          return found
        }),
        (found) => found.filter(isFullBlock)
      )
      const words = Effect.map(list, (blocks) =>
        blocks.map((block) =>
          block.type === "paragraph" ? (block.paragraph.rich_text[0]?.plain_text ?? "") : block.type
        )
      )
      assert.deepStrictEqual(yield* words, ["heading_1", "First", "divider"])
      const first = (yield* list)[1]?.id ?? ""

      const added = yield* ask(() =>
        notion.blocks.children.append({
          block_id,
          children: [
            {
              toggle: {
                rich_text: [
                  { text: { content: "More", link: { url: "https://example.com" } }, annotations: { bold: true } }
                ],
                children: [{ to_do: { rich_text: text("Ask"), checked: true } }]
              }
            },
            { code: { rich_text: text("npm test"), language: "bash" } }
          ]
        })
      )
      const [toggle, code] = added.results.filter(isFullBlock)
      assert.deepInclude(code, {
        code: { rich_text: code?.type === "code" ? code.code.rich_text : [], caption: [], language: "bash" }
      })
      assert.isTrue(toggle?.has_children)
      assert.deepStrictEqual(toggle?.parent, { type: "page_id", page_id: page.id })
      const [inner] = (yield* ask(() => notion.blocks.children.list({ block_id: toggle?.id ?? "" }))).results.filter(
        isFullBlock
      )
      assert.isTrue(inner?.type === "to_do" && inner.to_do.checked)

      yield* ask(() =>
        notion.blocks.children.append({
          block_id,
          children: [paragraph("Second")],
          position: { type: "after_block", after_block: { id: first } }
        })
      )
      yield* ask(() =>
        notion.blocks.children.append({ block_id, children: [paragraph("Before all")], position: { type: "start" } })
      )
      assert.deepStrictEqual(yield* words, ["Before all", "heading_1", "First", "Second", "divider", "toggle", "code"])

      const updated = yield* full(
        () => notion.blocks.update({ block_id: first, paragraph: { rich_text: text("The first"), color: "red" } }),
        isFullBlock
      )
      assert.isTrue(updated.type === "paragraph" && updated.paragraph.color === "red")
      const deleted = yield* full(() => notion.blocks.delete({ block_id: first }), isFullBlock)
      holds(deleted, { in_trash: true, archived: true })
      assert.notInclude(yield* words, "The first")
      assert.isTrue((yield* full(() => notion.blocks.retrieve({ block_id: first }), isFullBlock)).in_trash)
      assert.strictEqual(
        (yield* failure(() => notion.blocks.update({ block_id: first, paragraph: { rich_text: [] } }))).code,
        APIErrorCode.ValidationError
      )
      yield* ask(() => notion.blocks.update({ block_id: first, in_trash: false }))
      assert.include(yield* words, "The first")

      const above = yield* ask(() => collectPaginatedAPI(notion.blocks.children.list, { block_id: parent }))
      const child = above.filter(isFullBlock).find(({ id }) => id === page.id)
      assert.isTrue(child?.type === "child_page" && child.child_page.title === "Minutes" && child.has_children)
    }))

  test("comments on pages and blocks", ({ notion }) =>
    Effect.gen(function* () {
      const page_id = yield* pageNamed(notion, "Release checklist")
      const said = yield* full(
        () => notion.comments.create({ parent: { page_id }, rich_text: text("Who checks this?") }),
        isFullComment
      )
      const { discussion_id } = said
      const answer = yield* full(
        () => notion.comments.create({ discussion_id, rich_text: text("I do") }),
        isFullComment
      )
      assert.deepInclude(answer, { discussion_id, parent: { type: "page_id", page_id } })
      const all = yield* ask(() => collectPaginatedAPI(notion.comments.list, { block_id: page_id, page_size: 1 }))
      assert.deepStrictEqual(
        all.map(({ rich_text }) => rich_text[0]?.plain_text),
        ["Who checks this?", "I do"]
      )
      const comment_id = answer.id
      yield* ask(() => notion.comments.update({ comment_id, rich_text: text("She does") }))
      const read = yield* full(() => notion.comments.retrieve({ comment_id }), isFullComment)
      assert.strictEqual(read.rich_text[0]?.plain_text, "She does")
      yield* ask(() => notion.comments.delete({ comment_id }))
      assert.strictEqual((yield* failure(() => notion.comments.retrieve({ comment_id }))).status, 404)
    }))

  test("throws the errors of the library", ({ misbehave, notion, stranger }) =>
    Effect.gen(function* () {
      const codes = (error: APIResponseError) => [error.status, error.code]
      assert.deepStrictEqual(codes(yield* failure(() => stranger.users.me({}))), [401, APIErrorCode.Unauthorized])
      assert.deepStrictEqual(codes(yield* failure(() => notion.pages.retrieve({ page_id: missing }))), [
        404,
        APIErrorCode.ObjectNotFound
      ])
      const data_source_id = yield* roadmap(notion)
      const wrong = yield* failure(() =>
        notion.dataSources.query({ data_source_id, filter: { property: "Status", select: { equals: "Done" } } })
      )
      assert.deepStrictEqual(codes(wrong), [400, APIErrorCode.ValidationError])
      assert.include(wrong.message, "does not match filter select")
      const cursor = yield* failure(() => notion.users.list({ start_cursor: missing }))
      assert.deepStrictEqual(codes(cursor), [400, APIErrorCode.ValidationError])
      const status = yield* failure(() =>
        notion.pages.create({ parent: { data_source_id }, properties: { Status: { status: { name: "Perhaps" } } } })
      )
      assert.include(status.message, "Perhaps")

      yield* misbehave({ kind: "limit", retryAfter: 30 })
      const limited = yield* failure(() => notion.users.me({}))
      assert.deepStrictEqual(codes(limited), [429, APIErrorCode.RateLimited])
      assert.strictEqual(limited.headers instanceof Headers ? limited.headers.get("retry-after") : undefined, "30")
      yield* misbehave({ kind: "status", status: 403 })
      assert.strictEqual((yield* failure(() => notion.users.me({}))).code, APIErrorCode.RestrictedResource)
      yield* misbehave({ kind: "status", status: 500 })
      assert.strictEqual((yield* failure(() => notion.users.me({}))).code, APIErrorCode.InternalServerError)
    }))
})
