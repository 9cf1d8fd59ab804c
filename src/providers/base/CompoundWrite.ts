import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import type { RecordContext } from "../../mapping/Transform.ts"
import { type Draft, isNative, type Native, setPath } from "../../mapping/Mapping.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"

/** Helpers for records that are written through another record, such as a lead through its contact. */

/** Adds to an error the parts of a write that took effect before it. */
export const afterDoing = (done: ReadonlyArray<string>) => (error: ProviderError) =>
  done.length === 0 ? error : new ProviderError({ ...error, done: [...done, ...(error.done ?? [])] })

/** Moves rejected fields of the other record to their paths in the one that is written. */
export const beneath = (base: string) => (error: ProviderError) =>
  error.reason._tag === "Invalid"
    ? new ProviderError({
        ...error,
        reason: new Invalid({
          fields: Object.fromEntries(
            Object.entries(error.reason.fields).map(([path, words]) => [`${base}.${path}`, words])
          )
        })
      })
    : error

/** A record that a write made on its way, and its removal. */
export interface Made {
  readonly name: string
  readonly remove: Effect.Effect<unknown, ProviderError>
}

/** Errors that leave open whether the write took effect. */
const isOpen = ({ reason: { _tag } }: ProviderError) => _tag === "Down" || _tag === "TimedOut" || _tag === "Malformed"

/** Removes the records that a refused write made on its way; those that stay are reported as done. */
export const orTakeBack = <A>(
  write: Effect.Effect<A, ProviderError>,
  made: ReadonlyArray<Made>
): Effect.Effect<A, ProviderError> =>
  Effect.catchAll(write, (error) =>
    Effect.flatMap(
      Effect.forEach(made, ({ name, remove }) =>
        isOpen(error) || (error.done ?? []).length > 0
          ? Effect.succeed([name])
          : Effect.match(remove, { onFailure: () => [name], onSuccess: () => [] })
      ),
      (left) => Effect.fail(afterDoing(left.flat())(error))
    )
  )

/** Whether the given value matches the held one; entries of a list may have fewer members. */
const agrees = (held: unknown, said: unknown): boolean => {
  if (Array.isArray(said)) {
    return Array.isArray(held) && held.length === said.length && said.every((one, i) => agrees(held[i], one))
  }
  if (!isNative(said)) return said === held
  return isNative(held) && Object.entries(said).every(([name, value]) => value === null || agrees(held[name], value))
}

/** Resources with such records hold no references and no lines. */
const context: RecordContext = { reference: () => "", line: () => "" }

/**
 * Refuses values given for a shared record that differ from the held ones: messages with the held value, by native path.
 * `base` is the path of the values (`held` is around it), `owner` the record's name for callers.
 */
export const differences = (
  variant: CompiledVariant,
  held: Native,
  { owner, base, said }: { readonly owner: string; readonly base: string; readonly said: Native }
): { readonly [native: string]: string } => {
  const before = variant.decode({ record: held }, context)
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => {
      const path = `${base}.${name}`
      const record: Draft = structuredClone({ ...held })
      setPath(record, path, value)
      const after = variant.decode({ record }, context)
      const field = Object.keys(after).find((one) => !agrees(before[one], after[one]))
      if (field === undefined) return []
      const there = before[field] === null ? "empty" : JSON.stringify(before[field])
      return [[path, `belongs to the ${owner}, where it is ${there}; change it there`]]
    })
  )
}
