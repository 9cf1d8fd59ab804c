import { Either, Option, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, invalid, listed, missing, ok, paging, pagingIn, route } from "./Answers.ts"
import { keyOf, testOf } from "./Filter.ts"
import {
  type Block,
  blocks,
  bot,
  childrenOf,
  freshId,
  idIn,
  type Page,
  pages,
  type Parent,
  type Source,
  sources,
  users
} from "./Tables.ts"
import { isObject, plainOf, readProperties, richText } from "./Values.ts"
import { blockView, databaseView, pageView, sourceView, userView } from "./Views.ts"

const optional = Schema.optional
const Anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const pageOf = (account: Account, given: string): Answered<Page> => {
  const found = pages.get(account, idIn(given))
  return found === undefined ? missing("page", given) : Either.right(found)
}

const sourceOf = (account: Account, given: string): Answered<Source> => {
  const found = sources.get(account, idIn(given))
  return found === undefined ? missing("data_source", given) : Either.right(found)
}

const idOf = ({ params }: SimulatedRequest) => params.id ?? ""

const alone = { title: { id: "title", type: "title", title: {} } }

const titleOf = (page: Page) =>
  plainOf(
    Object.values(page.properties)
      .filter(isObject)
      .find(({ type }) => type === "title")?.["title"]
  )

// blocks ------------------------------------------------------------------------------------------------------------------

const texts = [
  "paragraph",
  "heading_1",
  "heading_2",
  "heading_3",
  "bulleted_list_item",
  "numbered_list_item",
  "quote",
  "to_do",
  "code"
]

/** Keeps new blocks below a page or block, after those that are there. */
const append = (
  account: Account,
  parent: Parent,
  children: ReadonlyArray<typeof Anything.Type>
): Answered<ReadonlyArray<Block>> =>
  Either.gen(function* () {
    if (children.length > 100) {
      return yield* invalid(
        `body failed validation: body.children.length should be ≤ 100, instead was ${children.length}.`
      )
    }
    const made: Array<Block> = []
    const first = (childrenOf(account, parent.id).at(-1)?.place ?? 0) + 1
    for (const [at, child] of children.entries()) {
      const type = String(child["type"])
      const given = child[type]
      const strange = Object.keys(child).find((name) => !["object", "type", type].includes(name))
      if (strange !== undefined || !isObject(given)) {
        return yield* invalid(`body failed validation: body.children[${at}].${strange ?? type} should be valid.`)
      }
      const { rich_text, ...more } = given
      const text = richText(rich_text)
      const isKnown = type === "divider" ? rich_text === undefined : texts.includes(type) && Option.isSome(text)
      const extra = Object.keys(more).find((name) => !["color", "checked", "language"].includes(name))
      if (!isKnown || extra !== undefined) {
        return yield* invalid(
          `body failed validation: body.children[${at}].${type}.${extra ?? "rich_text"} should be valid.`
        )
      }
      made.push({
        id: freshId(account),
        parent,
        created: account.now,
        edited: account.now,
        place: first + at,
        type,
        content: Option.isSome(text) ? { rich_text: text.value, color: "default", ...more } : {}
      })
    }
    for (const block of made) blocks.put(account, block.id, block)
    return made
  })

const parentOf = (account: Account, given: string): Answered<Parent> => {
  const id = idIn(given)
  if (pages.get(account, id) !== undefined) return Either.right({ type: "page_id", id })
  return blocks.get(account, id) === undefined ? missing("block", given) : Either.right({ type: "block_id", id })
}

const blockRoutes: ReadonlyArray<Route> = [
  route(
    "GET",
    "/blocks/:id/children",
    (request, account) =>
      Either.gen(function* () {
        const { id } = yield* parentOf(account, idOf(request))
        return yield* listed(childrenOf(account, id), yield* pagingIn(request), "block", blockView(account))
      }),
    ["page_size", "start_cursor"]
  ),
  route("PATCH", "/blocks/:id/children", (request, account) =>
    Either.gen(function* () {
      const { children } = yield* bodyOf(Schema.Struct({ children: Schema.Array(Anything) }), request)
      const parent = yield* parentOf(account, idOf(request))
      const made = yield* append(account, parent, children)
      return ok({
        object: "list",
        results: made.map(blockView(account)),
        next_cursor: null,
        has_more: false,
        type: "block",
        block: {}
      })
    })
  )
]

// pages -------------------------------------------------------------------------------------------------------------------

const Place = Schema.Union(
  Schema.Struct({ type: optional(Schema.Literal("page_id")), page_id: Schema.String }),
  Schema.Struct({ type: optional(Schema.Literal("data_source_id")), data_source_id: Schema.String })
)

const NewPage = Schema.Struct({
  parent: Place,
  properties: optional(Anything),
  children: optional(Schema.Array(Anything))
})

const PageChanges = Schema.Struct({
  properties: optional(Anything),
  in_trash: optional(Schema.Boolean),
  archived: optional(Schema.Boolean)
})

/** The columns of a data source without a value in any row. */
const emptyOf = (columns: typeof Anything.Type) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) => {
      if (!isObject(column)) return []
      const type = String(column["type"])
      const none = ["title", "rich_text", "multi_select", "people", "relation"].includes(type)
        ? []
        : type === "checkbox"
          ? false
          : null
      return [[name, { id: column["id"], type, [type]: none }]]
    })
  )

const columnsOf = (account: Account, { id, type }: Parent): Answered<typeof Anything.Type> =>
  type === "data_source_id" ? Either.map(sourceOf(account, id), ({ properties }) => properties) : Either.right(alone)

const pageRoutes: ReadonlyArray<Route> = [
  route("GET", "/pages/:id", (request, account) =>
    Either.map(pageOf(account, idOf(request)), (page) => ok(pageView(page)))
  ),
  route("POST", "/pages", (request, account) =>
    Either.gen(function* () {
      const { children = [], parent, properties = {} } = yield* bodyOf(NewPage, request)
      const place: Parent =
        "page_id" in parent
          ? { type: "page_id", id: (yield* pageOf(account, parent.page_id)).id }
          : { type: "data_source_id", id: (yield* sourceOf(account, parent.data_source_id)).id }
      const columns = yield* columnsOf(account, place)
      const values = yield* readProperties(properties, columns)
      const id = freshId(account)
      const made: Page = {
        id,
        parent: place,
        created: account.now,
        edited: account.now,
        inTrash: false,
        properties: { ...emptyOf(columns), ...values }
      }
      yield* append(account, { type: "page_id", id }, children)
      pages.put(account, id, made)
      return ok(pageView(made))
    })
  ),
  route("PATCH", "/pages/:id", (request, account) =>
    Either.gen(function* () {
      const { archived, in_trash = archived, properties = {} } = yield* bodyOf(PageChanges, request)
      const page = yield* pageOf(account, idOf(request))
      if (page.inTrash && in_trash !== false) {
        return yield* invalid("Can't edit block that is archived. You must unarchive the block before editing.")
      }
      const values = yield* readProperties(properties, yield* columnsOf(account, page.parent))
      const changed: Page = {
        ...page,
        edited: account.now,
        inTrash: in_trash ?? page.inTrash,
        properties: { ...page.properties, ...values }
      }
      pages.put(account, page.id, changed)
      return ok(pageView(changed))
    })
  )
]

// searching and querying --------------------------------------------------------------------------------------------------

const Search = Schema.Struct({
  query: optional(Schema.String),
  filter: optional(Schema.Struct({ property: Schema.Literal("object"), value: Schema.Literal("page", "data_source") })),
  sort: optional(
    Schema.Struct({
      timestamp: Schema.Literal("last_edited_time"),
      direction: Schema.Literal("ascending", "descending")
    })
  ),
  ...paging
})

const Sort = Schema.Struct({ property: Schema.String, direction: Schema.Literal("ascending", "descending") })

const Query = Schema.Struct({ filter: optional(Anything), sorts: optional(Schema.Array(Sort)), ...paging })

const inOrder =
  (sorts: ReadonlyArray<typeof Sort.Type>) =>
  (a: Page, b: Page): number => {
    for (const { direction, property } of sorts) {
      const [left, right] = [keyOf(a, property), keyOf(b, property)]
      if (left !== right) return left < right === (direction === "ascending") ? -1 : 1
    }
    return b.created - a.created || (a.id < b.id ? -1 : 1)
  }

const dataRoutes: ReadonlyArray<Route> = [
  route("POST", "/search", (request, account) =>
    Either.gen(function* () {
      const { filter, query = "", sort, ...page } = yield* bodyOf(Search, request)
      const all = [
        ...(filter?.value === "data_source"
          ? []
          : pages
              .all(account)
              .filter(({ inTrash }) => !inTrash)
              .map((one) => ({ id: one.id, edited: one.edited, title: titleOf(one), view: () => pageView(one) }))),
        ...(filter?.value === "page"
          ? []
          : sources
              .all(account)
              .map((one) => ({ id: one.id, edited: one.edited, title: one.title, view: () => sourceView(one) })))
      ]
        .filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()))
        .sort((a, b) => b.edited - a.edited || (a.id < b.id ? -1 : 1))
      return yield* listed(
        sort?.direction === "ascending" ? all.toReversed() : all,
        page,
        "page_or_data_source",
        ({ view }) => view()
      )
    })
  ),
  route("GET", "/databases/:id", (request, account) => {
    const found = sources.all(account).find(({ database }) => database === idIn(idOf(request)))
    return found === undefined ? missing("database", idOf(request)) : Either.right(ok(databaseView(found)))
  }),
  route("GET", "/data_sources/:id", (request, account) =>
    Either.map(sourceOf(account, idOf(request)), (source) => ok(sourceView(source)))
  ),
  route("POST", "/data_sources/:id/query", (request, account) =>
    Either.gen(function* () {
      const { filter, sorts = [], ...page } = yield* bodyOf(Query, request)
      const source = yield* sourceOf(account, idOf(request))
      const strange = sorts.find(({ property }) => !(property in source.properties))
      if (strange !== undefined)
        return yield* invalid(`Could not find sort property with name or id: ${strange.property}`)
      const test = filter === undefined ? () => true : yield* Either.orElse(testOf(filter, source.properties), invalid)
      const rows = pages.all(account).filter((one) => one.parent.id === source.id && !one.inTrash && test(one))
      return yield* listed(rows.sort(inOrder(sorts)), page, "page_or_data_source", pageView)
    })
  )
]

const peopleRoutes: ReadonlyArray<Route> = [
  route("GET", "/users/me", (_, account) => {
    const found = users.get(account, bot)
    return found === undefined ? missing("user", bot) : Either.right(ok(userView(found)))
  }),
  route(
    "GET",
    "/users",
    (request, account) =>
      Either.flatMap(pagingIn(request), (page) => listed(users.all(account), page, "user", userView)),
    ["page_size", "start_cursor"]
  )
]

export const routes: ReadonlyArray<Route> = [...pageRoutes, ...blockRoutes, ...dataRoutes, ...peopleRoutes]
