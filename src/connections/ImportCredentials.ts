import { Effect, type Either, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { NotFound, Unprocessable } from "../platform/Errors.ts"
import type { OAuth2 } from "../providers/base/Authorization.ts"
import type { Requirement } from "../providers/Requirement.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { Connections, type OpenedAccount } from "./Connections.ts"
import { checkImported } from "./EnteredValues.ts"
import { Integrations, kindsOf, wayOf } from "./Integrations.ts"
import { reachable, Sandbox } from "./Sandbox.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"
import { openedBy } from "./CredentialCheck.ts"

const refuse = (message: string) => new Unprocessable({ errors: { credentials: message } })

/**
 * Connects an end user's account with credentials from elsewhere, or, without any, to a simulated account of the sandbox.
 * The end user is made when there is none. An account that they have connected already keeps its connection, which is given
 * the credentials.
 *
 * Keys, certificates and connection strings are tried, as on the connect page, and kept when they work. Tokens are taken as they are: an
 * access token may have expired on its way here, and trying the refresh token would use it up where whoever gave it away
 * may need it still. The first call that the provider refuses makes such a connection `needs_reauth`.
 *
 * `isTrusted`: hosts that the credentials' values name are taken as they are, since the operator gives them.
 */
export const importCredentials = Effect.fn("ImportCredentials")(function* (
  tenant: Tenant,
  given: {
    /** The organisation's own name for the end user. */
    readonly endUserId: string
    readonly provider: string
    readonly credentials: Either.Either<StoredCredentials, Unprocessable> | undefined
    readonly accountName?: string | undefined
    /** Requirements that a simulated account is made without. */
    readonly lacks?: ReadonlyArray<Requirement> | undefined
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
  yield* reachable(environment, integration)
  if (given.credentials === undefined) {
    if (environment === "production" || Option.isNone(sandbox))
      return yield* refuse("must be given outside the sandbox")
    yield* sandbox.value.check(integration, given.lacks)
    const owner = yield* (yield* EndUsers).ensure(organisation, environment, endUserId)
    return yield* sandbox.value.connect(owner, provider, { accountName, lacks: given.lacks })
  }
  const credentials = yield* given.credentials
  const way = wayOf(integration, credentials.kind)
  if (way === undefined) return yield* refuse(`must hold ${kindsOf(integration).join(" or ")} for ${provider}`)
  const { privateKey, values } = credentials
  const all = privateKey === undefined ? values : { ...values, privateKey: Redacted.value(privateKey) }
  yield* checkImported(way, all, isTrusted)
  const opened: OpenedAccount =
    way.kind === "oauth2"
      ? untried(way, credentials)
      : yield* openedBy(
          { ...integration, authorization: way },
          { organisation, environment, endUser: undefined },
          credentials,
          "credentials"
        )
  const owner = yield* (yield* EndUsers).ensure(organisation, environment, endUserId)
  return yield* (yield* Connections).connect(
    {
      connectionId: randomUUID(),
      isReconnect: false,
      organisation,
      environment,
      endUser: owner.id,
      integration: provider
    },
    { ...opened, accountName: accountName ?? opened.accountName }
  )
})

/** Tokens with the account that they open, as far as that can be known without using them up. */
const untried = ({ identify }: OAuth2, credentials: StoredCredentials): OpenedAccount => {
  const [account] = (identify?.request === undefined && identify?.accounts(undefined, credentials.values)) || []
  return {
    accountName: account?.name,
    accountId: account?.id,
    scopes: account?.scopes,
    credentials: { ...credentials, values: { ...credentials.values, ...account?.values } }
  }
}
