// A service, composed in one call, and what it is made of.
export { everything } from "./All.ts"
export { commandLine } from "./CommandLine.ts"
export type { Parts, ProviderLayer, ToolkitLayer } from "./Parts.ts"
export { serve, service } from "./Service.ts"

// Providers and toolkits; each loads its module when it is built
export {
  Attio,
  Close,
  HubSpot,
  NetSuite,
  Pipedrive,
  QuickBooks,
  Salesforce,
  Xero,
  ZohoBooks,
  ZohoCrm
} from "./providers/All.ts"
export { GitHub, Gmail, Jira, Linear, Notion, Postgres } from "./toolkits/All.ts"

// Layers, for those who compose by hand
export { services } from "./Application.ts"
export { routes } from "./Http.ts"
export { registered, sandbox } from "./Parts.ts"
export { layer as database } from "./platform/Database.ts"
export { Encryption } from "./platform/Encryption.ts"
export { layer as network } from "./platform/Network.ts"
export { RateLimiter } from "./platform/RateLimiter.ts"
export { InvalidPart } from "./platform/Registry.ts"
export { layer as telemetry } from "./platform/Telemetry.ts"
export { Faults } from "./providers/simulation/Faults.ts"
export { SimulationStore } from "./providers/simulation/SimulationStore.ts"

// Writing a toolkit
export {
  hints,
  type Hints,
  InvalidArguments,
  type ConnectionTool,
  type JsonObject,
  type Tool,
  tool
} from "./toolkits/Tool.ts"
export { toolkit, type Toolkit, Toolkits } from "./toolkits/Toolkits.ts"

// Services to use in process
export { Connections } from "./connections/Connections.ts"
export { FieldMappings } from "./fieldmappings/FieldMappings.ts"
export { Providers } from "./providers/Providers.ts"
export { Records } from "./records/Records.ts"
export { ApiKeys } from "./tenancy/ApiKeys.ts"
export { EndUsers } from "./tenancy/EndUsers.ts"
export { Organisations } from "./tenancy/Organisations.ts"
