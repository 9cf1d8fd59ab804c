import { Context, Schema } from "effect"
import type { Scopes } from "./Scopes.ts"

/** The data that a key reaches: the sandbox's simulated accounts, or real ones. */
export const Environment = Schema.Literal("sandbox", "production").annotations({
  identifier: "Environment",
  description: "sandbox: simulated accounts; production: real ones"
})
export type Environment = typeof Environment.Type

/** Organisation and environment whose data a query may see. Every query filters by both. */
export interface Tenant {
  /** UUID of the organisation. */
  readonly organisation: string
  readonly environment: Environment
}

/** The tenant whose records are read, with the revision of its field mappings. */
export interface Reader extends Tenant {
  /** Changes with every change of the organisation's field mappings. */
  readonly mappingRevision: string
}

/** The reach of an end user's token: one workspace's tools and chat, as that end user. */
export interface EndUserGrant {
  /** UUID of the workspace. */
  readonly workspace: string
  /** The organisation's own id of the end user. */
  readonly endUserId: string
  /** Allows only tools that change nothing. */
  readonly readOnly: boolean
  /** Names of the allowed tools; null for all of the workspace's. */
  readonly tools: ReadonlyArray<string> | null
}

/** The sender of a request, by its API key or by the token of one of an organisation's end users. */
export interface Caller extends Reader {
  /** UUID of the key, or of the token's grant. */
  readonly key: string
  /** The scopes of the key. */
  readonly scopes: Scopes
  /** Set for an end user's token. */
  readonly grant?: EndUserGrant
}

/** The caller of the request being answered. */
export class CurrentCaller extends Context.Tag("tributary/tenancy/CurrentCaller")<CurrentCaller, Caller>() {}
