import { Effect, Schema } from "effect"
import { getPath, isNative, natives } from "../../mapping/Mapping.ts"
import { each, filled, shown } from "../Answers.ts"
import { choice, list, optional, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, id, paging } from "./Calls.ts"
import { propertiesOf } from "./Properties.ts"
import { pageLine, person, sourceLine } from "./Shapes.ts"

const column = (property: unknown) =>
  filled({
    type: getPath(property, "type"),
    options: natives(getPath(property, `${String(getPath(property, "type"))}.options`)).map(({ name }) => name)
  })

const filterDescription =
  'Notion\'s filter: {"property": "Status", "status": {"equals": "Done"}}, or {"and": […]} or {"or": […]} of such. The second name is the type of the property; conditions are equals, does_not_equal, contains, is_empty, greater_than, before, after, …'

export const dataTools = ({ get, one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "notion_get_database",
    title: "Get a database",
    description:
      "Gets a database with its data sources, which are its tables. Their ids are what the other tools take.",
    keywords: ["table", "tables of a database"],
    hints: hints.read,
    input: Schema.Struct({ database_id: id("Id of the database.") }),
    run: (connection, { database_id }) =>
      Effect.map(get(connection, "databases", database_id), (database) => ({
        ...sourceLine(database),
        data_sources: each("data_sources", shown({ id: "id", name: "name" }))(database)
      }))
  }),
  tool({
    name: "notion_get_data_source",
    title: "Get the columns of a data source",
    description:
      "Gets a data source (a table of a database) with its properties: name, type, and the options of selects and statuses. Use it before filtering or writing rows.",
    keywords: ["columns", "schema", "properties", "fields", "options"],
    hints: hints.read,
    input: Schema.Struct({ data_source_id: id("Id of the data source, from notion_search.") }),
    run: (connection, { data_source_id }) =>
      Effect.map(get(connection, "data_sources", data_source_id), (source) => ({
        ...sourceLine(source),
        properties: Object.fromEntries(
          Object.entries(isNative(source["properties"]) ? source["properties"] : {}).map(([name, property]) => [
            name,
            column(property)
          ])
        )
      }))
  }),
  tool({
    name: "notion_query_data_source",
    title: "Query a data source",
    description:
      "Lists rows of a data source with their properties in plain values, filtered and sorted by properties. Names and types come from notion_get_data_source.",
    keywords: ["filter rows", "table rows", "list tasks", "database query", "entries"],
    hints: hints.read,
    input: Schema.Struct({
      data_source_id: id("Id of the data source, from notion_search."),
      filter: optional(
        Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
          jsonSchema: { type: "object", description: filterDescription }
        })
      ),
      sorts: optional(
        list(
          "By which properties, the first before the second.",
          Schema.Struct({
            property: text("Name of the property.", 200),
            direction: choice("Lowest or highest first.", "ascending", "descending")
          }),
          10
        )
      ),
      ...paging
    }),
    run: (connection, { cursor, data_source_id, filter, limit, sorts }) =>
      page(
        connection,
        {
          operation: "data_sources.query",
          method: "POST",
          path: "/v1/data_sources/:id/query",
          params: { id: data_source_id },
          json: { filter, sorts, start_cursor: cursor, page_size: limit },
          reads: true
        },
        { name: "rows", show: (row) => ({ ...pageLine(row), parent: undefined, properties: propertiesOf(row) }) }
      )
  }),
  tool({
    name: "notion_list_users",
    title: "List people",
    description: "Lists the people and bots of the workspace with their ids, which properties of people take.",
    keywords: ["members", "team", "who is in the workspace", "assignee"],
    hints: hints.read,
    input: Schema.Struct(paging),
    run: (connection, { cursor, limit }) =>
      page(
        connection,
        {
          operation: "users.list",
          method: "GET",
          path: "/v1/users",
          query: { start_cursor: cursor, page_size: limit }
        },
        { name: "people", show: person }
      )
  }),
  tool({
    name: "notion_get_me",
    title: "Get the connected workspace",
    description: "Answers the name of the connected workspace and the bot that acts in it.",
    keywords: ["who am i", "workspace", "account"],
    hints: hints.read,
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(one(connection, { operation: "users.me", method: "GET", path: "/v1/users/me" }), (bot) => ({
        ...person(bot),
        workspace: getPath(bot, "bot.workspace_name")
      }))
  })
]
