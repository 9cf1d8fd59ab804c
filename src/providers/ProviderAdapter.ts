import type { Effect } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { CompiledMapping, CompiledVariant } from "../mapping/Compile.ts"
import type { Encoded, Mode } from "../mapping/Encode.ts"
import type { Bundle, Mapping } from "../mapping/Mapping.ts"
import type { Authorization } from "./axes/Authorization.ts"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { ProviderError } from "./ProviderError.ts"

/** A record as the provider holds it, with its native type. */
export interface NativeRecord extends Bundle {
  readonly nativeType: string
}

export interface ListRequest {
  readonly connection: ConnectionRef
  /** What to read: its variants name the native fields, parts and lookups that are wanted. */
  readonly mapping: CompiledMapping
  /** Where the last page ended, as that page said; null at the start. */
  readonly position: string | null
  /** At most so many records; fewer are right at any time. */
  readonly limit: number
  /** ISO 8601 date-times; creation time at the provider, from (inclusive) and before (exclusive). */
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
}

export interface Page {
  readonly records: ReadonlyArray<NativeRecord>
  /** Null when there is no more. */
  readonly next: string | null
}

/** One record of one native type. */
export interface Target {
  readonly connection: ConnectionRef
  readonly variant: CompiledVariant
  readonly id: string
}

export interface CreateRequest {
  readonly connection: ConnectionRef
  readonly variant: CompiledVariant
  readonly encoded: Encoded
  /** The caller's key, for providers that take one. */
  readonly idempotencyKey: string | undefined
}

export interface UpdateRequest extends Target {
  readonly encoded: Encoded
  /** There when the mapping or `updates: "whole"` asks for it. */
  readonly current: NativeRecord | undefined
  readonly mode: Mode
}

/** What a write made or changed; with the whole record where the provider's answer is one, else it is read back. */
export interface Written {
  readonly id: string
  readonly record?: NativeRecord
}

/**
 * How well a walk through a list holds while records come and go: `exact` (each record that exists throughout comes
 * exactly once), `anchored` (offsets, corrected by the last record seen), `best-effort`.
 */
export type Consistency = "exact" | "anchored" | "best-effort"

/** What a provider can do with one canonical resource. An operation it lacks is absent; the service answers for that. */
export interface ResourceAdapter {
  readonly mapping: Mapping
  readonly consistency: Consistency
  /** `whole`: the provider replaces records on update, so the present one is read first and merged. */
  readonly updates?: "whole" | "sparse"
  /** A create sent again under the same idempotency key makes no second record. */
  readonly repeatsCreates?: boolean
  readonly list?: (request: ListRequest) => Effect.Effect<Page, ProviderError>
  readonly get?: (target: Target) => Effect.Effect<NativeRecord, ProviderError>
  readonly create?: (request: CreateRequest) => Effect.Effect<Written, ProviderError>
  readonly replace?: (request: UpdateRequest) => Effect.Effect<Written, ProviderError>
  readonly patch?: (request: UpdateRequest) => Effect.Effect<Written, ProviderError>
  readonly remove?: (
    target: Target & { readonly current: NativeRecord | undefined }
  ) => Effect.Effect<void, ProviderError>
}

/** A value that mappings need and that seldom changes (pipelines, preferences), cached for the connection. */
export interface Lookup {
  /** Seconds it stays good. */
  readonly ttl: number
  readonly load: (connection: ConnectionRef) => Effect.Effect<unknown, ProviderError>
}

/** A provider: facts, and what it can do with each resource, by canonical name. */
export interface ProviderAdapter {
  readonly slug: string
  readonly name: string
  readonly category: Category
  readonly authorization: Authorization
  readonly resources: { readonly [resource: string]: ResourceAdapter }
  readonly lookups: { readonly [name: string]: Lookup }
}

/** The verbs of a resource adapter, in the order of the capability matrix. */
export const operations = ["list", "get", "create", "replace", "patch", "remove"] as const
export type Operation = (typeof operations)[number]
