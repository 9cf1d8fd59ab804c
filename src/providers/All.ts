import { inOrder, lazy } from "../platform/Registry.ts"

export const HubSpot = lazy(async () => (await import("./hubspot/HubSpot.ts")).HubSpot)
export const Salesforce = lazy(async () => (await import("./salesforce/Salesforce.ts")).Salesforce)
export const Pipedrive = lazy(async () => (await import("./pipedrive/Pipedrive.ts")).Pipedrive)
export const Close = lazy(async () => (await import("./close/Close.ts")).Close)
export const ZohoCrm = lazy(async () => (await import("./zohocrm/ZohoCrm.ts")).ZohoCrm)
export const Attio = lazy(async () => (await import("./attio/Attio.ts")).Attio)
export const QuickBooks = lazy(async () => (await import("./quickbooks/QuickBooks.ts")).QuickBooks)
export const Xero = lazy(async () => (await import("./xero/Xero.ts")).Xero)
export const ZohoBooks = lazy(async () => (await import("./zohobooks/ZohoBooks.ts")).ZohoBooks)
export const NetSuite = lazy(async () => (await import("./netsuite/NetSuite.ts")).NetSuite)

/** Every provider of this service: the one list. */
export const providers = [HubSpot, Salesforce, Pipedrive, ZohoCrm, Attio, Close, QuickBooks, Xero, NetSuite, ZohoBooks]

export const All = inOrder(providers)
