import { Command, Options } from "@effect/cli"
import { Array, Effect, Option } from "effect"
import { json, print } from "../platform/Commands.ts"
import { NotFound, Unprocessable } from "../platform/Errors.ts"
import { Providers } from "../providers/Providers.ts"
import { environment, organisation } from "../tenancy/Commands.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { Organisations } from "../tenancy/Organisations.ts"
import { Connections } from "./Connections.ts"
import { Sandbox } from "./Sandbox.ts"
import { parse, type StoredCredentials } from "./StoredCredentials.ts"

const endUser = Options.text("end-user").pipe(
  Options.withDescription("The organisation's own id for the end user: what calls send as X-End-User-Id")
)
const provider = Options.text("provider").pipe(Options.withDescription("Slug, such as hubspot"))
const credentials = Options.redacted("credentials").pipe(
  Options.withDescription(
    "JSON: {accessToken, refreshToken?, expiresAt?} or {apiKey}, with the provider's own values (instanceUrl, realmId, …) beside. Without it, a simulated account is made in the sandbox."
  ),
  Options.optional
)

const secretOf = { oauth2: "accessToken", key: "apiKey" } as const satisfies Record<string, StoredCredentials["kind"]>

const refuse = (message: string) => new Unprocessable({ errors: { credentials: message } })

export const importConnection = Command.make(
  "import",
  { organisation, environment, endUser, provider, credentials, json },
  ({ credentials, endUser, environment, organisation, provider }) =>
    print(
      Effect.gen(function* () {
        const { id } = yield* (yield* Organisations).find(organisation)
        const providers = yield* Providers
        const adapter = providers.get(provider)
        if (adapter === undefined) {
          const known = providers.all().map(({ slug }) => slug)
          return yield* new NotFound({
            code: "PROVIDER_NOT_FOUND",
            message: `There is no provider "${provider}"; there are ${known.join(", ")}.`
          })
        }
        const stored = yield* Option.match(credentials, {
          onNone: () => Effect.succeed(undefined),
          onSome: (text) => Effect.map(parse(text), (stored): StoredCredentials | undefined => stored)
        })
        if (stored === undefined && environment === "production") {
          return yield* refuse("must be given with --environment live")
        }
        const wanted = secretOf[adapter.authorization.kind]
        if (stored !== undefined && stored.kind !== wanted) return yield* refuse(`must hold ${wanted} for ${provider}`)
        const owner = yield* (yield* EndUsers).ensure(id, environment, endUser)
        return yield* stored === undefined
          ? (yield* Sandbox).connect(owner, provider)
          : (yield* Connections).create({
              organisation: id,
              environment,
              endUser: owner.id,
              provider,
              credentials: stored
            })
      })
    )
).pipe(Command.withDescription("Connect an end user's account with credentials from elsewhere"))

export const listConnections = Command.make(
  "list",
  {
    organisation,
    environment: Options.optional(environment),
    endUser: Options.optional(endUser),
    provider: Options.optional(provider),
    json
  },
  ({ endUser, environment, organisation, provider }) =>
    print(
      Effect.gen(function* () {
        const { id } = yield* (yield* Organisations).find(organisation)
        const connections = yield* Connections
        const filters = {
          ...(Option.isSome(endUser) ? { endUserId: endUser.value } : {}),
          ...(Option.isSome(provider) ? { provider: provider.value } : {})
        }
        const environments: ReadonlyArray<Tenant["environment"]> = Option.match(environment, {
          onNone: () => ["sandbox", "production"],
          onSome: Array.of
        })
        return (yield* Effect.forEach(environments, (one) =>
          connections.list({ organisation: id, environment: one }, filters)
        )).flat()
      })
    )
).pipe(Command.withDescription("List an organisation's connections, oldest first"))

export const rotateEncryption = Command.make("rotate-encryption", { json }, () =>
  print(
    Effect.gen(function* () {
      return { connections: yield* (yield* Connections).rotateEncryption }
    })
  )
).pipe(Command.withDescription("Encrypt what is stored with the first of ENCRYPTION_KEYS"))
