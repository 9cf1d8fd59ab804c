import { Layer } from "effect"
import { HubSpot } from "./hubspot/HubSpot.ts"
import { QuickBooks } from "./quickbooks/QuickBooks.ts"
import { Salesforce } from "./salesforce/Salesforce.ts"

/** Every provider of this service: the one list. */
export const All = Layer.mergeAll(HubSpot, Salesforce, QuickBooks)
