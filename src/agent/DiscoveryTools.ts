import { Effect, Schema } from "effect"
import type { Connection } from "../connections/Connection.ts"
import { type JsonObject, tool } from "../toolkits/Tool.ts"
import type { RouterTool } from "./RouterTool.ts"
import { type Offer, sought, ToolName } from "./ToolCatalogue.ts"
import type { Session } from "./ToolGate.ts"
import { bytesOf, outputLimit } from "./Untrusted.ts"

/** How ready a tool is to be called. */
const connectionState = (connections: ReadonlyArray<Connection>, { providers }: Offer) => {
  const own = connections.filter(({ provider }) => providers.includes(provider))
  if (own.length === 0) return "not_connected"
  return own.some(({ status }) => status === "active") ? "connected" : "needs_reauth"
}

interface Found {
  readonly query: string
  readonly offers: ReadonlyArray<Offer>
}

/** Most bytes of a search's answer, as JSON. */
const answerLimit = 24 * 1024

/** How many tools of each query are shown, and how many of them with their schema: the largest size that fits is taken. */
const sizes = (limit: number) => [
  { shown: limit, withSchema: 3 },
  { shown: limit, withSchema: 2 },
  { shown: limit, withSchema: 1 },
  { shown: limit, withSchema: 0 },
  { shown: 5, withSchema: 0 },
  { shown: 3, withSchema: 0 }
]

const brief = (text: string) => (text.length > 240 ? `${text.slice(0, 239)}…` : text)

const rendered = (found: ReadonlyArray<Found>, connections: ReadonlyArray<Connection>, limit: number): JsonObject => {
  const render = ({ shown, withSchema }: { readonly shown: number; readonly withSchema: number }) => {
    const given = new Set<string>()
    return {
      results: found.map(({ offers, query }) => ({
        query,
        tools: offers.slice(0, shown).map((offer, rank) => {
          const isGiven = rank < withSchema && !given.has(offer.name)
          if (isGiven) given.add(offer.name)
          return {
            name: offer.name,
            toolkit: offer.toolkit.slug,
            description: isGiven ? offer.description : brief(offer.description),
            read_only: offer.hints.readOnly,
            destructive: offer.hints.destructive,
            connection: connectionState(connections, offer),
            ...(isGiven ? { input_schema: offer.inputSchema() } : {})
          }
        })
      }))
    }
  }
  const answers = sizes(limit).map((size) => () => render(size))
  let answer: JsonObject = {}
  for (const make of answers) {
    answer = make()
    if (bytesOf(answer) <= answerLimit) break
  }
  return answer
}

const searchTools = (slugs: ReadonlyArray<string>): RouterTool => {
  const exposed = slugs.length === 0 ? "none yet" : slugs.join(", ")
  return tool({
    name: "search_tools",
    title: "Search tools",
    description: `Finds tools by what is to be done, in plain words. Toolkits here: ${exposed}. Ask for several things at once. The best hits come with their input_schema; get_tool_schemas gives the others'. Then call them: read_only ones with execute_read_tools, destructive ones with execute_destructive_tools, others with execute_tools.`,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: Schema.Struct({
      queries: Schema.Array(sought(500))
        .pipe(Schema.minItems(1), Schema.maxItems(5))
        .annotations({ description: 'What is to be done, each in a few words: "create an issue", "unpaid invoices"' }),
      toolkits: Schema.optional(
        Schema.Array(slugs.length === 0 ? Schema.String : Schema.Literal(...slugs))
          .pipe(Schema.maxItems(100))
          .annotations({ description: "Only tools of these toolkits" })
      ),
      read_only: Schema.optional(Schema.Boolean.annotations({ description: "Only tools that change nothing" })),
      limit: Schema.optional(
        Schema.Number.pipe(Schema.int(), Schema.between(1, 20)).annotations({
          description: "At most so many for each query; 5 when absent"
        })
      )
    }),
    run: ({ connections, search }: Session, { limit = 5, queries, read_only, toolkits }) =>
      Effect.map(connections, (held) =>
        rendered(
          queries.map((query) => ({
            query,
            offers: search(
              query,
              limit,
              (offer) =>
                (toolkits === undefined || toolkits.includes(offer.toolkit.slug)) &&
                (read_only !== true || offer.hints.readOnly)
            )
          })),
          held,
          limit
        )
      )
  })
}

/** As many schemas, from the front, as fit into an answer, and always the first; the names of the others. */
const fitting = (offers: ReadonlyArray<Offer>): JsonObject => {
  let left = outputLimit
  const tools = offers.map((offer) => ({
    name: offer.name,
    description: offer.description,
    input_schema: offer.inputSchema(),
    read_only: offer.hints.readOnly,
    destructive: offer.hints.destructive
  }))
  const end = tools.findIndex((one, i) => (left -= bytesOf(one)) < 0 && i > 0)
  return end < 0
    ? { tools }
    : {
        tools: tools.slice(0, end),
        omitted: tools.slice(end).map(({ name }) => name),
        hint: "Not all fit into one answer: call get_tool_schemas again for the omitted ones."
      }
}

const getToolSchemas: RouterTool = tool({
  name: "get_tool_schemas",
  title: "Get schemas of tools",
  description:
    "What tools take: the input_schema of each, and whether it only reads or may destroy. For names that search_tools gave without their schema.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Schema.Struct({
    tools: Schema.Array(ToolName)
      .pipe(Schema.minItems(1), Schema.maxItems(20))
      .annotations({ description: "Names of tools" })
  }),
  run: ({ find, search }: Session, { tools }) =>
    Effect.sync(() => ({
      ...fitting(tools.flatMap((name) => find(name) ?? [])),
      unknown: tools
        .filter((name) => find(name) === undefined)
        .map((name) => ({
          name,
          did_you_mean: search(name.replaceAll(/[_.-]+/g, " "), 3).map((offer) => offer.name)
        }))
    }))
})

/**
 * Makes the tools that find real tools, for one session: they name its toolkits, so that a model knows what it can ask for.
 * Making a tool costs milliseconds, so sessions with the same toolkits share it.
 */
export const makeDiscoveryTools = () => {
  const searches = new Map<string, RouterTool>()
  return ({ toolkits }: Session): ReadonlyArray<RouterTool> => {
    const slugs = toolkits.map(({ slug }) => slug).sort()
    const key = slugs.join()
    const search = searches.get(key) ?? searchTools(slugs)
    searches.set(key, search)
    return [search, getToolSchemas]
  }
}
