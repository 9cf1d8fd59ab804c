import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import type { Lookup } from "../ProviderAdapter.ts"
import { api, type Org } from "./Org.ts"

const unseen = new Set(["Missing", "NotPermitted"])

/**
 * The one currency of an org; null where it has several, or keeps it from the user.
 * https://developer.salesforce.com/docs/atlas.en-us.chatterapi.meta/chatterapi/connect_responses_features.htm
 */
export const currency = (org: Org): Lookup => ({
  ttl: 3600,
  load: (connection) =>
    org.call(connection, { operation: "Organization.get", method: "GET", path: `${api}/connect/organization` }).pipe(
      Effect.map(({ body }) =>
        getPath(body, "features.multiCurrency") === false ? getPath(body, "features.defaultCurrencyIsoCode") : null
      ),
      Effect.catchIf(
        ({ reason }) => unseen.has(reason._tag),
        () => Effect.succeed(null)
      )
    )
})
