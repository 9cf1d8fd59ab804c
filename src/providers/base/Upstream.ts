import type { UrlParams } from "@effect/platform"
import { type ConfigError, Context, type Effect, type Scope, type Stream } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { CredentialValues } from "../Credentials.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Authorization, ConnectionString } from "./Authorization.ts"
import type { ReadLimits } from "./Limits.ts"
import type { ReadError } from "./Errors.ts"

/** The facts of a provider that every call to it needs. */
export interface Endpoint {
  readonly slug: string
  readonly authorization: Exclude<Authorization, ConnectionString>
  /** Origin of the API for a connection, without a slash at the end; a function where it depends on the credentials. */
  readonly baseUrl: string | ((values: CredentialValues["values"]) => string | undefined)
  /** Accounts can move to another host: `baseUrl` comes from the last token answer, and a new answer may name another host. */
  readonly movesHosts?: boolean
  /** Headers on every call. */
  readonly headers?: (values: CredentialValues["values"]) => { readonly [name: string]: string }
  /** Calls of one connection that may run at a time. */
  readonly concurrency: number
  readonly readError: ReadError
  /** Reads the limits that its answers state; they are kept to before they are reached, and shown to callers. */
  readonly readLimits?: ReadLimits
  /** Most milliseconds of one attempt, from when it is sent. */
  readonly timeout: number
}

/** One call. */
export interface Call {
  /** Name of the operation, such as `contacts.list`, in spans, metrics and errors. */
  readonly operation: string
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /**
   * Path with `:name` places, filled, escaped, from `params`, else from the values of the credentials (`:realmId`). Spans
   * carry the template only.
   */
  readonly path: string
  readonly params?: { readonly [name: string]: string }
  /**
   * Path and query of a caller's own request, sent unchanged in place of `path`; goes with `download`. An answer of any
   * status is a success. Only reads are repeated, and a caller who leaves or runs out of time aborts the call, whatever
   * it changes.
   */
  readonly target?: string
  readonly query?: UrlParams.Input
  readonly json?: unknown
  /** A body as it is; `type` is empty where none was stated. */
  readonly bytes?: { readonly type: string; readonly content: Uint8Array }
  /** A body that is streamed. It can be read once, so the call is never repeated; it may take five minutes. */
  readonly content?: {
    readonly type: string
    readonly stream: Stream.Stream<Uint8Array>
    /** Bytes, where they are known. */
    readonly size?: number | undefined
  }
  readonly headers?: { readonly [name: string]: string }
  /** A POST that changes nothing, such as a search. */
  readonly reads?: boolean
  /** A POST or PUT that the provider makes idempotent may be repeated. */
  readonly repeatable?: boolean
  /** True where the answer is a text, such as the content of a note, and not JSON. */
  readonly text?: boolean
  /** The answer is a file, streamed for as long as this scope lives. */
  readonly download?: Scope.Scope
  /** An address that the provider gave, in place of its own host and the path; it receives no credentials. */
  readonly elsewhere?: string
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** Parsed JSON, undefined when the answer has no body; or the text that the call asked for. */
  readonly body: unknown
  /** Content of a download; fails when the answer breaks off or stalls, or when its scope has ended. */
  readonly content?: Stream.Stream<Uint8Array, ProviderError>
}

/** Calls one provider. */
export type Caller = (connection: ConnectionRef, call: Call) => Effect.Effect<Answer, ProviderError>

/** True for a call that changes nothing at the provider. */
export const isRead = (call: Call) => call.method === "GET" || call.method === "HEAD" || call.reads === true

/** The one way out to providers: credentials, refresh, budget, repeat, time limit, span. */
export class Upstream extends Context.Tag("tributary/providers/base/Upstream")<
  Upstream,
  {
    /** The calls of a provider; reads the operator's `PROVIDER_<SLUG>_BASE_URL`. */
    readonly caller: (endpoint: Endpoint) => Effect.Effect<Caller, ConfigError.ConfigError>
  }
>() {}
