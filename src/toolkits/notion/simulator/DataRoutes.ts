import { Either, Schema } from "effect"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { bodyOf, invalid, listed, missing, ok, paging, route } from "./Answers.ts"
import { inOrder, Sort, testOf } from "./Filter.ts"
import { Anything, idOf, sourceOf } from "./Lookup.ts"
import { idIn, pages, sources } from "./Tables.ts"
import { columnNamed, titleOf } from "./Values.ts"
import { databaseView, pageView, sourceView, wantedIn } from "./Views.ts"

// Searches, databases and their data sources: https://developers.notion.com/reference/data-source

const optional = Schema.optional

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

const Query = Schema.Struct({ filter: optional(Anything), sorts: optional(Schema.Array(Sort)), ...paging })

export const dataRoutes: ReadonlyArray<Route> = [
  route("POST", "/search", (request, account) =>
    Either.gen(function* () {
      const { filter, query = "", sort, ...page } = yield* bodyOf(Search, request)
      const all = [
        ...(filter?.value === "data_source"
          ? []
          : pages
              .all(account)
              .filter(({ inTrash }) => !inTrash)
              .map((one) => ({
                id: one.id,
                edited: one.edited,
                title: titleOf(one),
                view: () => pageView(account, one)
              }))),
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
  route(
    "POST",
    "/data_sources/:id/query",
    (request, account) =>
      Either.gen(function* () {
        const { filter, sorts = [], ...page } = yield* bodyOf(Query, request)
        const source = yield* sourceOf(account, idOf(request))
        for (const sort of sorts) {
          if ("property" in sort && columnNamed(source.properties, sort.property) === undefined) {
            return yield* invalid(`Could not find sort property with name or id: ${sort.property}`)
          }
        }
        const test =
          filter === undefined ? () => true : yield* Either.orElse(testOf(filter, source.properties), invalid)
        const rows = pages.all(account).filter((one) => one.parent.id === source.id && !one.inTrash && test(one))
        return yield* listed(rows.sort(inOrder(sorts, source.properties)), page, "page_or_data_source", (row) =>
          pageView(account, row, wantedIn(request))
        )
      }),
    ["filter_properties"]
  )
]
