import { Context, Effect, Layer, Schema } from "effect"
import type { Category } from "../canonical/Resource.ts"
import { Providers } from "../providers/Providers.ts"
import type { ConnectionTool, JsonObject, Tool } from "../toolkits/Tool.ts"
import { type Toolkit, Toolkits } from "../toolkits/Toolkits.ts"
import { isObject } from "./Json.ts"
import { lean } from "./LeanSchema.ts"
import { makeIndex, type ToolIndex } from "./ToolSearch.ts"
import { type CallContext, type RecordTool, UnifiedToolkit } from "./UnifiedToolkit.ts"

/** A toolkit as agents see it. */
export interface ToolkitFacts {
  /** Name in a workspace's `integrations`. */
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Slugs of the providers whose connections it works with: its own, or those of its category. */
  readonly providers: ReadonlyArray<string>
}

/** A tool of this deployment. */
export interface Offer extends Tool<CallContext> {
  readonly toolkit: ToolkitFacts
  /** Slugs of the providers whose connections it can be called with. */
  readonly providers: ReadonlyArray<string>
  /** `one`: it needs one connection; `every`: it works over all of them at once. */
  readonly reach: "one" | "every"
}

/** Every tool there is: the toolkits' and the unified ones. */
export class ToolCatalogue extends Context.Tag("tributary/agent/ToolCatalogue")<
  ToolCatalogue,
  {
    readonly toolkits: () => ReadonlyArray<ToolkitFacts>
    readonly tools: () => ReadonlyArray<Offer>
    /** Finds a tool by its name, however a model spells it. */
    readonly find: (name: string) => Offer | undefined
    readonly index: () => ToolIndex
  }
>() {
  static readonly layer = Layer.effect(
    ToolCatalogue,
    Effect.gen(function* () {
      const registered = yield* Toolkits
      const providers = yield* Providers
      const unified = yield* UnifiedToolkit

      const unifiedFacts = (category: Category): ReadonlyArray<ToolkitFacts> => {
        const slugs = providers.all(category).map(({ slug }) => slug)
        return slugs.length === 0 ? [] : [{ ...facts[category], slug: category, providers: slugs }]
      }

      const toolkits = (): ReadonlyArray<ToolkitFacts> => [
        ...registered.all().map(({ description, name, slug }) => ({ slug, name, description, providers: [slug] })),
        ...unifiedFacts("crm"),
        ...unifiedFacts("accounting")
      ]

      const make = () => {
        const known = toolkits()
        const tools = known
          .flatMap((toolkit): ReadonlyArray<Offer> => {
            const own = registered.get(toolkit.slug)
            return own === undefined
              ? unified
                  .tools(toolkit.slug === "crm" ? "crm" : "accounting")
                  .map((tool) => offerOfRecords(toolkit, tool))
              : own.tools.map((tool) => offerOfConnection(toolkit, tool))
          })
          .sort((a, b) => (a.name < b.name ? -1 : 1))
        let index: ToolIndex | undefined
        return {
          tools,
          byName: new Map(tools.map((offer) => [offer.name, offer])),
          index: () => (index ??= makeIndex(tools))
        }
      }

      // made on first use, since toolkits and providers register after this, and again when they change
      let held: { readonly of: ReadonlyArray<unknown>; readonly made: ReturnType<typeof make> } | undefined
      const current = () => {
        const of: ReadonlyArray<unknown> = [...registered.all(), ...providers.all()]
        if (held?.of.length !== of.length || held.of.some((one, i) => one !== of[i])) held = { of, made: make() }
        return held.made
      }

      return {
        toolkits,
        tools: () => current().tools,
        find: (name) => current().byName.get(plainName(name)),
        index: () => current().index()
      }
    })
  )
}

const facts = {
  crm: {
    name: "CRM",
    description: "Contacts, companies, leads, deals, notes, tasks, meetings and activities of the connected CRMs."
  },
  accounting: {
    name: "Accounting",
    description: "Invoices, bills, payments, accounts, items, contacts and reports of the connected ledgers."
  }
} as const satisfies { readonly [C in Category]: Pick<Toolkit, "name" | "description"> }

/** Most characters of a tool's name: finding similar names takes time and memory that grow with its square. */
export const nameLimit = 128

/** Text to search for, of at most `limit` characters. */
export const sought = (limit: number) =>
  Schema.String.pipe(Schema.minLength(1), Schema.maxLength(limit)).annotations({
    message: () => ({ message: `must be text of 1 to ${limit} characters`, override: true })
  })

/** The name of a tool, as clients and models write it. */
export const ToolName = sought(nameLimit)

/** `functions.GitHub-create-issue` is `github_create_issue`; "" for what is too long to be a name. */
export const plainName = (name: string) =>
  name.length > nameLimit
    ? ""
    : name
        .trim()
        .toLowerCase()
        .replace(/^functions[.:/]/, "")
        .replace(/[.:/\s-]+/g, "_")

/** Adds the arguments that select a connection; `ToolGate` takes them out again. */
const choosing = (schema: JsonObject, providers: ReadonlyArray<string>): JsonObject => ({
  ...schema,
  properties: {
    ...(isObject(schema["properties"]) ? schema["properties"] : {}),
    ...(providers.length > 1
      ? {
          provider: {
            type: "string",
            enum: providers,
            description: "Which provider, where the end user has connected several"
          }
        }
      : {}),
    connection_id: {
      type: "string",
      format: "uuid",
      description: "Which connection, where the end user has several; providerId of a record"
    }
  }
})

const offer = (
  toolkit: ToolkitFacts,
  tool: Omit<Tool<never>, "call">,
  rest: Pick<Offer, "call" | "providers" | "reach">
): Offer => {
  let schema: JsonObject | undefined
  return {
    ...rest,
    toolkit,
    name: tool.name,
    title: tool.title,
    description: tool.description,
    keywords: tool.keywords,
    hints: tool.hints,
    scopes: tool.scopes,
    check: tool.check,
    ...(tool.verbatim === undefined ? {} : { verbatim: tool.verbatim }),
    inputSchema: () => (schema ??= choosing(lean(tool.inputSchema()), rest.providers))
  }
}

const offerOfConnection = (toolkit: ToolkitFacts, tool: ConnectionTool): Offer =>
  offer(toolkit, tool, {
    providers: toolkit.providers,
    reach: "one",
    call: ({ at }, args) =>
      at === undefined ? Effect.dieMessage("a tool of a connection was called without it") : tool.call(at, args)
  })

const offerOfRecords = (toolkit: ToolkitFacts, tool: RecordTool): Offer =>
  offer(toolkit, tool, { providers: tool.providers, reach: tool.reach, call: tool.call })
