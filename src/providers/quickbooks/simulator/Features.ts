import { Either } from "effect"
import type { Account } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature } from "../../simulation/Simulator.ts"
import type { Entity } from "./Entity.ts"
import { notEntitled, type Outcome, refuse } from "./Faults.ts"

// Error 5020: https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes
// Inventory adjustments: https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-inventory/inventory-adjustment

/** Other editions than Plus and Advanced neither know adjustments of stock nor make purchase orders. */
export const plus: Feature = { kind: "edition", name: "Plus" }

/** An entity, as far as the company's edition has it. */
export const entitled = (account: Account, entity: Entity, use: "read" | "write"): Outcome<Entity> =>
  isWithout(account, plus) &&
  (entity.name === "InventoryAdjustment" || (use === "write" && entity.name === "PurchaseOrder"))
    ? refuse(notEntitled)
    : Either.right(entity)

/** The product as the company file of a new account calls it. */
export const begin = (account: Account): void => {
  const company = account.get("CompanyInfo", "1")
  if (company === undefined || !isWithout(account, plus)) return
  account.put("CompanyInfo", "1", {
    ...company,
    NameValue: [
      { Name: "NeoEnabled", Value: "true" },
      { Name: "OfferingSku", Value: "QuickBooks Online Simple Start" },
      { Name: "IndustryType", Value: "Construction Trade Services" }
    ]
  })
}
