import { Effect } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import type { Entries } from "../../mapping/Entries.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { currencyOf } from "./Common.ts"
import { type Kind, readOne } from "./Records.ts"

/** The currency of a record that is in the one of what it names, which `withCurrency` reads. */
export const currencyBy = (by: "contact") => (of: Pick<Entries<"currency">, "computed">) =>
  of.computed({
    canonical: "currency",
    native: ["currency_code", "currency_id"],
    lookups: ["currencies"],
    encodeLookups: ["currencies"],
    needsCurrent: true,
    decode: ({ lookups, record }) => currencyOf((native) => record[native], lookups),
    encode: (value, { current, lookups, prefix, refuse }) => {
      if (value === null) return
      const decides: Native = current?.record ?? { currency_code: getPath(lookups, "decides.currency_code") }
      const own = currencyOf((native) => decides[native], lookups)
      if (typeof own === "string" && own !== value) refuse(`${prefix}currency`, `is ${own}, the currency of its ${by}`)
    }
  })

/** Reads what a new record is in the currency of, where its body says a currency. */
export const withCurrency = (client: Caller, by: "contact", kind: Kind): NonNullable<ResourceAdapter["related"]> => {
  const read = readOne(client, kind)
  return ({ body, connection, mode, resolve }) => {
    const uuid = body[by]
    const found = typeof uuid === "string" ? resolve(uuid) : undefined
    if (mode !== "create" || typeof body.currency !== "string" || found?.resource !== by) return Effect.succeed({})
    return read(connection, found.remoteId).pipe(
      Effect.map((decides) => ({ decides })),
      // one that is gone is refused with the record
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed({})
      )
    )
  }
}
