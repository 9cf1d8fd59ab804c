import { source, type SimulatorSource } from "./simulation/Simulator.ts"

/** The simulator of every provider. */
export const simulators: ReadonlyArray<SimulatorSource> = [
  source("hubspot", () => import("./hubspot/simulator/HubSpotSimulator.ts")),
  source("salesforce", () => import("./salesforce/simulator/SalesforceSimulator.ts")),
  source("pipedrive", () => import("./pipedrive/simulator/PipedriveSimulator.ts")),
  source("attio", () => import("./attio/simulator/AttioSimulator.ts")),
  source("close", () => import("./close/simulator/CloseSimulator.ts")),
  source("quickbooks", () => import("./quickbooks/simulator/QuickBooksSimulator.ts")),
  source("xero", () => import("./xero/simulator/XeroSimulator.ts")),
  source("netsuite", () => import("./netsuite/simulator/NetSuiteSimulator.ts")),
  source("zoho_crm", () => import("./zohocrm/simulator/ZohoCrmSimulator.ts")),
  source("zoho_books", () => import("./zohobooks/simulator/ZohoBooksSimulator.ts"))
]
