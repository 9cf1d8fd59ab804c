import { Schema } from "effect"
import { type ApplicationPush, hmac, isSame, signed } from "../Push.ts"

/**
 * Webhooks of an application: one address for all organisations that have connected it. Before it sends events, Xero tries the
 * address with empty ones, some of them wrongly signed ("intent to receive").
 * https://developer.xero.com/documentation/webhooks/configuring-your-server
 */
const Events = Schema.Struct({
  events: Schema.Array(
    Schema.Struct({ resourceId: Schema.String, tenantId: Schema.String, eventCategory: Schema.String })
  )
})

const told = signed(Events, ({ events }) =>
  events.map(({ eventCategory, resourceId, tenantId }) => ({
    account: tenantId,
    type: eventCategory,
    remoteId: resourceId
  }))
)

export const push: ApplicationPush = {
  kind: "application",
  types: { CONTACT: ["Contact"], INVOICE: ["Invoice"], CREDITNOTE: ["CreditNote"] },
  verify: (delivery, secret) =>
    told(isSame(delivery.headers["x-xero-signature"], hmac(secret, delivery.body)), delivery)
}
