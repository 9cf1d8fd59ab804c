import { Effect, Option, Schema } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping } from "../KeptValues.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"

/**
 * Names the fields of a refusal whose text only lists their labels, as in `Bitte geben Sie Werte ein für: Firmenname`. Error
 * texts and the labels in the metadata catalogue are both in the language of the account's user.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545129726.html
 */

/** Names of fields by their labels. */
const FieldLabels = Schema.ReadonlyMap({ key: Schema.String, value: Schema.String })

/** How long the labels of a record type are kept, in seconds. */
const aDay = 86_400

/** Field labels that an error text lists after its last colon. */
export const labelsIn = (detail: string): ReadonlyArray<string> =>
  (/[:：]([^:：]+)$/.exec(detail)?.[1] ?? "")
    .split(/[,、]/)
    .map((label) => label.trim().replace(/[.。]$/, ""))
    .filter((label) => label !== "")

export const fieldsByLabel = (describe: NonNullable<ProviderAdapter["fieldsOf"]>) =>
  Effect.map(keeping(FieldLabels, 1_000), (kept) => {
    const labelsOf = (connection: ConnectionRef, type: string) =>
      kept.get(
        connection,
        `labels/${type}`,
        aDay,
        Effect.map(
          describe(connection, type),
          (found) =>
            new Map(found?.fields.flatMap(({ label, name }) => (name.includes(".") ? [] : [[label, name] as const])))
        )
      )
    return (connection: ConnectionRef, type: string) =>
      <A>(write: Effect.Effect<A, ProviderError>) =>
        Effect.catchIf(
          write,
          ({ reason }) => reason._tag === "Invalid" && Object.keys(reason.fields).length === 0,
          (error) =>
            Effect.gen(function* () {
              const detail = error.detail ?? ""
              const named = labelsIn(detail)
              const known = named.length === 0 ? Option.none() : yield* Effect.option(labelsOf(connection, type))
              const found = named.flatMap((label) => {
                const name = Option.isSome(known) ? known.value.get(label) : undefined
                return name === undefined ? [] : [[name, detail] as const]
              })
              return yield* found.length === 0
                ? error
                : new ProviderError({ ...error, reason: new Invalid({ fields: Object.fromEntries(found) }) })
            })
        )
  })
