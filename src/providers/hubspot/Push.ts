import { Schema } from "effect"
import { type ApplicationPush, type Delivery, hmac, isSame, signed, type Told } from "../Push.ts"

/**
 * Webhooks of an application: one address for all accounts that have installed it.
 * https://developers.hubspot.com/docs/api-reference/webhooks/guide
 */

/** Object types: as the older subscriptions name them, and their ids, which generic ones have. */
const objects: ReadonlyArray<readonly [nativeType: string, singular: string, typeId: string]> = [
  ["contacts", "contact", "0-1"],
  ["companies", "company", "0-2"],
  ["deals", "deal", "0-3"],
  ["leads", "lead", "0-136"],
  ["notes", "note", "0-46"],
  ["tasks", "task", "0-27"],
  ["meetings", "meeting", "0-47"],
  ["calls", "call", "0-48"],
  ["emails", "email", "0-49"],
  ["communications", "communication", "0-18"],
  ["appointments", "appointment", "0-421"]
]

const id = Schema.optional(Schema.Number)

const Event = Schema.Struct({
  portalId: Schema.Number,
  subscriptionType: Schema.String,
  objectTypeId: Schema.optional(Schema.String),
  fromObjectTypeId: Schema.optional(Schema.String),
  objectId: id,
  /** Of a link. */
  fromObjectId: id,
  /** Of a merge. */
  primaryObjectId: id,
  mergedObjectIds: Schema.optional(Schema.Array(Schema.Number)),
  newObjectId: id
})

const toldBy = (event: typeof Event.Type): ReadonlyArray<Told> => {
  const { fromObjectId, mergedObjectIds = [], newObjectId, objectId, portalId, primaryObjectId } = event
  const [named = ""] = event.subscriptionType.split(".")
  const type = event.objectTypeId ?? event.fromObjectTypeId ?? named
  const ids = [objectId, fromObjectId, primaryObjectId, ...mergedObjectIds, newObjectId]
  return [...new Set(ids)]
    .filter((one) => one !== undefined)
    .map((one) => ({ account: String(portalId), type, remoteId: String(one) }))
}

/** Characters of the address that are decoded before it is signed; no others are. */
const decoded = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi

/** Milliseconds for which a push is good. */
const window = 300_000

/** https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests */
const isSigned = ({ body, headers, method, now, url }: Delivery, secret: Parameters<typeof hmac>[0]): boolean => {
  const timestamp = headers["x-hubspot-request-timestamp"] ?? ""
  const uri = url.replace(decoded, decodeURIComponent)
  const isRight = isSame(headers["x-hubspot-signature-v3"], hmac(secret, method, uri, body, timestamp))
  return isRight && /^\d+$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= window
}

const told = signed(Schema.Array(Event), (events) => events.flatMap(toldBy))

export const push: ApplicationPush = {
  kind: "application",
  signsWithClientSecret: true,
  types: Object.fromEntries(objects.flatMap(([native, ...names]) => names.map((name) => [name, [native]]))),
  verify: (delivery, secret) => told(isSigned(delivery, secret), delivery)
}
