import { Effect, type Either, Option } from "effect"
import { NotFound, Unprocessable } from "../platform/Errors.ts"
import type { Authorization } from "../providers/axes/Authorization.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { Connections } from "./Connections.ts"
import { checkValues } from "./EnteredValues.ts"
import { Integrations } from "./Integrations.ts"
import { Sandbox } from "./Sandbox.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"

/** What credentials of each kind of authorisation hold. */
const secretOf = {
  oauth2: "accessToken",
  key: "apiKey",
  connectionString: "connectionString"
} as const satisfies Record<Authorization["kind"], StoredCredentials["kind"]>

const refuse = (message: string) => new Unprocessable({ errors: { credentials: message } })

/**
 * Connects an end user's account with credentials from elsewhere, or, without any, to a simulated account of the sandbox.
 * The end user is made when there is none. `isTrusted`: hosts that the credentials' values name are taken as they are,
 * since the operator gives them.
 */
export const importCredentials = Effect.fn("ImportCredentials")(function* (
  tenant: Tenant,
  given: {
    /** The organisation's own name for the end user. */
    readonly endUserId: string
    readonly provider: string
    readonly credentials: Either.Either<StoredCredentials, Unprocessable> | undefined
    readonly accountName?: string | undefined
  },
  isTrusted: boolean
) {
  const { accountName, endUserId, provider } = given
  const { environment, organisation } = tenant
  const integrations = yield* Integrations
  const sandbox = yield* Effect.serviceOption(Sandbox)
  const integration = integrations.get(provider)
  if (integration === undefined) {
    const known = integrations.all().map(({ slug }) => slug)
    return yield* new NotFound({
      code: "PROVIDER_NOT_FOUND",
      message: `There is no provider "${provider}"; there are ${known.join(", ")}.`
    })
  }
  const { authorization } = integration
  if (given.credentials === undefined) {
    if (environment === "production" || Option.isNone(sandbox))
      return yield* refuse("must be given outside the sandbox")
    const owner = yield* (yield* EndUsers).ensure(organisation, environment, endUserId)
    return yield* sandbox.value.connect(owner, provider)
  }
  const credentials = yield* given.credentials
  const wanted = secretOf[authorization.kind]
  if (credentials.kind !== wanted) return yield* refuse(`must hold ${wanted} for ${provider}`)
  if (!isTrusted) yield* checkValues(authorization, credentials.values, "credentials")
  const owner = yield* (yield* EndUsers).ensure(organisation, environment, endUserId)
  return yield* (yield* Connections).create({
    organisation,
    environment,
    endUser: owner.id,
    provider,
    accountName,
    credentials
  })
})
