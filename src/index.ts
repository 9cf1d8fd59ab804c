// The application and what it is made of: compose the Layers you want, add a provider of your own, leave one out.
export { services } from "./Application.ts"
export { routes } from "./Http.ts"
export * as Database from "./platform/Database.ts"
export { Encryption } from "./platform/Encryption.ts"
export * as Network from "./platform/Network.ts"
export { RateLimiter } from "./platform/RateLimiter.ts"
export * as Telemetry from "./platform/Telemetry.ts"

// Providers
export { All } from "./providers/All.ts"
export { HubSpot } from "./providers/hubspot/HubSpot.ts"
export { QuickBooks } from "./providers/quickbooks/QuickBooks.ts"
export { Salesforce } from "./providers/salesforce/Salesforce.ts"

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

// What the application offers in process
export { Connections } from "./connections/Connections.ts"
export { FieldMappings } from "./fieldmappings/FieldMappings.ts"
export { Records } from "./records/Records.ts"
export { ApiKeys } from "./tenancy/ApiKeys.ts"
export { EndUsers } from "./tenancy/EndUsers.ts"
export { Organisations } from "./tenancy/Organisations.ts"
