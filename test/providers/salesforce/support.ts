import { Effect, Either } from "effect"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { compile, type CompiledVariant } from "../../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../../src/mapping/Encode.ts"
import { isNative, type Native } from "../../../src/mapping/Mapping.ts"
import type { Handling } from "../../../src/mapping/Warning.ts"
import type { Call, Caller } from "../../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { KeptValues } from "../../../src/providers/KeptValues.ts"
import type { NativeRecord, ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { ProviderError } from "../../../src/providers/ProviderError.ts"
import { makeOrg } from "../../../src/providers/salesforce/Org.ts"

export const connection: ConnectionRef = {
  id: "acme",
  provider: "salesforce",
  environment: "sandbox",
  organisation: "org"
}

export const objects = (value: unknown): ReadonlyArray<Native> => (Array.isArray(value) ? value.filter(isNative) : [])

export const context = {
  reference: (_: string, __: string, id: string) => id,
  line: (path: string, line: string) => `${path}/${line}`
}

export const stages: ReadonlyArray<Native> = [
  { ApiName: "Prospecting", IsActive: true, IsClosed: false, IsWon: false },
  { ApiName: "Old win", IsActive: false, IsClosed: true, IsWon: true },
  { ApiName: "Closed Won", IsActive: true, IsClosed: true, IsWon: true },
  { ApiName: "Closed Lost", IsActive: true, IsClosed: true, IsWon: false }
]

/** A variant of an adapter's mapping; the first one when no native type is named. */
export const variantOf = (resource: Resource, adapter: ResourceAdapter, nativeType?: string): CompiledVariant => {
  const { variants } = compile("salesforce", resource, adapter.mapping)
  const variant = variants.find((one) => nativeType === undefined || one.nativeType === nativeType)
  if (variant === undefined) throw new Error(`${resource.name} has no variant`)
  return variant
}

const statuses = (flag: string, flagged: string, ...names: ReadonlyArray<string>): ReadonlyArray<Native> =>
  names.map((name, index) => ({ ApiName: name, IsDefault: index === 0, [flag]: name === flagged }))

const known: Native = {
  stages,
  taskStatuses: statuses("IsClosed", "Completed", "Not Started", "In Progress", "Completed", "Deferred"),
  leadStatuses: statuses(
    "IsConverted",
    "Closed - Converted",
    "Open - Not Contacted",
    "Working - Contacted",
    "Closed - Converted",
    "Closed - Not Converted"
  )
}

const encodeAs = (
  handling: Handling,
  variant: CompiledVariant,
  body: Body,
  mode: Mode,
  current?: NativeRecord,
  lookups: Native = known
) =>
  variant.encode(body, mode, {
    resolve: () => undefined,
    lookups,
    current,
    handling,
    today: "2026-03-02",
    currentRecord: current === undefined ? undefined : variant.decode(current, context)
  })

type Written = [variant: CompiledVariant, body: Body, mode: Mode, current?: NativeRecord, lookups?: Native]

export const encodeWith = (...args: Written) => encodeAs("strict", ...args)

/** Encodes leniently: the native record, and the warnings: `field CODE`. */
export const lenient = (...args: Written) => {
  const { record, warnings } = Either.getOrThrowWith(
    encodeAs("lenient", ...args),
    (refusals) => new Error(JSON.stringify(refusals))
  )
  return { record, said: warnings.map(({ code, field }) => `${field} ${code}`) }
}

export const encoded = (...args: Parameters<typeof encodeWith>) =>
  Either.getOrThrowWith(encodeWith(...args), (refusals) => new Error(JSON.stringify(refusals)))

/** The paths at which a body cannot be written. */
export const refused = (...args: Parameters<typeof encodeWith>) =>
  Object.keys(Either.match(encodeWith(...args), { onLeft: (refusals) => refusals, onRight: () => ({}) })).sort()

export interface Told {
  readonly status: number
  readonly body: unknown
  readonly headers?: { readonly [name: string]: string }
}

/** A part of a composite request as a call of its own; it refers to what was made by its id alone. */
const callOf = (operation: string, { body, method, url }: Native, made: ReadonlyMap<string, unknown>): Call => {
  const filled = String(url).replace(/@\{(\w+)\.id\}/g, (_, name: string) => String(made.get(name)))
  const { pathname, searchParams } = new URL(filled, "https://org")
  const [, type = "", id = ""] = /\/sobjects\/(\w+)\/?(\w*)$/.exec(pathname) ?? []
  return {
    operation,
    method: method === "GET" || method === "POST" || method === "PATCH" ? method : "DELETE",
    path: pathname,
    params: { type, id },
    query: Object.fromEntries(searchParams),
    ...(body === undefined ? {} : { json: body })
  }
}

/** An org that answers as told and remembers what it was asked, the parts of composite requests one by one. */
export const orgOf = (answer: (call: Call) => Told | ProviderError) => {
  const calls: Array<Call> = []
  const toldOf = (request: Call) => {
    calls.push(request)
    return answer(request)
  }
  const composite = ({ json, operation }: Call): Told => {
    const made = new Map<string, unknown>()
    const compositeResponse = objects(isNative(json) ? json.compositeRequest : []).map((part) => {
      const said = toldOf(callOf(operation, part, made))
      const { referenceId } = part
      if (said instanceof ProviderError) {
        const body = [{ errorCode: "INVALID_CROSS_REFERENCE_KEY", message: said.detail ?? "", fields: [] }]
        return { referenceId, httpStatusCode: said.status ?? 400, body }
      }
      if (isNative(said.body)) made.set(String(referenceId), said.body.id)
      return { referenceId, httpStatusCode: said.status, body: said.body }
    })
    return { status: 200, body: { compositeResponse } }
  }
  const call: Caller = (_, request) =>
    Effect.suspend(() => {
      const said = request.path.endsWith("/composite") ? composite(request) : toldOf(request)
      return said instanceof ProviderError ? said : Effect.succeed({ headers: {}, ...said })
    })
  return Effect.map(makeOrg(call), (org) => ({ org, calls })).pipe(Effect.provide(KeptValues.layerMemory))
}

/** An org that no test asks anything. */
export const silent = Effect.runSync(orgOf(() => ({ status: 500, body: undefined }))).org
