import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, invalid, ok, route } from "./Answers.ts"
import { append } from "./BlockRoutes.ts"
import { Anything, idOf, pageOf, sourceOf } from "./Lookup.ts"
import { freshId, type Page, pages, type Parent, sources } from "./Tables.ts"
import { isObject, readProperties, withOptions } from "./Values.ts"
import { pageView, wantedIn } from "./Views.ts"

// Pages: https://developers.notion.com/reference/page

const optional = Schema.optional

/** The only property of a page that is no row. */
const alone = { title: { id: "title", type: "title", title: {} } }

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
      const none = ["title", "rich_text", "multi_select", "people"].includes(type)
        ? []
        : type === "checkbox"
          ? false
          : null
      return [[name, { id: column["id"], type, [type]: none }]]
    })
  )

const columnsOf = (account: Account, { id, type }: Parent): Answered<typeof Anything.Type> =>
  type === "data_source_id" ? Either.map(sourceOf(account, id), ({ properties }) => properties) : Either.right(alone)

/** Selects take options that are new, which their data source has from then on. */
const learn = (account: Account, { id }: Parent, values: typeof Anything.Type): void => {
  const source = sources.get(account, id)
  if (source !== undefined) {
    sources.put(account, id, { ...source, properties: withOptions(source.properties, values) })
  }
}

export const pageRoutes: ReadonlyArray<Route> = [
  route(
    "GET",
    "/pages/:id",
    (request, account) =>
      Either.map(pageOf(account, idOf(request)), (page) => ok(pageView(account, page, wantedIn(request)))),
    ["filter_properties"]
  ),
  route("POST", "/pages", (request, account) =>
    Either.gen(function* () {
      const { children = [], parent, properties = {} } = yield* bodyOf(NewPage, request)
      const place: Parent =
        "page_id" in parent
          ? { type: "page_id", id: (yield* pageOf(account, parent.page_id)).id }
          : { type: "data_source_id", id: (yield* sourceOf(account, parent.data_source_id)).id }
      const columns = yield* columnsOf(account, place)
      const values = yield* readProperties(account, properties, columns)
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
      learn(account, place, values)
      return ok(pageView(account, made))
    })
  ),
  route("PATCH", "/pages/:id", (request, account) =>
    Either.gen(function* () {
      const { archived, in_trash = archived, properties = {} } = yield* bodyOf(PageChanges, request)
      const page = yield* pageOf(account, idOf(request))
      if (page.inTrash && in_trash !== false) {
        return yield* invalid("Can't edit block that is archived. You must unarchive the block before editing.")
      }
      const values = yield* readProperties(account, properties, yield* columnsOf(account, page.parent))
      const changed: Page = {
        ...page,
        edited: account.now,
        inTrash: in_trash ?? page.inTrash,
        properties: { ...page.properties, ...values }
      }
      pages.put(account, page.id, changed)
      learn(account, page.parent, values)
      return ok(pageView(account, changed))
    })
  )
]
