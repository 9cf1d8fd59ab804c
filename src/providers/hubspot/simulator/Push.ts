import { createHmac } from "node:crypto"
import type { Account, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { partAt } from "../../simulation/Docs.ts"
import type { Changed, Pushing } from "../../simulation/Pushes.ts"
import { type ObjectType, types } from "./Types.ts"

// https://developers.hubspot.com/docs/api-reference/webhooks/guide

/** Types with subscriptions of their own; others have generic ones. */
const named = ["contact", "company", "deal"]

const changedNames = (before: Doc, after: Doc) => {
  const [old, given] = [partAt(before, "properties"), partAt(after, "properties")]
  return [...new Set([...Object.keys(old), ...Object.keys(given)])].filter((name) => old[name] !== given[name])
}

/** Changes of a record, by the names of subscriptions, each with what an event says of it. */
const happened = ({ after, before, id }: Changed): ReadonlyArray<readonly [action: string, Doc]> => {
  const objectId = Number(id)
  if (after === undefined) return []
  if (before === undefined) return [["creation", { objectId, changeFlag: "NEW" }]]
  if (after.archivedAt !== undefined) {
    return before.archivedAt === undefined ? [["deletion", { objectId, changeFlag: "DELETED" }]] : []
  }
  const values = partAt(after, "properties")
  return changedNames(before, after).map((propertyName) => [
    "propertyChange",
    { objectId, propertyName, propertyValue: values[propertyName] ?? "" }
  ])
}

/** Of records that became another one, there is one event. */
const merge = (changed: ReadonlyArray<Changed>): ReadonlyArray<readonly [action: string, Doc]> => {
  const [primary, ...others] = changed.filter(({ after }) => after === undefined).map(({ id }) => Number(id))
  const made = changed.find(({ before }) => before === undefined)
  return primary === undefined || made === undefined
    ? []
    : [
        [
          "merge",
          { objectId: Number(made.id), primaryObjectId: primary, mergedObjectIds: others, newObjectId: Number(made.id) }
        ]
      ]
}

const eventsOf = (account: Account, { name, singular, typeId }: ObjectType, changed: ReadonlyArray<Changed>) => {
  const own = changed.filter(({ type }) => type === name)
  return [...own.flatMap(happened), ...merge(own)].map(([action, said]) => ({
    eventId: account.nextId(),
    subscriptionId: 3124587,
    portalId: accountNumber(account, 8),
    appId: 3185402,
    occurredAt: account.now,
    subscriptionType: `${named.includes(singular) ? singular : "object"}.${action}`,
    attemptNumber: 0,
    changeSource: "INTEGRATION",
    ...(named.includes(singular) ? {} : { objectTypeId: typeId }),
    ...said
  }))
}

/** Most events of one request. */
const most = 100

/** https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests */
export const pushes: Pushing = (account, changed, target) => {
  if (target === undefined) return []
  const events = types.flatMap((type) => eventsOf(account, type, changed))
  return Array.from({ length: Math.ceil(events.length / most) }, (_, i) => {
    const body = JSON.stringify(events.slice(i * most, (i + 1) * most))
    const signature = createHmac("sha256", target.secret)
      .update(`POST${target.url}${body}${account.now}`)
      .digest("base64")
    return {
      url: target.url,
      headers: {
        "content-type": "application/json",
        "x-hubspot-signature-v3": signature,
        "x-hubspot-request-timestamp": String(account.now)
      },
      body
    }
  })
}
