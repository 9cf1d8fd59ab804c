import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Clash, ProviderError } from "../ProviderError.ts"

/** Attributes whose values no two records share, with the member that is compared. */
const uniqueMembers: { readonly [slug: string]: string } = { email_addresses: "email_address", domains: "domain" }

/** Conditions for the records that hold a unique value of a record that is written. */
const conditionsOf = (record: Native): ReadonlyArray<Native> =>
  Object.entries(uniqueMembers).flatMap(([slug, member]) =>
    natives(getPath(record, `values.${slug}`)).flatMap(({ [member]: value }) =>
      typeof value === "string" ? [{ [slug]: { [member]: { $eq: value.toLowerCase() } } }] : []
    )
  )

/**
 * Adds the ids of the records that hold a unique value to the refusal of another record with it. Attio names only the attribute.
 * https://docs.attio.com/rest-api/endpoint-reference/records/create-a-record
 */
export const namingHolders =
  (call: Caller, connection: ConnectionRef, nativeType: string, record: Native, id?: string) =>
  <A>(write: Effect.Effect<A, ProviderError>): Effect.Effect<A, ProviderError> =>
    Effect.catchIf(
      write,
      ({ reason }) => reason._tag === "Clash" && reason.duplicateOf === undefined,
      (error) => {
        const $or = conditionsOf(record)
        if ($or.length === 0) return Effect.fail(error)
        const request: Call = {
          operation: `${nativeType}.list`,
          method: "POST",
          path: `/v2/objects/${nativeType}/records/query`,
          json: { filter: { $or }, limit: 20 },
          reads: true
        }
        return call(connection, request).pipe(
          Effect.map(({ body }) => natives(getPath(body, "data")).map((one) => String(getPath(one, "id.record_id")))),
          // the refusal counts, whether or not the holders can be found
          Effect.orElseSucceed((): ReadonlyArray<string> => []),
          Effect.flatMap((found) => {
            const [first, ...others] = found.filter((one) => one !== id)
            return Effect.fail(
              first === undefined
                ? error
                : new ProviderError({ ...error, reason: new Clash({ duplicateOf: [first, ...others] }) })
            )
          })
        )
      }
    )
