import { Clock, Effect, Either, FiberRef, Schema } from "effect"
import { find } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import { compile, type CompiledMapping, type CompiledVariant } from "../mapping/Compile.ts"
import { getPath } from "../mapping/Mapping.ts"
import type { RecordContext } from "../mapping/Transform.ts"
import { makeMetLimits, metLimits } from "./base/Limits.ts"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { NativeFields, NativeRecord, ProviderAdapter, ResourceAdapter } from "./ProviderAdapter.ts"
import type { ProviderError } from "./ProviderError.ts"
import { nameOf, type Requirement } from "./Requirement.ts"

/**
 * Something that is not as assumed. It quotes neither values of records nor the provider's words, which may.
 *
 * - `lacks`: the account lacks what the matrix says that not every account has; the rest of it works
 * - `differs`: the provider answered otherwise than the adapter takes it to
 * - `unanswered`: it did not answer, so nothing is known
 * - `ends`: a version or a flow ends within half a year, or has ended
 */
export interface Finding {
  /** The thing that was looked at: `contact.list`, `fields of leads`, `lookup pipelines`, `token`. */
  readonly probe: string
  readonly outcome: "lacks" | "differs" | "unanswered" | "ends"
  /** In the words of this service. */
  readonly what: string
  /** HTTP status of the answer, when there was one. */
  readonly status?: number
}

/** The outcome of checking an account. */
export interface Checked {
  /** How many things were looked at. */
  readonly probes: number
  readonly findings: ReadonlyArray<Finding>
  /** The rest of the provider's limits, as in the header `Provider-RateLimit`; null where it says nothing. */
  readonly limits: string | null
}

/** Whether something is not as the adapter takes it to be. */
export const isOtherwise = ({ outcome }: Finding): boolean => outcome === "differs" || outcome === "unanswered"

const halfAYear = 183 * 86_400_000

const uuid = "00000000-0000-4000-8000-000000000000"

/** References and lines lead nowhere: nothing that is read is kept. */
const nowhere: RecordContext = { reference: () => uuid, line: () => uuid }

const silent = new Set(["LimitReached", "Busy", "Down", "TimedOut", "Unreadable"])

/** A failed probe. */
const failed = (
  probe: string,
  { reason, status }: ProviderError,
  expected: ReadonlyArray<Requirement> = []
): Finding => {
  const lacks = reason._tag === "NotPermitted" ? (reason.lacks ?? []).map(nameOf) : []
  const known = expected.map(nameOf)
  const fields = reason._tag === "Invalid" ? Object.keys(reason.fields) : []
  return {
    probe,
    outcome: silent.has(reason._tag)
      ? "unanswered"
      : lacks.length > 0 && lacks.every((one) => known.includes(one))
        ? "lacks"
        : "differs",
    what: [reason._tag, ...lacks, ...fields].join(" "),
    ...(status === undefined ? {} : { status })
  }
}

const kindOf = (value: unknown) => (Array.isArray(value) ? "list" : typeof value)

/** Canonical fields of a record whose value is none of the field's kind, or has a native one that was not understood. */
const wrongFields = (
  { resource, rows }: CompiledMapping,
  variant: CompiledVariant,
  record: NativeRecord
): ReadonlyArray<string> => {
  const decoded = Either.try(() => variant.decode(record, nowhere))
  if (Either.isLeft(decoded)) return ["a record that cannot be read"]
  const out = decoded.right
  const wrong = Object.entries(resource.fields).flatMap(([name, field]) => {
    const value: unknown = out[name]
    if (value === undefined || value === null || Schema.is(field.out)(value)) return []
    return [`${name}: ${kindOf(value)} where ${field.kind} is expected`]
  })
  const lost = rows.flatMap((row) => {
    if (row.native_type !== variant.nativeType || row.access === "write" || row.transform === "computed") return []
    const native = getPath(record.record, row.native_field)
    const isThere = native !== undefined && native !== null && native !== ""
    return isThere && out[row.field] === null ? [`${row.field}: ${kindOf(native)} in ${row.native_field}`] : []
  })
  return [...wrong, ...lost]
}

interface Listing {
  readonly resource: Resource
  readonly resourceAdapter: ResourceAdapter
  readonly mapping: CompiledMapping
}

/** The plain fields that a mapping writes in a type, and that the provider's description of it lacks. */
const undescribed = (
  { rows }: CompiledMapping,
  nativeType: string,
  { covers = () => true, fields }: NativeFields
): ReadonlyArray<string> => {
  const known = new Set(fields.map(({ name }) => name))
  const written = rows
    .filter((row) => row.native_type === nativeType && row.access !== "read" && row.transform !== "computed")
    .flatMap((row) => row.native_field.split(", "))
    .filter((path) => path !== "" && !path.includes("[]"))
  return [...new Set(written)].filter(
    (path) => covers(path) && !known.has(path) && !fields.some(({ name }) => path.startsWith(`${name}.`))
  )
}

/**
 * Checks everything that an adapter assumes of a provider and an account can show, without changing anything: every list
 * with one record, the fields of every type, lookups, requirements, limits, and what ends. Calls one after another, to leave
 * the account's limits to others.
 */
export const check = Effect.fn("Check.check")(function* (adapter: ProviderAdapter, connection: ConnectionRef) {
  const met = makeMetLimits()
  yield* FiberRef.set(metLimits, met)
  const findings: Array<Finding> = []
  let probes = 0

  /** Runs a probe; what it finds is noted, what fails too. */
  const probe = (
    name: string,
    look: Effect.Effect<ReadonlyArray<Omit<Finding, "probe">>, ProviderError>,
    expected?: ReadonlyArray<Requirement>
  ) =>
    Effect.map(Effect.either(look), (found) => {
      probes += 1
      if (Either.isLeft(found)) findings.push(failed(name, found.left, expected))
      else findings.push(...found.right.map((one) => ({ probe: name, ...one })))
    })

  const listings = Object.entries(adapter.resources).flatMap(([name, resourceAdapter]): ReadonlyArray<Listing> => {
    const resource = find(adapter.category, name)
    return resource === undefined
      ? []
      : [{ resource, resourceAdapter, mapping: compile(adapter.slug, resource, resourceAdapter.mapping) }]
  })

  const required = listings.flatMap(({ resourceAdapter }) => resourceAdapter.requires ?? [])

  const lookups: { [name: string]: unknown } = {}
  for (const [name, lookup] of Object.entries(adapter.lookups)) {
    const load = Effect.map(lookup.load(connection), (value) => {
      lookups[name] = value
      return []
    })
    yield* probe(`lookup ${name}`, load, required)
  }

  const differs = (what: string) => ({ outcome: "differs", what }) as const

  for (const { mapping, resourceAdapter, resource } of listings) {
    if (resourceAdapter.list === undefined) continue
    const request = {
      connection,
      mapping,
      position: null,
      limit: 1,
      wanted: {}
    }
    const look = Effect.map(resourceAdapter.list(request), ({ records }) => [
      ...(records.length > 1 ? [differs(`${records.length} records where one was asked for`)] : []),
      ...records.flatMap((record) => {
        const variant = mapping.variant(record.nativeType)
        if (variant === undefined) return [differs(`an unknown type ${record.nativeType}`)]
        return wrongFields(mapping, variant, { ...record, lookups }).map(differs)
      })
    ])
    yield* probe(`${resource.name}.list`, look, resourceAdapter.requires)
  }

  const { fieldsOf } = adapter
  if (fieldsOf !== undefined) {
    const types = new Map(
      listings.flatMap((listing) => listing.mapping.variants.map(({ nativeType }) => [nativeType, listing] as const))
    )
    for (const [type, { mapping, resourceAdapter }] of types) {
      const look = fieldsOf(connection, type).pipe(
        // a type that the provider does not describe
        Effect.catchIf(
          ({ reason }) => reason._tag === "Missing",
          () => Effect.succeed(undefined)
        ),
        Effect.map((known) =>
          known === undefined ? [] : undescribed(mapping, type, known).map((path) => differs(`no field ${path}`))
        )
      )
      yield* probe(`fields of ${type}`, look, resourceAdapter.requires)
    }
  }

  const { held } = adapter
  if (held !== undefined) {
    const look = Effect.map(held(connection), (has) =>
      [...new Set(required.filter((one) => has(one) === false).map(nameOf))].map(
        (what) => ({ outcome: "lacks", what }) as const
      )
    )
    yield* probe("account", look, required)
  }

  const now = yield* Clock.currentTimeMillis
  for (const { assumed, ends } of adapter.doubts ?? []) {
    if (ends === undefined) continue
    probes += 1
    if (Date.parse(ends) - now < halfAYear)
      findings.push({ probe: "ends", outcome: "ends", what: `${ends}: ${assumed}` })
  }

  return { probes, findings, limits: met.header() ?? null } satisfies Checked
})
