import { OpenApi } from "@effect/platform"
import { Context, Option, Schema, Struct } from "effect"

/** The scopes of keys, each with what it covers. */
export const descriptions = {
  "records:read": "Read CRM and accounting records, download files, list and preview field mappings",
  "records:write": "Create, change and delete CRM and accounting records, upload files",
  connect:
    "Make connect tokens, and with `agents` the connect links of agents; list, import, renew and remove connections",
  agents:
    "Manage workspaces, chat sessions and their contexts; call every tool of a workspace, also those that write; chat; read tool calls",
  webhooks: "Read events, manage webhooks and watches",
  passthrough: "Call providers' own APIs",
  admin: "Manage API keys, field mappings and end users; read key events; sign in to the console"
} as const

export type Scope = keyof typeof descriptions

export const scopes: ReadonlyArray<Scope> = Struct.keys(descriptions)

/** Scopes of a key; null for all, also those that are added later. */
export type Scopes = ReadonlyArray<Scope> | null

/** A scope by its name. */
export const Scope = Schema.Literal(...scopes).annotations({
  identifier: "Scope",
  description: "What a key may do",
  message: () => ({ message: `must be one of ${scopes.join(", ")}`, override: true })
})

/** The scope that an operation needs; `any`: nothing but that it is valid. */
export type Requirement = Scope | "any"

class Required extends Context.Tag("tributary/tenancy/Scopes/Required")<Required, Requirement>() {}

/**
 * Declares the scope that an operation needs: annotate each endpoint with it (`annotateContext`, or
 * `annotateEndpointsContext` on a group). `Authentication.admit` enforces it, and the OpenAPI document names it.
 */
export const needs = (scope: Requirement): Context.Context<Required | OpenApi.Transform> =>
  Context.make(Required, scope).pipe(
    Context.add(OpenApi.Transform, ({ description, ...operation }) => ({
      ...operation,
      description: [
        ...(typeof description === "string" ? [description] : []),
        scope === "any" ? "Any API key may call it." : `Needs an API key with the scope \`${scope}\`.`
      ].join("\n\n"),
      security: [{ apiKey: scope === "any" ? [] : [scope] }]
    }))
  )

/** The scope that an endpoint declares; undefined when it declares none. */
export const requirementOf = ({
  annotations
}: {
  readonly annotations: Context.Context<never>
}): Requirement | undefined => Option.getOrUndefined(Context.getOption(annotations, Required))

/** Whether a key with these scopes has one. */
export const includes = (held: Scopes, scope: Scope): boolean => held === null || held.includes(scope)

const isScope = Schema.is(Scope)

/** Stored scopes, without those that only a later version knows. */
export const knownOf = (names: ReadonlyArray<string> | null): Scopes => names?.filter(isScope) ?? null
