import { Context, Schema } from "effect"
import type { Scopes } from "./Scopes.ts"

/** Which data a key reaches: the sandbox's simulated accounts, or real ones. */
export const Environment = Schema.Literal("sandbox", "production").annotations({
  identifier: "Environment",
  description: "sandbox: simulated accounts; production: real ones"
})
export type Environment = typeof Environment.Type

/** Whose data a look-up may see. Every query is filtered by both. */
export interface Tenant {
  /** UUID of the organisation. */
  readonly organisation: string
  readonly environment: Environment
}

/** Whose records are read, and by which field mappings. */
export interface Reader extends Tenant {
  /** Changes with every change of the organisation's field mappings. */
  readonly mappingRevision: string
}

/** Who sends a request: what its API key says. */
export interface Caller extends Reader {
  /** UUID of the key. */
  readonly key: string
  /** The scopes of the key. */
  readonly scopes: Scopes
}

/** The caller of the request being answered. */
export class CurrentCaller extends Context.Tag("tributary/tenancy/CurrentCaller")<CurrentCaller, Caller>() {}
