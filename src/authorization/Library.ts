import { Effect } from "effect"
import { EventEmitter } from "node:events"
import { exportJWK, generateKeyPair } from "jose"
import type { Adapter, AdapterPayload, Configuration, Provider } from "oidc-provider"
import type { Fetched } from "./ClientDocuments.ts"
import type { Payload, RecordKey } from "./OAuthRecords.ts"
import { scopes } from "./Resource.ts"
import { decisionTime, grantTime, interactionUrl } from "./SignIns.ts"

/** The library's questions to this service, as it asks: by promises. */
export interface Host {
  readonly publicUrl: string
  /** Sign the cookies, the first of them new ones. */
  readonly cookieKeys: ReadonlyArray<string>
  readonly put: (key: RecordKey, payload: Payload, seconds: number | undefined) => Promise<void>
  readonly add: (key: RecordKey, payload: Payload, seconds: number | undefined) => Promise<boolean>
  readonly find: (key: RecordKey) => Promise<Payload | undefined>
  readonly consume: (key: RecordKey) => Promise<boolean>
  readonly remove: (key: RecordKey) => Promise<void>
  readonly removeOf: (kind: string, grant: string) => Promise<void>
  readonly isResource: (resource: string) => Promise<boolean>
  readonly fetchDocument: (url: string) => Promise<Fetched>
  /** Something went wrong that is not the client's fault. */
  readonly failed: (error: unknown) => void
}

/** Client that tokens are issued to which the organisation makes itself. */
export const organisationClient = "organisation"

/** Seconds that an access token lasts. */
const accessTime = 30 * 60

/** The library's parts, past its index, which would warn on standard error. */
const modules = async () => {
  const [{ Provider }, errors, interactionPolicy] = await Promise.all([
    import("oidc-provider/lib/provider.js"),
    import("oidc-provider/lib/helpers/errors.js"),
    import("oidc-provider/lib/helpers/interaction_policy/index.js")
  ])
  return { Provider, errors, interactionPolicy }
}

type Module = Awaited<ReturnType<typeof modules>>

const adapterOf =
  (host: Host, { errors }: Module) =>
  (kind: string): Adapter => ({
    upsert: async (id, payload, seconds) => {
      const record: Payload = { ...payload }
      if (kind !== "ReplayDetection") await host.put({ kind, id }, record, seconds)
      else if (!(await host.add({ kind, id }, record, seconds))) throw new errors.InvalidClient("assertion was used")
    },
    find: (id): Promise<AdapterPayload | undefined> => host.find({ kind, id }),
    // for sessions of clients' own pages and for device codes, which there are none of
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    consume: async (id) => {
      const isFirst = await host.consume({ kind, id })
      if (!isFirst && kind === "AuthorizationCode") throw new errors.InvalidGrant("authorization code already consumed")
    },
    destroy: (id) => host.remove({ kind, id }),
    revokeByGrantId: (grant) => host.removeOf(kind, grant)
  })

/** Every authorization names its end user and is consented to again: a client's id is anybody's. */
const policyOf = ({ interactionPolicy: { base, Check } }: Module) => {
  const policy = base()
  policy
    .get("login")
    ?.checks.add(
      new Check(
        "named",
        "the end user has to be named",
        "login_required",
        ({ oidc }) => oidc.result?.login === undefined
      )
    )
  policy
    .get("consent")
    ?.checks.add(
      new Check(
        "asked",
        "consent has to be given",
        "consent_required",
        ({ oidc }) => oidc.result?.consent === undefined
      )
    )
  return policy
}

const configurationOf = (host: Host, library: Module, jwks: Configuration["jwks"]): Configuration => {
  const { errors } = library
  return {
    adapter: adapterOf(host, library),
    cookies: {
      keys: [...host.cookieKeys],
      names: { session: "mcp_session", interaction: "mcp_interaction", resume: "mcp_resume" },
      long: { httpOnly: true, sameSite: "lax", path: `${new URL(host.publicUrl).pathname.replace(/\/$/, "")}/oauth` }
    },
    jwks,
    // those of a workspace come with it; openid is always added
    scopes: ["offline_access"],
    claims: {},
    clients: [
      {
        client_id: organisationClient,
        redirect_uris: [],
        grant_types: [],
        response_types: [],
        token_endpoint_auth_method: "none"
      }
    ],
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: {
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "ES256"
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    pkce: { required: () => true },
    routes: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      registration: "/oauth/register",
      revocation: "/oauth/revoke",
      jwks: "/oauth/jwks",
      end_session: "/oauth/end",
      introspection: "/oauth/introspect",
      userinfo: "/oauth/userinfo"
    },
    interactions: {
      policy: policyOf(library),
      url: (_context, { uid }) => interactionUrl(host.publicUrl, uid)
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        cacheDuration: { min: 60, max: 86_400 },
        // the Model Context Protocol asks for more than the draft does
        allowClient: (_context, client) => client.clientName !== undefined
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context, _client, oneOf) => {
          if (typeof oneOf === "string") return oneOf
          throw new errors.InvalidTarget(
            oneOf === undefined || oneOf.length === 0
              ? "say which workspace with the parameter resource"
              : "the parameter resource must be there once: a token is for one workspace"
          )
        },
        useGrantedResource: () => true,
        getResourceServerInfo: async (_context, resource) => {
          if (!(await host.isResource(resource))) throw new errors.InvalidTarget(`there is no workspace at ${resource}`)
          return {
            scope: scopes.join(" "),
            audience: resource,
            accessTokenFormat: "opaque",
            accessTokenTTL: accessTime
          }
        }
      }
    },
    // an erased end user's grants are gone with them, and so are their tokens
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // a grant belongs to one authorization, so that one workspace's consent is never another's
    loadExistingGrant: ({ oidc }) => {
      const grant = oidc.result?.consent?.grantId
      return grant === undefined ? Promise.resolve(undefined) : oidc.provider.Grant.find(grant)
    },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    ttl: {
      // a number would override what a resource says
      AccessToken: (_context, token) => token.resourceServer?.accessTokenTTL ?? accessTime,
      AuthorizationCode: 60,
      Grant: grantTime,
      Interaction: decisionTime,
      RefreshToken: 30 * 24 * 3600,
      // browsers never keep it
      Session: 60
    },
    clientBasedCORS: (_context, origin, client) =>
      client.tokenEndpointAuthMethod === "none" &&
      (client.redirectUris ?? []).some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
    fetch: async (url) => {
      const { body, headers, status } = await host.fetchDocument(String(url))
      return new Response(body, { status, headers })
    },
    // pages are made of this further out
    renderError: (context, out) => {
      context.type = "json"
      context.body = out
    }
  }
}

/** Signs nothing: tokens are opaque, and no identity token is ever issued. The library wants a key all the same. */
const signingKeys = async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig" }] }
}

/** The library, loaded when it is first needed: it takes as much time and memory as a good part of a start. */
export const load = (host: Host): Effect.Effect<Provider> =>
  Effect.promise(async () => {
    const library = await modules()
    const provider = new library.Provider(host.publicUrl, configurationOf(host, library, await signingKeys()))
    // addresses and the safety of cookies follow the headers that requests are given on their way here
    provider.proxy = true
    provider.on("server_error", (_context, error) => host.failed(error))
    EventEmitter.prototype.on.call(provider, "error", (error: unknown) => host.failed(error))
    return provider
  })
