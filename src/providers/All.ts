import { Layer } from "effect"
import { HubSpot } from "./hubspot/HubSpot.ts"
import { NetSuite } from "./netsuite/NetSuite.ts"
import { Pipedrive } from "./pipedrive/Pipedrive.ts"
import { QuickBooks } from "./quickbooks/QuickBooks.ts"
import { Salesforce } from "./salesforce/Salesforce.ts"
import { Xero } from "./xero/Xero.ts"
import { ZohoCrm } from "./zohocrm/ZohoCrm.ts"

/** Every provider of this service: the one list. */
export const All = Layer.mergeAll(HubSpot, Salesforce, Pipedrive, ZohoCrm, QuickBooks, Xero, NetSuite)
