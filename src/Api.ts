import { OpenApi } from "@effect/platform"
import { AgentApi, SessionContextsApi, WorkspacesApi } from "./agent/Api.ts"
import { ChatSessionsApi } from "./agent/ChatSessionsApi.ts"
import { ApprovalsApi } from "./approvals/Api.ts"
import { ToolCallsApi } from "./audit/Api.ts"
import { McpAccessApi, SignInApi } from "./authorization/Api.ts"
import { ConnectApi, ConnectionsApi } from "./connections/Api.ts"
import { EndUsersApi } from "./endusers/Api.ts"
import { EventsApi } from "./events/Api.ts"
import { FieldMappingsApi } from "./fieldmappings/Api.ts"
import { makeApi } from "./platform/ApiErrors.ts"
import { PassthroughApi } from "./passthrough/Api.ts"
import { basePath } from "./platform/Paths.ts"
import { ProvidersApi } from "./providers/Api.ts"
import { AccountingApi, CrmApi } from "./records/Api.ts"
import { RequestsApi } from "./requests/Api.ts"
import { AllowedOriginsApi, ApiKeysApi } from "./tenancy/Api.ts"
import { WebhooksApi } from "./webhooks/Api.ts"
import { WatchesApi } from "./watches/Api.ts"

/** Groups whose `Http.ts` implements them handler by handler. */
export class ManagementApi extends makeApi("tributary")
  .add(ProvidersApi)
  .add(FieldMappingsApi)
  .add(ConnectApi)
  .add(ConnectionsApi)
  .add(EndUsersApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .add(WatchesApi)
  .add(WorkspacesApi)
  .add(SessionContextsApi)
  .add(ChatSessionsApi)
  .add(ApprovalsApi)
  .add(ToolCallsApi)
  .add(McpAccessApi)
  .add(SignInApi)
  .add(AllowedOriginsApi)
  .add(RequestsApi)
  .add(ApiKeysApi)
  .prefix(basePath) {}

/** The whole interface, from which the OpenAPI document and typed clients are made. */
export class Api extends makeApi("tributary")
  .addHttpApi(CrmApi)
  .addHttpApi(AccountingApi)
  .addHttpApi(PassthroughApi)
  .addHttpApi(AgentApi)
  .addHttpApi(ManagementApi)
  .annotate(OpenApi.Title, "Tributary")
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.License, { name: "MIT", url: "https://opensource.org/license/mit" })
  .annotate(OpenApi.Servers, [{ url: "/" }])
  .annotate(
    OpenApi.Description,
    "One API over your customers' CRMs and ledgers. Every answer is an envelope; every failure has a code."
  ) {}
