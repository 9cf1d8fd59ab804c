import { createHmac } from "node:crypto"
import type { Changed, Pushing } from "../../simulation/Pushes.ts"
import { tenantOf } from "./Organisation.ts"

// https://developer.xero.com/documentation/webhooks/configuring-your-server

/** Categories of events, by the names of what changes. */
const categories: { readonly [entity: string]: readonly [category: string, path: string] } = {
  Contact: ["CONTACT", "Contacts"],
  Invoice: ["INVOICE", "Invoices"],
  CreditNote: ["CREDITNOTE", "CreditNotes"]
}

/** A further organisation of a login has its place before the names of its records. */
const placed = /^(?:(\d+)\/)?(.+)$/

const eventOf = (login: string, now: number, { before, id, type }: Changed) => {
  const [, place, entity = ""] = placed.exec(type) ?? []
  const [eventCategory, path] = categories[entity] ?? []
  if (eventCategory === undefined) return []
  return [
    {
      resourceUrl: `https://api.xero.com/api.xro/2.0/${path}/${id}`,
      resourceId: id,
      tenantId: tenantOf(place === undefined ? login : `${login} ${place}`),
      tenantType: "ORGANISATION",
      eventCategory,
      eventType: before === undefined ? "CREATE" : "UPDATE",
      eventDateUtc: new Date(now).toISOString().slice(0, -1)
    }
  ]
}

export const pushes: Pushing = (account, changed, target) => {
  if (target === undefined) return []
  const events = changed.flatMap((one) => eventOf(account.name, account.now, one))
  if (events.length === 0) return []
  const first = account.nextId()
  const body = JSON.stringify({
    events,
    firstEventSequence: first,
    lastEventSequence: first + events.length - 1,
    entropy: crypto.randomUUID().replaceAll("-", "").toUpperCase()
  })
  const signature = createHmac("sha256", target.secret).update(body).digest("base64")
  return [
    {
      url: target.url,
      headers: { "content-type": "application/json; charset=utf-8", "x-xero-signature": signature },
      body
    }
  ]
}
