import { Schema } from "effect"
import { type ApplicationPush, hmac, isSame, signed, type Told } from "../Push.ts"

/**
 * Webhooks of an application: one address for all companies that have connected it. They come as CloudEvents since November
 * 2025; some applications still get the older form.
 * https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks
 */

/** All that are told of, and read here. */
const entities = [
  "Account",
  "Bill",
  "BillPayment",
  "Class",
  "CreditMemo",
  "Customer",
  "Department",
  "Deposit",
  "Employee",
  "Invoice",
  "Item",
  "JournalEntry",
  "Payment",
  "PaymentMethod",
  "Purchase",
  "PurchaseOrder",
  "RefundReceipt",
  "SalesReceipt",
  "Term",
  "Transfer",
  "Vendor",
  "VendorCredit"
]

const deleted = Schema.optional(Schema.NullOr(Schema.String))

/** https://blogs.intuit.com/2025/11/12/upcoming-change-to-webhooks-payload-structure */
const CloudEvent = Schema.Struct({
  /** `qbo.invoice.updated.v1` */
  type: Schema.String,
  intuitentityid: Schema.String,
  intuitaccountid: Schema.String,
  data: Schema.optional(Schema.NullOr(Schema.Struct({ deletedid: deleted })))
})

const Notifications = Schema.Struct({
  eventNotifications: Schema.Array(
    Schema.Struct({
      realmId: Schema.String,
      dataChangeEvent: Schema.Struct({
        entities: Schema.Array(Schema.Struct({ name: Schema.String, id: Schema.String, deletedId: deleted }))
      })
    })
  )
})

/** A record, and the one that was merged into it. */
const both = (account: string, type: string, id: string, merged: string | null | undefined): ReadonlyArray<Told> =>
  [id, merged ?? id]
    .filter((one, at, all) => all.indexOf(one) === at)
    .map((remoteId) => ({ account, type: type.toLowerCase(), remoteId }))

const told = signed(Schema.Union(Schema.Array(CloudEvent), Notifications), (read) =>
  "eventNotifications" in read
    ? read.eventNotifications.flatMap(({ dataChangeEvent, realmId }) =>
        dataChangeEvent.entities.flatMap(({ deletedId, id, name }) => both(realmId, name, id, deletedId))
      )
    : read.flatMap(({ data, intuitaccountid, intuitentityid, type }) =>
        both(intuitaccountid, type.split(".")[1] ?? "", intuitentityid, data?.deletedid)
      )
)

export const push: ApplicationPush = {
  kind: "application",
  types: Object.fromEntries(entities.map((name) => [name.toLowerCase(), [name]])),
  verify: (delivery, secret) =>
    told(isSame(delivery.headers["intuit-signature"], hmac(secret, delivery.body)), delivery)
}
