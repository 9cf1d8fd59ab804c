import { Effect, Either, Schema } from "effect"
import { getPath, isNative } from "../../mapping/Mapping.ts"
import { Invalid, ProviderError } from "../../providers/ProviderError.ts"
import { anyText, choice, flag, optional, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, id, paging } from "./Calls.ts"
import { blocksOf, richText } from "./Markdown.ts"
import { propertiesOf, titleName, Value, written } from "./Properties.ts"
import { found, pageLine, parentOf } from "./Shapes.ts"

/** Blocks that one request takes. https://developers.notion.com/reference/request-limits#size-limits */
export const mostBlocks = 100

export const refuse = (operation: string, fields: { readonly [name: string]: string }) =>
  new ProviderError({ provider: "notion", operation, reason: new Invalid({ fields }) })

/** Blocks of Markdown, as many as one request takes. */
export const blocksIn = (operation: string, content: string) => {
  const blocks = blocksOf(content)
  return blocks.length <= mostBlocks
    ? Effect.succeed(blocks)
    : refuse(operation, { content: `has ${blocks.length} lines; at most ${mostBlocks} at a time, append the rest` })
}

export const content = (description: string) =>
  text(
    `${description} In Markdown: headings, lists, tasks (\`- [ ]\`), quotes, code fences, bold, italic, links. Each line is a block, at most 100.`,
    50_000
  )

const properties = optional(
  Schema.Record({ key: Schema.String, value: Value }).annotations({
    description:
      'Values by the name of the property, such as {"Status": "Done", "Points": 3, "Tags": ["a"], "Due": "2026-01-31"}; null empties. Names and types come from notion_get_data_source.'
  })
)

export const pageTools = ({ get, one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "notion_search",
    title: "Search pages and data sources",
    description:
      "Finds pages and data sources (tables of databases) by words in their title, those edited last first. Everything the connection may see when `query` is left out. For rows of a table by their properties use notion_query_data_source.",
    keywords: ["find page", "look for document", "wiki", "notes", "knowledge base", "find database"],
    hints: hints.read,
    input: Schema.Struct({
      query: optional(text("Words of the title.", 200)),
      kind: optional(choice("Only pages or only data sources; both when left out.", "page", "data_source")),
      ...paging
    }),
    run: (connection, { cursor, kind, limit, query }) =>
      page(
        connection,
        {
          operation: "search",
          method: "POST",
          path: "/v1/search",
          json: {
            query,
            ...(kind === undefined ? {} : { filter: { property: "object", value: kind } }),
            sort: { timestamp: "last_edited_time", direction: "descending" },
            start_cursor: cursor,
            page_size: limit
          },
          reads: true
        },
        { name: "results", show: found }
      )
  }),
  tool({
    name: "notion_get_page",
    title: "Get a page",
    description:
      "Gets a page's title, address, parent and properties in plain values. What is written on it comes from notion_list_blocks with the same id.",
    keywords: ["open page", "read document", "row of a database", "properties"],
    hints: hints.read,
    input: Schema.Struct({ page_id: id("Id of the page.") }),
    run: (connection, { page_id }) =>
      Effect.map(get(connection, "pages", page_id), (found) => ({
        ...pageLine(found),
        properties: propertiesOf(found)
      }))
  }),
  tool({
    name: "notion_create_page",
    title: "Create a page",
    description:
      "Creates a page below another page, or as a row of a data source (then with `properties`). Exactly one of `parent_page_id` and `data_source_id` says where.",
    keywords: ["new document", "write page", "add row", "new note", "new entry", "add to database"],
    hints: hints.create,
    input: Schema.Struct({
      parent_page_id: optional(id("Id of the page below which it goes.")),
      data_source_id: optional(id("Id of the data source that gets a row.")),
      title: text("Title of the page.", 2000),
      properties,
      content: optional(content("What is written on the page."))
    }),
    run: (connection, { content = "", data_source_id, parent_page_id, properties = {}, title }) =>
      Effect.gen(function* () {
        const operation = "pages.create"
        if ((data_source_id === undefined) === (parent_page_id === undefined)) {
          return yield* refuse(operation, { parent_page_id: "or data_source_id must be given, not both" })
        }
        const known =
          data_source_id === undefined
            ? { title: { type: "title" } }
            : (yield* get(connection, "data_sources", data_source_id))["properties"]
        const values = yield* Either.mapLeft(written(properties, known), (fields) => refuse(operation, fields))
        const made = yield* one(connection, {
          operation,
          method: "POST",
          path: "/v1/pages",
          json: {
            parent: data_source_id === undefined ? { page_id: parent_page_id } : { data_source_id },
            properties: { ...values, [titleName(known)]: { title: richText(title) } },
            children: yield* blocksIn(operation, content)
          }
        })
        return { ...pageLine(made), properties: propertiesOf(made) }
      })
  }),
  tool({
    name: "notion_update_page",
    title: "Change a page",
    description:
      "Changes the title or properties of a page, or moves it to the trash and back. What is written on it is extended with notion_append_blocks.",
    keywords: ["edit page", "rename", "set status", "update row", "delete page", "archive", "restore"],
    hints: hints.update,
    input: Schema.Struct({
      page_id: id("Id of the page."),
      title: optional(anyText("The new title.", 2000)),
      properties,
      in_trash: optional(flag("true moves it to the trash, false takes it out again."))
    }),
    run: (connection, { in_trash, page_id, properties = {}, title }) =>
      Effect.gen(function* () {
        const operation = "pages.update"
        if (in_trash === undefined && title === undefined && Object.keys(properties).length === 0) {
          return yield* refuse(operation, { properties: "or title or in_trash must be given" })
        }
        const present = yield* get(connection, "pages", page_id)
        const source = getPath(parentOf(present), "data_source_id")
        // a page has every property of its data source
        const known = isNative(present["properties"]) ? present["properties"] : {}
        const values = yield* Either.mapLeft(written(properties, known), (fields) =>
          refuse(operation, source === undefined ? { ...fields, page_id: "is not a row of a data source" } : fields)
        )
        const changed = yield* one(connection, {
          operation,
          method: "PATCH",
          path: "/v1/pages/:id",
          params: { id: page_id },
          json: {
            ...(in_trash === undefined ? {} : { in_trash }),
            properties: {
              ...values,
              ...(title === undefined ? {} : { [titleName(known)]: { title: richText(title) } })
            }
          }
        })
        return { ...pageLine(changed), properties: propertiesOf(changed) }
      })
  })
]
