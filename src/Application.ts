import { Layer } from "effect"
import { Chat } from "./agent/Chat.ts"
import { ChatSessions } from "./agent/ChatSessions.ts"
import { ConnectionManager } from "./agent/ConnectionManager.ts"
import { Consents } from "./agent/Consents.ts"
import { LanguageModel } from "./agent/LanguageModel.ts"
import { McpServer } from "./agent/McpServer.ts"
import { SessionContexts } from "./agent/SessionContexts.ts"
import * as AgentHoldings from "./agent/Holdings.ts"
import { ToolCatalogue } from "./agent/ToolCatalogue.ts"
import { ToolGate } from "./agent/ToolGate.ts"
import { ToolRouter } from "./agent/ToolRouter.ts"
import { UnifiedToolkit } from "./agent/UnifiedToolkit.ts"
import { WorkspaceFacts } from "./agent/WorkspaceFacts.ts"
import { Workspaces } from "./agent/Workspaces.ts"
import { Approvals } from "./approvals/Approvals.ts"
import * as ApprovalHoldings from "./approvals/Holdings.ts"
import * as AuditHoldings from "./audit/Holdings.ts"
import { ToolCalls } from "./audit/ToolCalls.ts"
import * as AccessTokens from "./authorization/AccessTokens.ts"
import { AuthorizationServer } from "./authorization/AuthorizationServer.ts"
import { Grants } from "./authorization/Grants.ts"
import * as GrantHoldings from "./authorization/Holdings.ts"
import { OAuthRecords } from "./authorization/OAuthRecords.ts"
import { SignInAddresses } from "./authorization/SignInAddresses.ts"
import { SignIns } from "./authorization/SignIns.ts"
import { ConnectAttempts } from "./connections/ConnectAttempts.ts"
import * as ConnectionCounts from "./connections/ConnectionCounts.ts"
import { Connections } from "./connections/Connections.ts"
import { Consent } from "./connections/Consent.ts"
import { ConnectSessions } from "./connections/ConnectSessions.ts"
import { EnteredKeys } from "./connections/EnteredKeys.ts"
import { Features } from "./connections/Features.ts"
import * as ConnectionHoldings from "./connections/Holdings.ts"
import { Integrations } from "./connections/Integrations.ts"
import * as Leftovers from "./connections/OrphanedRows.ts"
import * as ReauthWarnings from "./connections/ReauthWarnings.ts"
import { CredentialCheckLimits } from "./connections/CredentialCheckLimits.ts"
import * as TokenRefresh from "./connections/TokenRefresh.ts"
import { ConsoleSessions } from "./console/ConsoleSessions.ts"
import { Erasure } from "./endusers/Erasure.ts"
import { Events } from "./events/Events.ts"
import * as EventHoldings from "./events/Holdings.ts"
import * as HookHoldings from "./hooks/Holdings.ts"
import { Hooks } from "./hooks/Hooks.ts"
import * as Keeper from "./hooks/Keeper.ts"
import { Subscriptions } from "./hooks/Subscriptions.ts"
import { FieldMappings } from "./fieldmappings/FieldMappings.ts"
import { Overrides } from "./fieldmappings/Overrides.ts"
import { DiskSpace } from "./platform/DiskSpace.ts"
import { GuardedClient } from "./platform/GuardedClient.ts"
import * as Health from "./platform/Health.ts"
import { Passthrough } from "./passthrough/Passthrough.ts"
import { Budget } from "./providers/base/Budget.ts"
import * as Calls from "./providers/base/Calls.ts"
import { Providers } from "./providers/Providers.ts"
import { Transport } from "./providers/Transport.ts"
import { Access } from "./records/Access.ts"
import { Attachments } from "./records/Attachments.ts"
import { Batch } from "./records/Batch.ts"
import * as RecordHoldings from "./records/Holdings.ts"
import * as RequestHoldings from "./requests/Holdings.ts"
import { RequestLog } from "./requests/RequestLog.ts"
import { Idempotency } from "./records/Idempotency.ts"
import { Identities } from "./records/Identities.ts"
import * as LookupStore from "./records/LookupStore.ts"
import { Lookups } from "./records/Lookups.ts"
import { OneRecord } from "./records/OneRecord.ts"
import { Presenter } from "./records/Presenter.ts"
import { Expander } from "./records/Expander.ts"
import { Records } from "./records/Records.ts"
import { Writes } from "./records/Writes.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { Authentication } from "./tenancy/Authentication.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Erasures } from "./tenancy/Erasures.ts"
import { KeyEvents } from "./tenancy/KeyEvents.ts"
import { AllowedOrigins } from "./tenancy/AllowedOrigins.ts"
import { Organisations } from "./tenancy/Organisations.ts"
import { PersonalData } from "./tenancy/PersonalData.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"
import * as ForPushes from "./watches/ForPushes.ts"
import * as WatchHoldings from "./watches/Holdings.ts"
import { Poll } from "./watches/Poll.ts"
import { WatchedConnections } from "./watches/WatchedConnections.ts"
import { WatchedResources } from "./watches/WatchedResources.ts"
import { Watcher } from "./watches/Watcher.ts"
import { Watches } from "./watches/Watches.ts"
import { Attempts } from "./webhooks/Attempts.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import * as WebhookHoldings from "./webhooks/Holdings.ts"
import { Outbox } from "./webhooks/Outbox.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"

/** Provider access: the registry, transport, budgets, and the credentials of connections. */
const reach = Calls.layer.pipe(
  Layer.provideMerge(TokenRefresh.layer),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Integrations.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Layer.mergeAll(Providers.layer, Toolkits.layer))
)

const tenancy = Authentication.layer.pipe(
  Layer.provideMerge(AccessTokens.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      ApiKeys.layer,
      KeyEvents.layer,
      EndUsers.layer,
      Organisations.layer,
      AllowedOrigins.layer,
      Events.layer
    )
  )
)

/** Lets end users connect their accounts. */
const connecting = Layer.merge(Consent.layer, EnteredKeys.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(ConnectAttempts.layer, ConnectSessions.layer, CredentialCheckLimits.layer))
)

/** Services for agents: workspaces, and the tools behind one gate. */
const agents = Layer.mergeAll(McpServer.layer, Chat.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Workspaces.layer, SessionContexts.layer, ChatSessions.layer)),
  Layer.provideMerge(LanguageModel.layer),
  Layer.provideMerge(Layer.mergeAll(ToolGate.layer, ToolRouter.layer, Consents.layer)),
  Layer.provideMerge(Layer.mergeAll(ToolCatalogue.layer, ToolCalls.layer, ConnectionManager.layer)),
  Layer.provideMerge(UnifiedToolkit.layer)
)

/** Lets programs of end users ask for access to workspaces. */
const authorization = Layer.mergeAll(AuthorizationServer.layer, SignIns.layer, SignInAddresses.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(OAuthRecords.layer, Grants.layer, WorkspaceFacts.layer, Approvals.layer)),
  Layer.provideMerge(GuardedClient.layer)
)

/** Ends a connection's subscriptions at its provider before the connection is removed. */
export const beforeRemoval = Keeper.beforeRemoval.pipe(Layer.provideMerge(Subscriptions.layer))

/** Erasure of everything stored about end users. */
export const erasing = Erasure.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      AgentHoldings.layer,
      ApprovalHoldings.layer,
      AuditHoldings.layer,
      GrantHoldings.layer,
      RequestHoldings.layer,
      // before the events, which take them along
      WebhookHoldings.layer,
      EventHoldings.layer,
      RecordHoldings.layer,
      HookHoldings.layer,
      WatchHoldings.layer,
      ConnectionHoldings.layer
    )
  ),
  Layer.provideMerge(Layer.mergeAll(PersonalData.layer, Erasures.layer, ConnectAttempts.layer, ApiKeys.layer))
)

/** Webhooks and their deliveries. */
const webhooks = Layer.mergeAll(Webhooks.layer, Deliveries.layer, Outbox.layer, Attempts.layer).pipe(
  Layer.provideMerge(GuardedClient.layer)
)

/** Watches records and publishes their changes. */
const following = Watcher.layer.pipe(
  Layer.provideMerge(Poll.layer),
  Layer.provideMerge(Layer.mergeAll(Watches.layer, WatchedConnections.layer, WatchedResources.layer))
)

/** Receives providers' pushes for watches, and subscribes to them. */
const pushes = Layer.merge(Hooks.layer, Keeper.keeping).pipe(
  Layer.provideMerge(Keeper.Keeper.layer),
  Layer.provideMerge(ForPushes.layer),
  Layer.provideMerge(following)
)

/** Services of the operator's console. */
const console = Layer.mergeAll(ConsoleSessions.layer, RequestLog.layer)

/**
 * Every service between the routes and the parts that a deployment picks: the database, the network, encryption, the
 * rate limiter. Providers are separate Layers: the application has those that are provided on top of this one.
 */
export const services = Layer.merge(agents, pushes).pipe(
  Layer.provideMerge(Batch.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Records.layer,
      Attachments.layer,
      Passthrough.layer,
      Idempotency.layer,
      Health.databaseCheck,
      connecting,
      erasing,
      Leftovers.layer,
      ConnectionCounts.layer,
      ReauthWarnings.layer,
      webhooks,
      authorization,
      console
    )
  ),
  Layer.provideMerge(beforeRemoval),
  Layer.provideMerge(Overrides.layer),
  Layer.provideMerge(Layer.mergeAll(OneRecord.layer, Expander.layer, Writes.layer)),
  Layer.provideMerge(Layer.mergeAll(Access.layer, Presenter.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      FieldMappings.layer,
      Identities.layer,
      Layer.provideMerge(Lookups.layer, LookupStore.layer),
      Features.layer
    )
  ),
  Layer.provideMerge(DiskSpace.layer),
  Layer.provideMerge(Health.Health.layer),
  Layer.provideMerge(Layer.mergeAll(reach, tenancy))
)
