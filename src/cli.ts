import { Command, HelpDoc, ValidationError } from "@effect/cli"
import { FetchHttpClient, OpenApi } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Cause, type Console, Effect, Layer, Logger, LogLevel } from "effect"
import { stripVTControlCharacters } from "node:util"
import packageJson from "../package.json" with { type: "json" }
import { ChatSessions } from "./agent/ChatSessions.ts"
import { rotateEncryption } from "./agent/Commands.ts"
import { SessionContexts } from "./agent/SessionContexts.ts"
import { All } from "./All.ts"
import { Api } from "./Api.ts"
import { importConnection, listConnections } from "./connections/Commands.ts"
import { Connections } from "./connections/Connections.ts"
import { Integrations } from "./connections/Integrations.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import * as TokenRefresh from "./connections/TokenRefresh.ts"
import { Trials } from "./connections/Trials.ts"
import { erasing } from "./Application.ts"
import { deleteOrganisation } from "./endusers/Commands.ts"
import { explain } from "./Explain.ts"
import { json, migrate, print } from "./platform/Commands.ts"
import * as Database from "./platform/Database.ts"
import { Encryption } from "./platform/Encryption.ts"
import { RateLimiter } from "./platform/RateLimiter.ts"
import { Budget } from "./providers/axes/Budget.ts"
import { Upstream } from "./providers/axes/Upstream.ts"
import { Providers } from "./providers/Providers.ts"
import { simulate } from "./providers/simulation/Commands.ts"
import { SimulationStore } from "./providers/simulation/SimulationStore.ts"
import { Transport } from "./providers/Transport.ts"
import { simulators } from "./Simulators.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { createKey, createOrganisation, listKeys, revokeKey, updateOrganisation } from "./tenancy/Commands.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"

const tenancy = Layer.mergeAll(Organisations.layer, ApiKeys.layer, EndUsers.layer).pipe(
  Layer.provide(Database.layerClient)
)

const connections = Layer.mergeAll(Connections.layer, Organisations.layer, EndUsers.layer).pipe(
  Layer.provideMerge(Encryption.layer),
  Layer.provideMerge(Database.layerClient)
)

const encrypted = Layer.mergeAll(SessionContexts.layer, ChatSessions.layer).pipe(Layer.provideMerge(connections))

const providers = Layer.mergeAll(All, Sandbox.layer(simulators)).pipe(
  Layer.provide(Upstream.layer),
  Layer.provide(TokenRefresh.layer),
  Layer.provideMerge(Integrations.layer),
  Layer.provideMerge(Layer.mergeAll(connections, Providers.layer, Toolkits.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Layer.provide(Trials.layer, RateLimiter.layerMemory)),
  Layer.provide(SimulationStore.layerSql),
  Layer.provide(connections),
  Layer.provide(FetchHttpClient.layer)
)

/** `openapi`: the document that the service shows, for linters and generators of clients. */
const openapi = Command.make("openapi", { json }, () => print(Effect.sync(() => OpenApi.fromApi(Api)))).pipe(
  Command.withDescription("Print the OpenAPI document")
)

/** Each command opens only what it needs, when it runs: help needs no database. */
const command = Command.make("tributary").pipe(
  Command.withDescription("Operates a Tributary service, also while it runs"),
  Command.withSubcommands([
    Command.make("organisations").pipe(
      Command.withDescription("The companies that use the service"),
      Command.withSubcommands([
        createOrganisation.pipe(Command.provide(tenancy)),
        updateOrganisation.pipe(Command.provide(tenancy)),
        deleteOrganisation.pipe(Command.provide(Layer.provideMerge(erasing, providers)))
      ])
    ),
    Command.make("keys").pipe(
      Command.withDescription("API keys, and the keys that encrypt what is stored"),
      Command.withSubcommands([
        createKey.pipe(Command.provide(tenancy)),
        listKeys.pipe(Command.provide(tenancy)),
        revokeKey.pipe(Command.provide(tenancy)),
        rotateEncryption.pipe(Command.provide(encrypted))
      ])
    ),
    Command.make("connections").pipe(
      Command.withDescription("End users' accounts at providers"),
      Command.withSubcommands([
        importConnection.pipe(Command.provide(providers)),
        listConnections.pipe(Command.provide(connections))
      ])
    ),
    simulate(simulators),
    migrate,
    openapi
  ])
)

const lineOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return ValidationError.isValidationError(error)
    ? stripVTControlCharacters(HelpDoc.toAnsiText(error.error)).trim().split(/\n+/).join("; ")
    : explain(cause).replaceAll("\n", " ")
}

const report = (cause: Cause.Cause<unknown>) => Effect.sync(() => console.error(lineOf(cause)))

/** The library says what is wrong with a command line over several lines, and then fails with it: once is enough. */
const withoutParagraphs = Effect.consoleWith((given) =>
  Effect.succeed({ ...given, error: () => Effect.void } satisfies Console.Console)
)

// Standard output is the answer's alone.
const logging = Layer.merge(
  Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger)),
  Logger.minimumLogLevel(LogLevel.Warning)
)

Effect.flatMap(withoutParagraphs, (quieter) =>
  Effect.withConsole(Command.run(command, { name: "Tributary", version: packageJson.version })(process.argv), quieter)
).pipe(
  Effect.tapErrorCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : report(cause))),
  Effect.provide(Layer.merge(NodeContext.layer, logging)),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
