import type { Effect, Scope, Stream } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { Rule } from "../canonical/Rule.ts"
import type { CompiledMapping, CompiledVariant } from "../mapping/Compile.ts"
import type { Encoded, Mode } from "../mapping/Encode.ts"
import type { Bundle, Mapping } from "../mapping/Mapping.ts"
import type { Identity, NativeType, RecordContext } from "../mapping/Transform.ts"
import type { Handling } from "../mapping/Warning.ts"
import type { Authorization, OAuth2, ValueForm } from "./base/Authorization.ts"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { Doubt } from "./Doubt.ts"
import type { Following } from "./Following.ts"
import type { NativeApi } from "./NativeApi.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { Push } from "./Push.ts"
import type { Requirement, ResourceRequirement } from "./Requirement.ts"

/** A record as the provider holds it, with its native type. */
export interface NativeRecord extends Bundle {
  readonly nativeType: string
  /**
   * Of a record that was deleted, in a list that asks for `include_deleted`: when (ISO 8601 in UTC), null where the provider
   * does not say. Such a record may have its id alone.
   */
  readonly deletedAt?: string | null
  /** Merges that the provider reports: records merged into this one, and the record that this one was merged into. */
  readonly merge?: { readonly absorbs?: ReadonlyArray<string>; readonly into?: string }
  /** It has only its id and stamps: other values that the mapping makes of it, such as the usual currency, do not count. */
  readonly isBare?: true
}

/** The value that a filter of a list looks for. */
export interface Sought {
  /** As the caller wrote it; a moment is an ISO 8601 instant in UTC with milliseconds. */
  readonly text: string
  /** The values, where a filter takes several; else `text` alone. */
  readonly values: ReadonlyArray<string>
  /** The record of this connection that a UUID means; absent for a filter that takes ids of the provider. */
  readonly record?: Identity
}

export interface ListRequest {
  readonly connection: ConnectionRef
  /** The mapping to read with: its variants name the native fields, parts and lookups that are wanted. */
  readonly mapping: CompiledMapping
  /** Where the last page ended, as that page said; null at the start. */
  readonly position: string | null
  /** At most so many records; fewer are right at any time. */
  readonly limit: number
  /** The filters that cut down the list. An adapter that can answer one says so in `finds`, or finds fewer to sift. */
  readonly wanted: { readonly [filter: string]: Sought }
}

export interface Page {
  readonly records: ReadonlyArray<NativeRecord>
  /** Null when there is no more. */
  readonly next: string | null
  /** Native records were looked through and left out, so an empty page says nothing about what follows. */
  readonly sparse?: boolean
}

/** A body that is about to be encoded. */
export interface BodyRequest {
  readonly connection: ConnectionRef
  readonly body: { readonly [field: string]: unknown }
  readonly mode: Mode
  /** The record behind a UUID as the body has it. */
  readonly resolve: (uuid: string) => Identity | undefined
  /** The lookups that the mapping asked for. */
  readonly lookups: { readonly [name: string]: unknown }
  /** The record that is to be changed, where it was read. */
  readonly current: NativeRecord | undefined
  /** Service ids of lines. */
  readonly line: RecordContext["line"]
}

/** One record of one native type. */
export interface Target {
  readonly connection: ConnectionRef
  readonly variant: CompiledVariant
  readonly id: string
}

/** `allow`: saves a record that a duplicate rule would refuse, where the rule permits it. */
export type OnDuplicate = "allow"

export interface CreateRequest {
  readonly connection: ConnectionRef
  readonly variant: CompiledVariant
  readonly encoded: Encoded
  /** How to treat a value that only the write shows is not held; absent: leave it out. */
  readonly handling?: Handling
  readonly onDuplicate?: OnDuplicate | undefined
  /** The caller's key, for providers that take one. */
  readonly idempotencyKey: string | undefined
}

export interface UpdateRequest extends Target {
  readonly encoded: Encoded
  /** As in a create. */
  readonly handling?: Handling
  readonly onDuplicate?: OnDuplicate | undefined
  /** Present if the mapping, `updates: "whole"` or `readsBeforeUpdate` needs it. */
  readonly current: NativeRecord | undefined
  readonly mode: Mode
}

/** The result of a write; with the whole record if the provider's answer is one, else it is read back. */
export interface Written {
  readonly id: string
  readonly record?: NativeRecord
}

export interface UploadRequest {
  readonly connection: ConnectionRef
  readonly variant: CompiledVariant
  /** Values to write for the file. */
  readonly encoded: Encoded
  /** The record that it is to hang on. */
  readonly parent: { readonly resource: string; readonly nativeType: string; readonly id: string } | undefined
  /**
   * The file; `content` can be run once and does not fail: should the sender break off, the upload is interrupted before its
   * end.
   */
  readonly file: {
    readonly name: string
    readonly contentType: string
    readonly content: Stream.Stream<Uint8Array>
  }
}

/** How files get to a provider. */
export interface Upload {
  /** Content types by the extension of the file's name (in lower case); the first stands in for a vague one. */
  readonly types: { readonly [extension: string]: readonly [string, ...ReadonlyArray<string>] }
  /** Native types of the records that a file can hang on. */
  readonly parents: ReadonlyArray<string>
  /** Bytes of a file, where the provider takes less than the service. */
  readonly limit?: number
  readonly send: (request: UploadRequest) => Effect.Effect<Written, ProviderError>
}

/** A file on its way from a provider. */
export interface Download {
  readonly contentType: string | undefined
  /** Bytes, if the provider tells. */
  readonly size: number | undefined
  readonly content: Stream.Stream<Uint8Array, ProviderError>
}

/**
 * How well a walk through a list holds while records come and go: `exact` (each record that exists throughout comes
 * exactly once), `anchored` (offsets, corrected by the last record seen), `best-effort`.
 */
export const consistencies = ["exact", "anchored", "best-effort"] as const
export type Consistency = (typeof consistencies)[number]

/** Operations of a provider on one canonical resource. One that it lacks is absent; the service answers for it. */
export interface ResourceAdapter {
  readonly mapping: Mapping
  readonly consistency: Consistency
  /**
   * Canonical fields that may be null (a list: empty) in lists, and in records beside references, as the provider tells them
   * only of a single record:
   * `tax_number`, `lines[].expense_date`.
   */
  readonly nullInLists?: ReadonlyArray<string>
  /** Calls that a list takes if it finds nothing, without those for deleted records; absent: one for each native type. */
  readonly looks?: number
  /** Filters of the resource that lists answer exactly; the service sifts what they give by the others. */
  readonly finds?: ReadonlyArray<string>
  /**
   * Canonical fields that a create or a replace must have here, beside those that every provider needs: `stage`,
   * `line_items[].item`.
   */
  readonly needs?: ReadonlyArray<string>
  /** Conditions between fields of a create or a replace that hold here, beside those of the resource. */
  readonly rules?: ReadonlyArray<Rule>
  /** The native type of an id, where ids tell it. */
  readonly nativeTypeOf?: (id: string) => string | undefined
  /** No two records of its native types have the same id, so one that was seen before is still of the type that it was. */
  readonly hasUniqueIds?: boolean
  /** Scopes, tiers, editions and modules that the resource, or some of its native types, need and not every account has. */
  readonly requires?: ReadonlyArray<ResourceRequirement>
  /** `whole`: the provider replaces records on update, so the present one is read first and merged. */
  readonly updates?: "whole" | "sparse"
  /** Updates send only what differs from the record, so it is read before. */
  readonly readsBeforeUpdate?: boolean
  /** A delete reads the record first, because the provider would delete another one under the id of a merged record. */
  readonly readsBeforeRemove?: boolean
  /** `allow`: a request can pass the provider's duplicate rules with `on_duplicate=allow`. Absent: it cannot. */
  readonly duplicates?: OnDuplicate
  /** A create sent again under the same idempotency key makes no second record. */
  readonly repeatsCreates?: boolean
  /** Further lookups to encode a body with, by the records that it names. */
  readonly related?: (request: BodyRequest) => Effect.Effect<{ readonly [name: string]: unknown }, ProviderError>
  readonly list?: (request: ListRequest) => Effect.Effect<Page, ProviderError>
  readonly get?: (target: Target) => Effect.Effect<NativeRecord, ProviderError>
  /**
   * Gets the records of several native types that have an id, in fewer calls than a `get` of each takes: at most one of each
   * type, and none where it is not there. Absent: `get` asks for them side by side.
   */
  readonly getAmong?: (
    targets: Omit<Target, "variant"> & { readonly variants: ReadonlyArray<CompiledVariant> }
  ) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  /** Gets records of one native type by their ids, in as few calls as the provider needs; leaves out those not there. */
  readonly getMany?: (
    targets: Omit<Target, "id"> & { readonly mapping: CompiledMapping; readonly ids: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  readonly create?: (request: CreateRequest) => Effect.Effect<Written, ProviderError>
  readonly replace?: (request: UpdateRequest) => Effect.Effect<Written, ProviderError>
  readonly patch?: (request: UpdateRequest) => Effect.Effect<Written, ProviderError>
  readonly remove?: (
    target: Target & { readonly current: NativeRecord | undefined }
  ) => Effect.Effect<void, ProviderError>
  /** Takes the place of `create` for records that are files. */
  readonly upload?: Upload
  /** A file, as long as the scope lives. */
  readonly download?: (target: Target) => Effect.Effect<Download, ProviderError, Scope.Scope>
}

/** A value that mappings need and that seldom changes (pipelines, preferences), cached for the connection. */
export interface Lookup {
  /** Seconds it stays good. */
  readonly ttl: number
  readonly load: (connection: ConnectionRef) => Effect.Effect<unknown, ProviderError>
}

/** A field of a native type, as the provider's own metadata describe it. */
export interface NativeField {
  /** Path in native records; an override names it so, or without the mapping's root. */
  readonly name: string
  /** Name that the provider's users know. */
  readonly label: string
  /** Path with the field's id, for providers whose errors name fields by id. */
  readonly idPath?: string
  readonly type: NativeType
  /** A record that is there does not take it in an update. */
  readonly readOnly: boolean
  /** Choices of a pick list. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** It leads to a record of this native type, whose fields may follow after a dot. */
  readonly leadsTo?: string
}

/** The fields of a native type in one account. */
export interface NativeFields {
  readonly fields: ReadonlyArray<NativeField>
  /** Whether the metadata know every path of this kind, so that one they lack is wrong; absent: they know all. */
  readonly covers?: (path: string) => boolean
}

/** A provider: facts, and what it can do with each resource, by canonical name. */
export interface ProviderAdapter {
  readonly slug: string
  readonly name: string
  readonly category: Category
  /** How an account is connected; the recommended way where there are two. */
  readonly authorization: Authorization
  /** Consent, where that is a second way. */
  readonly consent?: OAuth2
  readonly resources: { readonly [resource: string]: ResourceAdapter }
  readonly lookups: { readonly [name: string]: Lookup }
  /** The text that its own search takes as `q`, without spaces around it; absent: any. */
  readonly searchText?: Pick<ValueForm, "pattern" | "expected">
  /** An id of a record as other records hold it, where the provider takes it in other forms too; absent: it has one form. */
  readonly idAsHeld?: (id: string) => string
  /** Its own API, for what the canonical resources do not reach; absent: callers cannot use that. */
  readonly api?: NativeApi
  /** Which fields a native type has in the account of a connection; undefined where the provider does not tell. */
  readonly fieldsOf?: (
    connection: ConnectionRef,
    nativeType: string
  ) => Effect.Effect<NativeFields | undefined, ProviderError>
  /**
   * Finds out, in a cheap call or two, which of the things that its resources require an account has; undefined where that
   * cannot be told. Scopes are known from the consent.
   */
  readonly held?: (
    connection: ConnectionRef
  ) => Effect.Effect<(requirement: Requirement) => boolean | undefined, ProviderError>
  /** Facts for following its records; absent: the usual ones. */
  readonly following?: Following
  /** How it announces changes by itself, if it does. */
  readonly push?: Push
  /** Assumptions that could not be verified without an account at the provider. */
  readonly doubts?: ReadonlyArray<Doubt>
}

/** The verbs of a resource adapter, in the order of the capability matrix. */
export const operations = ["list", "get", "create", "replace", "patch", "remove", "download"] as const
export type Operation = (typeof operations)[number]

/** Whether a provider has an operation; a file is created by its upload. */
export const has = (resourceAdapter: ResourceAdapter, operation: Operation): boolean =>
  resourceAdapter[operation] !== undefined || (operation === "create" && resourceAdapter.upload !== undefined)
