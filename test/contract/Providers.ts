import { Attio } from "../../src/providers/attio/Attio.ts"
import { Close } from "../../src/providers/close/Close.ts"
import { HubSpot } from "../../src/providers/hubspot/HubSpot.ts"
import { NetSuite } from "../../src/providers/netsuite/NetSuite.ts"
import { Pipedrive } from "../../src/providers/pipedrive/Pipedrive.ts"
import { QuickBooks } from "../../src/providers/quickbooks/QuickBooks.ts"
import { Salesforce } from "../../src/providers/salesforce/Salesforce.ts"
import { Xero } from "../../src/providers/xero/Xero.ts"
import { ZohoBooks } from "../../src/providers/zohobooks/ZohoBooks.ts"
import { ZohoCrm } from "../../src/providers/zohocrm/ZohoCrm.ts"
import type { Samples } from "../../src/testing/contract/Sample.ts"
import type { ProviderLayer } from "../../src/testing/contract/Subject.ts"
import { attio } from "./samples/Attio.ts"
import { close } from "./samples/Close.ts"
import { hubSpot } from "./samples/HubSpot.ts"
import { netSuite } from "./samples/NetSuite.ts"
import { pipedrive } from "./samples/Pipedrive.ts"
import { quickBooks } from "./samples/QuickBooks.ts"
import { salesforce } from "./samples/Salesforce.ts"
import { xeroSamples } from "./samples/Xero.ts"
import { zohoBooks } from "./samples/ZohoBooks.ts"
import { zohoCrm } from "./samples/ZohoCrm.ts"

/** Every provider with its samples, for suites over all of them. */
export const providers: ReadonlyArray<readonly [slug: string, layer: ProviderLayer, samples: Samples]> = [
  ["attio", Attio, attio],
  ["close", Close, close],
  ["hubspot", HubSpot, hubSpot],
  ["netsuite", NetSuite, netSuite],
  ["pipedrive", Pipedrive, pipedrive],
  ["quickbooks", QuickBooks, quickBooks],
  ["salesforce", Salesforce, salesforce],
  ["xero", Xero, xeroSamples],
  ["zoho_books", ZohoBooks, zohoBooks],
  ["zoho_crm", ZohoCrm, zohoCrm]
]
