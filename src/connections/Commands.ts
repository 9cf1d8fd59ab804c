import { Command, Options } from "@effect/cli"
import { Array, Effect, Option, Schema } from "effect"
import { json, print } from "../platform/Commands.ts"
import { environment, organisation } from "../tenancy/Commands.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { Organisations } from "../tenancy/Organisations.ts"
import { EndUserId } from "./Api.ts"
import { Connections } from "./Connections.ts"
import { RequirementName } from "../providers/Requirement.ts"
import { importCredentials } from "./ImportCredentials.ts"
import { parse } from "./StoredCredentials.ts"

const endUser = Options.text("end-user").pipe(
  Options.withSchema(EndUserId),
  Options.withDescription("The organisation's own id for the end user: what calls send as X-End-User-Id")
)
const provider = Options.text("provider").pipe(Options.withDescription("Slug, such as hubspot"))
const credentials = Options.redacted("credentials").pipe(
  Options.withDescription(
    "JSON: {accessToken, refreshToken?, expiresAt?, reauthBy?}, {privateKey, clientId, certificateId} or {apiKey}, with the provider's own values (instanceUrl, realmId, …) beside. Without it, a simulated account is made in the sandbox."
  ),
  Options.optional
)

const lacks = Options.text("lacks").pipe(
  Options.withDescription(
    "Something that a simulated account is to lack, such as edition:Plus or scope:bankfeeds; may be given several times"
  ),
  Options.repeated,
  Options.withSchema(
    Schema.mutable(Schema.Array(RequirementName)).annotations({
      message: () => ({ message: "--lacks: must be scope:, tier:, edition: or module: and a name", override: true })
    })
  )
)

export const importConnection = Command.make(
  "import",
  { organisation, environment, endUser, provider, credentials, lacks, json },
  ({ credentials, endUser, environment, lacks, organisation, provider }) =>
    print(
      Effect.gen(function* () {
        const { id } = yield* (yield* Organisations).find(organisation)
        const given = {
          endUserId: endUser,
          provider,
          lacks,
          credentials: Option.getOrUndefined(Option.map(credentials, parse))
        }
        return yield* importCredentials({ organisation: id, environment }, given, true)
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
