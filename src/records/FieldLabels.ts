import { Effect } from "effect"
import type { CompiledMapping } from "../mapping/Compile.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import type { NativeField, NativeFields } from "../providers/ProviderAdapter.ts"
import { Invalid, ProviderError } from "../providers/ProviderError.ts"
import type { ResourceAccess } from "./Access.ts"
import { canonicalFieldOf } from "./ProviderFailures.ts"

/** How long the records of a batch share one description of the fields. */
const descriptionSeconds = 60

const remedy = "Send it in integration_params, or map it in /field-mappings."

const isNamed = (field: NativeField, native: string) => field.name === native || field.idPath === native

/** Error message of a refused field: its native name, the label that users see, and the provider's message. */
const labelled = ({ label, name }: NativeField, root: string, words: string, isUnmapped: boolean) => {
  const own = root !== "" && name.startsWith(`${root}.`) ? name.slice(root.length + 1) : name
  const sentence = /[.!?]$/.test(words) || !isUnmapped ? words : `${words}.`
  return `${own} (${label}): ${sentence}${isUnmapped ? ` ${remedy}` : ""}`
}

/**
 * Names refused fields as the customer knows them: by native name and label. For a rule that the customer added, such as a
 * required field of their own, nothing else names the field. If the provider does not describe its fields, the message stays as
 * it is.
 */
export const makeFieldLabels = () => {
  const known = SingleFlightCache.make<NativeFields, ProviderError>({ capacity: 200, ttl: descriptionSeconds })

  const fieldsOf = ({ adapter, connection }: ResourceAccess, nativeType: string) => {
    const describe = adapter.fieldsOf
    if (describe === undefined) return Effect.succeed<ReadonlyArray<NativeField>>([])
    const none: NativeFields = { fields: [] }
    const load = Effect.map(describe(connection, nativeType), (found) => found ?? none)
    return known.get(`${connection.id} ${nativeType}`, load).pipe(
      Effect.map(({ fields }) => fields),
      Effect.orElseSucceed((): ReadonlyArray<NativeField> => [])
    )
  }

  const withLabels = Effect.fnUntraced(function* (
    reached: ResourceAccess,
    nativeType: string,
    error: ProviderError,
    { fields, isOwnRule }: Invalid
  ) {
    const mapping: CompiledMapping = reached.mapping
    const isUnmapped = (native: string) => canonicalFieldOf(mapping, native) === undefined
    if (!Object.keys(fields).some((native) => isOwnRule === true || isUnmapped(native))) return error
    const described = yield* fieldsOf(reached, nativeType)
    const named = Object.entries(fields).map(([native, words]): readonly [string, string] => {
      const field = described.find((one) => isNamed(one, native))
      if (field === undefined) return [native, words]
      const isOther = isUnmapped(field.name)
      return isOther || isOwnRule === true
        ? [field.name, labelled(field, mapping.root, words, isOther)]
        : [native, words]
    })
    return new ProviderError({ ...error, reason: new Invalid({ fields: Object.fromEntries(named) }) })
  })

  /** Runs a write of one native type, and names the fields that it is refused for. */
  return (reached: ResourceAccess, nativeType: string) =>
    <A, E, R>(write: Effect.Effect<A, E | ProviderError, R>): Effect.Effect<A, E | ProviderError, R> =>
      Effect.catchIf(
        write,
        (error): error is ProviderError => error instanceof ProviderError && error.reason._tag === "Invalid",
        (error) =>
          error.reason._tag === "Invalid"
            ? Effect.flatMap(withLabels(reached, nativeType, error, error.reason), (told) => Effect.fail(told))
            : Effect.fail(error)
      )
}
