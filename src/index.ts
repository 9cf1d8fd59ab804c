// The application and what it is made of: compose the Layers you want, add a provider of your own, leave one out.
export { All } from "./All.ts"
export { services } from "./Application.ts"
export { routes } from "./Http.ts"
export * as Database from "./platform/Database.ts"
export { Encryption } from "./platform/Encryption.ts"
export * as Network from "./platform/Network.ts"
export { RateLimiter } from "./platform/RateLimiter.ts"
export * as Telemetry from "./platform/Telemetry.ts"

// Providers
export { HubSpot } from "./providers/hubspot/HubSpot.ts"
export { NetSuite } from "./providers/netsuite/NetSuite.ts"
export { Pipedrive } from "./providers/pipedrive/Pipedrive.ts"
export { QuickBooks } from "./providers/quickbooks/QuickBooks.ts"
export { Salesforce } from "./providers/salesforce/Salesforce.ts"
export { Xero } from "./providers/xero/Xero.ts"
export { ZohoCrm } from "./providers/zohocrm/ZohoCrm.ts"

// Toolkits
export { GitHub } from "./toolkits/github/GitHub.ts"
export { Gmail } from "./toolkits/gmail/Gmail.ts"
export { Jira } from "./toolkits/jira/Jira.ts"
export { Linear } from "./toolkits/linear/Linear.ts"
export { Notion } from "./toolkits/notion/Notion.ts"
export { Postgres } from "./toolkits/postgres/Postgres.ts"

// Writing a provider
export * as Authorization from "./providers/axes/Authorization.ts"
export * as Errors from "./providers/axes/Errors.ts"
export * as Paginator from "./providers/axes/Paginator.ts"
export { type Answer, type Call, type Caller, type Endpoint, Upstream } from "./providers/axes/Upstream.ts"
export * as Mapping from "./mapping/Mapping.ts"
export * as Transform from "./mapping/Transform.ts"
export type * from "./providers/ConnectionRef.ts"
export type * from "./providers/ProviderAdapter.ts"
export * as ProviderError from "./providers/ProviderError.ts"
export { provider, Providers } from "./providers/Providers.ts"

// Writing a toolkit
export * as Tool from "./toolkits/Tool.ts"
export { toolkit, type Toolkit, Toolkits } from "./toolkits/Toolkits.ts"

// What the application offers in process
export { Connections } from "./connections/Connections.ts"
export { FieldMappings } from "./fieldmappings/FieldMappings.ts"
export { Records } from "./records/Records.ts"
export { ApiKeys } from "./tenancy/ApiKeys.ts"
export { EndUsers } from "./tenancy/EndUsers.ts"
export { Organisations } from "./tenancy/Organisations.ts"
