import { createHmac } from "node:crypto"
import { partAt } from "../../simulation/Docs.ts"
import type { Changed, Pushing } from "../../simulation/Pushes.ts"
import { entities } from "./Entities.ts"
import { realmId } from "./OAuth.ts"

// https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks

/** Entities that are told of nowhere. */
const untold = ["TaxCode", "TaxRate", "TaxAgency", "Attachable", "CompanyInfo", "CompanyCurrency", "Preferences"]

const operationOf = ({ after, before }: Changed): string =>
  after === undefined || partAt(after, "MetaData").IsDeleted === true
    ? "deleted"
    : before === undefined
      ? "created"
      : after.PrivateNote === "Voided" && before.PrivateNote !== "Voided"
        ? "voided"
        : "updated"

/** A save: other entries of a record may change with it. */
const isSaved = ({ after, before }: Changed) => after?.SyncToken !== before?.SyncToken || after === undefined

export const pushes: Pushing = (account, changed, target) => {
  if (target === undefined) return []
  const events = changed
    .filter((one) => entities.has(one.type) && !untold.includes(one.type) && isSaved(one))
    .map((one) => ({
      specversion: "1.0",
      id: crypto.randomUUID(),
      source: "intuit.dsnBgbseACLLRZNxo2dfc4evmEJdxde58xeeYcZliOU=",
      type: `qbo.${one.type.toLowerCase()}.${operationOf(one)}.v1`,
      datacontenttype: "application/json",
      time: new Date(account.now).toISOString(),
      intuitentityid: one.id,
      intuitaccountid: realmId(account.name),
      data: {}
    }))
  if (events.length === 0) return []
  const body = JSON.stringify(events)
  const signature = createHmac("sha256", target.secret).update(body).digest("base64")
  return [{ url: target.url, headers: { "content-type": "application/json", "intuit-signature": signature }, body }]
}
