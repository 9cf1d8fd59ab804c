import { Command, HelpDoc, ValidationError } from "@effect/cli"
import { FetchHttpClient } from "@effect/platform"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Config, Console, Effect, Layer, Logger, LogLevel } from "effect"
import { basename, relative } from "node:path"
import { stripVTControlCharacters } from "node:util"
import packageJson from "../package.json" with { type: "json" }
import { ChatSessions } from "./agent/ChatSessions.ts"
import { SessionContexts } from "./agent/SessionContexts.ts"
import { Approvals } from "./approvals/Approvals.ts"
import { ToolCalls } from "./audit/ToolCalls.ts"
import { removeSignIn, setSignIn, showSignIn } from "./authorization/Commands.ts"
import { SignInAddresses } from "./authorization/SignInAddresses.ts"
import { OAuthRecords } from "./authorization/OAuthRecords.ts"
import { ConnectAttempts } from "./connections/ConnectAttempts.ts"
import { checkProvider } from "./connections/CheckCommand.ts"
import { importConnection, listConnections } from "./connections/Commands.ts"
import { Connections } from "./connections/Connections.ts"
import { Integrations } from "./connections/Integrations.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import * as TokenRefresh from "./connections/TokenRefresh.ts"
import { CredentialCheckLimits } from "./connections/CredentialCheckLimits.ts"
import { ConsoleSessions } from "./console/ConsoleSessions.ts"
import { beforeRemoval, erasing } from "./Application.ts"
import { declarations } from "./Declarations.ts"
import { openApiDocument } from "./Documents.ts"
import { deleteOrganisation } from "./endusers/Commands.ts"
import { Events } from "./events/Events.ts"
import { explain } from "./Explain.ts"
import { listHooks } from "./hooks/Commands.ts"
import { Subscriptions } from "./hooks/Subscriptions.ts"
import { backup, restore } from "./platform/BackupCommands.ts"
import { json, migrate, print } from "./platform/Commands.ts"
import { newProvider } from "./NewProvider.ts"
import { growSlowly } from "./platform/Memory.ts"
import * as Database from "./platform/Database.ts"
import { Encryption } from "./platform/Encryption.ts"
import { RateLimiter } from "./platform/RateLimiter.ts"
import { Budget } from "./providers/base/Budget.ts"
import * as Calls from "./providers/base/Calls.ts"
import { type Parts, registered, sandbox, sourcesOf } from "./Parts.ts"
import { printFacts } from "./connections/FactsCommand.ts"
import { KeptValues } from "./providers/KeptValues.ts"
import { Providers } from "./providers/Providers.ts"
import { Faults } from "./providers/simulation/Faults.ts"
import { simulate } from "./providers/simulation/Commands.ts"
import { SimulationStore } from "./providers/simulation/SimulationStore.ts"
import { Transport } from "./providers/Transport.ts"
import { Idempotency } from "./records/Idempotency.ts"
import { rotateEncryption } from "./RotateEncryption.ts"
import { AllowedOrigins } from "./tenancy/AllowedOrigins.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import {
  createKey,
  createOrganisation,
  listKeys,
  listOrganisations,
  revokeKey,
  setOrigins,
  showOrigins,
  updateOrganisation
} from "./tenancy/Commands.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"
import { printVariables } from "./Variables.ts"
import { Watches } from "./watches/Watches.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"

const tenancy = Layer.mergeAll(Organisations.layer, ApiKeys.layer, EndUsers.layer).pipe(
  Layer.provide(Database.layerClient)
)

const origins = Layer.mergeAll(Organisations.layer, AllowedOrigins.layer).pipe(Layer.provide(Database.layerClient))

const signIn = Layer.mergeAll(Organisations.layer, SignInAddresses.layer).pipe(Layer.provide(Database.layerClient))

const connections = Layer.mergeAll(Connections.layer, Organisations.layer, EndUsers.layer).pipe(
  Layer.provideMerge(Encryption.layer),
  Layer.provideMerge(Database.layerClient)
)

const encrypted = Layer.mergeAll(
  SessionContexts.layer,
  ChatSessions.layer,
  Layer.provide(Approvals.layer, Events.layer),
  ToolCalls.layer,
  ConnectAttempts.layer,
  Idempotency.layer,
  ConsoleSessions.layer,
  OAuthRecords.layer,
  Subscriptions.layer,
  Webhooks.layer,
  Deliveries.layer,
  Watches.layer
).pipe(Layer.provide(Events.layer), Layer.provideMerge(connections))

const providersOf = (parts: Parts) =>
  Layer.mergeAll(registered(parts), Sandbox.layer(sourcesOf(parts))).pipe(
    // a command asks accounts as they are
    Layer.provide(Layer.merge(Calls.layer, KeptValues.layerMemory)),
    Layer.provideMerge(TokenRefresh.layer),
    Layer.provideMerge(Integrations.layer),
    Layer.provideMerge(Layer.mergeAll(connections, Providers.layer, Toolkits.layer, Transport.layer, Budget.layer)),
    Layer.provideMerge(Layer.provide(CredentialCheckLimits.layer, RateLimiter.layerMemory)),
    Layer.provideMerge(SimulationStore.layerSql),
    Layer.provide(connections),
    Layer.provide(FetchHttpClient.layer)
  )

/** Providers with their simulators in reach, for connections of the sandbox. */
const simulated = <A, E, R>(parts: Parts, providers: Layer.Layer<A, E, R>) =>
  Layer.provideMerge(sandbox(parts), Layer.merge(providers, Faults.layer))

/** `openapi`: the document that the service shows, for linters and generators of clients. */
const openapi = Command.make("openapi", { json }, () => print(openApiDocument)).pipe(
  Command.withDescription("Print the OpenAPI document")
)

/** `start`: the service itself, by its own rules for logs. */
const start = (parts: Parts) =>
  Command.make("start", {}, () =>
    // the other commands do without it
    Effect.flatMap(
      Effect.promise(() => import("./Service.ts")),
      ({ service }) => Layer.launch(service(parts))
    )
  ).pipe(Command.withDescription("Serve until stopped; settings come from the environment"))

// Standard output is the answer's alone.
const logging = Layer.merge(
  Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger)),
  Logger.minimumLogLevel(LogLevel.Warning)
)

/** Each command opens only what it needs, when it runs: help needs no database. */
const commandOf = (parts: Parts, invocation: string) => {
  const providers = providersOf(parts)
  return Command.make(invocation).pipe(
    Command.withDescription("Runs a Tributary service, and operates it, also while it runs"),
    Command.withSubcommands([
      start(parts),
      Command.make("organisations").pipe(
        Command.withDescription("The companies that use the service"),
        Command.withSubcommands([
          createOrganisation.pipe(Command.provide(tenancy)),
          listOrganisations.pipe(Command.provide(tenancy)),
          updateOrganisation.pipe(Command.provide(tenancy)),
          deleteOrganisation.pipe(
            Command.provide(Layer.provideMerge(Layer.provideMerge(erasing, beforeRemoval), providers))
          )
        ]),
        Command.provide(logging)
      ),
      Command.make("keys").pipe(
        Command.withDescription("API keys, and the keys that encrypt what is stored"),
        Command.withSubcommands([
          createKey.pipe(Command.provide(tenancy)),
          listKeys.pipe(Command.provide(tenancy)),
          revokeKey.pipe(Command.provide(tenancy)),
          rotateEncryption.pipe(Command.provide(encrypted))
        ]),
        Command.provide(logging)
      ),
      Command.make("sign-in").pipe(
        Command.withDescription("Where organisations' own applications say who an end user is"),
        Command.withSubcommands([
          showSignIn.pipe(Command.provide(signIn)),
          setSignIn.pipe(Command.provide(signIn)),
          removeSignIn.pipe(Command.provide(signIn))
        ]),
        Command.provide(logging)
      ),
      Command.make("allowed-origins").pipe(
        Command.withDescription("Origins whose pages may embed the connection widget and call workspaces"),
        Command.withSubcommands([
          showOrigins.pipe(Command.provide(origins)),
          setOrigins.pipe(Command.provide(origins))
        ]),
        Command.provide(logging)
      ),
      Command.make("connections").pipe(
        Command.withDescription("End users' accounts at providers"),
        Command.withSubcommands([
          importConnection.pipe(Command.provide(providers)),
          listConnections.pipe(Command.provide(connections))
        ]),
        Command.provide(logging)
      ),
      Command.make("hooks").pipe(
        Command.withDescription("Where providers push to"),
        Command.withSubcommands([listHooks.pipe(Command.provide(Layer.merge(declarations(parts), Encryption.layer)))]),
        Command.provide(logging)
      ),
      Command.make("providers").pipe(
        Command.withDescription("What is assumed of the providers, and whether it is so"),
        Command.withSubcommands([
          printFacts.pipe(Command.provide(providers)),
          checkProvider.pipe(Command.provide(simulated(parts, providers)))
        ]),
        Command.provide(logging)
      ),
      Command.provide(simulate(sourcesOf(parts)), logging),
      newProvider(["crm", "accounting", ...sourcesOf(parts).map(({ slug }) => slug)]),
      Command.provide(migrate, logging),
      Command.provide(backup, logging),
      Command.provide(restore, logging),
      openapi.pipe(Command.provide(declarations(parts)), Command.provide(logging)),
      printVariables
    ])
  )
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return ValidationError.isValidationError(error)
    ? stripVTControlCharacters(HelpDoc.toAnsiText(error.error)).trim().split(/\n+/).join("; ")
    : explain(cause)
}

/** The library's line of usage names a command without those above it. */
const inFull = (help: string, called: string, args: ReadonlyArray<string>) =>
  help.replace(/^\$ (\S+)/m, (line, word: string) => {
    const at = args.indexOf(stripVTControlCharacters(word))
    return at === -1 ? line : `$ ${[called, ...args.slice(0, at), word].join(" ")}`
  })

/**
 * The library says what is wrong with a command line over several lines, and then fails with it: once is enough. Colours are
 * for terminals.
 */
const plainly = (given: Console.Console, called: string): Console.Console => ({
  ...given,
  error: () => Effect.void,
  log: (...parts) =>
    given.log(
      ...parts.map((part): unknown => {
        if (typeof part !== "string") return part
        const text = inFull(part, called, process.argv.slice(2))
        return process.stdout.isTTY ? text : stripVTControlCharacters(text)
      })
    )
})

/** The command line that started this program, as npm tells it. */
const invocation = Config.all({
  command: Config.string("npm_command").pipe(Config.withDefault("")),
  script: Config.string("npm_lifecycle_event").pipe(Config.withDefault("")),
  runs: Config.string("npm_lifecycle_script").pipe(Config.withDefault(""))
}).pipe(
  Config.map(({ command, runs, script }) => {
    const [, program = ""] = process.argv
    const name = basename(program)
    if (command.startsWith("run") && runs.includes(name)) return `npm run --silent ${script} --`
    if (/\.[cm]?[jt]s$/.test(name)) return `node ${relative(process.cwd(), program)}`
    return command === "exec" ? `npx ${name}` : name
  })
)

/** The program as a shell completes it: one word, of which functions of the script are named. */
const word = () => basename(process.argv[1] ?? "").replace(/\.[cm]?[jt]s$/, "")

/** Runs the operator's command line over some parts, with the arguments of this process. */
export const commandLine = (parts: Parts): void => {
  growSlowly()
  Effect.gen(function* () {
    const called = yield* invocation
    const command = commandOf(parts, process.argv.includes("--completions") ? word() : called)
    const run = Command.run(command, { name: "tributary", version: packageJson.version })
    yield* Effect.withConsole(run(process.argv), plainly(yield* Effect.console, called))
  }).pipe(
    Effect.tapErrorCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : Console.error(reasonOf(cause)))),
    Effect.provide(NodeContext.layer),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )
}
