import { Effect } from "effect"
import { computed, staysAsItIs } from "../../mapping/Entries.ts"
import { isNative, natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Lookup } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Metadata } from "./Columns.ts"
import { api, rowsOf } from "./Rows.ts"

const orUnknown = <A>(read: Effect.Effect<A, ProviderError>) =>
  Effect.catchIf(
    Effect.asSome(read),
    ({ reason }) => reason._tag === "NotPermitted",
    () => Effect.succeedNone
  )

/**
 * The currency of an organisation, and whether it is the only one: deals then have no field for it.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-org-data.html
 */
export const organisationCurrency = (call: Caller, metadata: Metadata): Lookup => {
  const organisation = (connection: ConnectionRef) => {
    const request = { operation: "org.get", method: "GET", path: `${api}/org` } as const
    return Effect.flatMap(call(connection, request), (answer) => rowsOf(request, "org", answer))
  }
  return {
    ttl: 3600,
    load: (connection) =>
      Effect.gen(function* () {
        const found = yield* orUnknown(organisation(connection))
        const fields = yield* orUnknown(Effect.map(metadata(connection, "Deals"), natives))
        const code = found._tag === "Some" ? found.value[0]?.iso_code : undefined
        return {
          code: typeof code === "string" && code !== "" ? code : null,
          isOnly: fields._tag === "Some" && !fields.value.some(({ api_name }) => api_name === "Currency")
        }
      })
  }
}

const currencyIn = (lookups: { readonly [name: string]: unknown } | undefined) => {
  const { code = null, isOnly = false } = isNative(lookups?.organisationCurrency) ? lookups.organisationCurrency : {}
  return { code, isOnly: isOnly === true }
}

/** The currency of a deal. Where the organisation has several, every deal has one: left out, it stays as it is. */
export const currency = computed({
  canonical: "currency",
  native: ["Currency"],
  lookups: ["organisationCurrency"],
  encodeLookups: ["organisationCurrency"],
  decode: ({ lookups, record }) => record.Currency ?? currencyIn(lookups).code,
  encode: (value, { body, lookups, prefix, set, warn }) => {
    const { code, isOnly } = currencyIn(lookups)
    const path = `${prefix}currency`
    if (value === null) {
      if (body.currency === null) warn(path, "CHANGED", staysAsItIs)
    } else if (!isOnly) set("Currency", value)
    else if (value !== code) {
      warn(path, "NOT_HELD", `the organisation has one currency${code === null ? "" : `, ${String(code)}`}`)
    }
  }
})
