import { HttpLayerRouter, type HttpMethod, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { ToolGate } from "../agent/ToolGate.ts"
import { type WorkspaceFact, WorkspaceFacts } from "../agent/WorkspaceFacts.ts"
import { Workspaces } from "../agent/Workspaces.ts"
import { EndUserId } from "../connections/Api.ts"
import { ConnectSessions, connectUrlOf } from "../connections/ConnectSessions.ts"
import * as Address from "../platform/Address.ts"
import { refuseOtherSites, sentForm } from "../platform/BrowserForms.ts"
import { type ApiError, NotFound, pathOf } from "../platform/Errors.ts"
import { bodyDecoder } from "../platform/Requests.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { AuthorizationServer, type Decision, type Interaction } from "./AuthorizationServer.ts"
import { type Grant, Grants } from "./Grants.ts"
import { limits } from "./Limits.ts"
import { askedOf, refuseOtherHosts } from "./OAuthHttp.ts"
import { type Consent, consentPage, consolePage, grantsPage, messagePage, pickPage, redirect } from "./Pages.ts"
import { resourceOf, scopes, workspaceOf } from "./Resource.ts"
import { SignInAddresses, withChallenge } from "./SignInAddresses.ts"
import { type Asking, interactionUrl, SignIns } from "./SignIns.ts"

/** The pages of an authorization that is under way, with their methods. */
export const paths = {
  "/oauth/interaction/:id": ["GET", "POST"],
  "/oauth/interaction/:id/grants": ["GET", "POST"],
  "/oauth/sandbox/:challenge": ["GET", "POST"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

/** An authorization, with the workspace that it is for. */
interface UnderWay extends Interaction {
  readonly resource: WorkspaceFact
}

const elsewhere = messagePage(
  "This page cannot go on here",
  "It belongs to the browser in which the program was to be connected, and to the half hour after. Start again from the program. If somebody sent you this address, do not go on.",
  400
)

const noAddress = (organisation: string) =>
  messagePage(
    "Nobody can sign you in yet",
    `${organisation} has not said where its users sign in. Its developers set the address with PUT /api/v1/settings/sign-in.`,
    409
  )

const asPage = <E extends ApiError, R>(
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | HttpServerRequest.HttpServerRequest> =>
  Effect.catchAll(answer, (error) => messagePage("This cannot go on", error.message, error.status))

const redirectOf = ({ parameters }: Interaction) => {
  const given = String(parameters["redirect_uri"])
  return URL.canParse(given) ? new URL(given) : new URL("about:blank")
}

/** The program of an authorization, and what it asks for. */
const askingOf = (at: UnderWay): Asking => {
  const asked = String(at.parameters["scope"] ?? "").split(" ")
  const known = scopes.filter((one) => asked.includes(one))
  const { host, protocol } = redirectOf(at)
  return {
    workspaceId: at.resource.id,
    clientId: at.client.id,
    clientName: at.client.name,
    redirectHost: host === "" ? protocol : host,
    scopes: known.length === 0 ? scopes : known.includes("tools:write") ? scopes : known
  }
}

const onlyInConsole = new NotFound({
  code: "NOT_FOUND",
  message: "Others reach this sandbox, so who its end user is is said in the console."
})

const saidElsewhere = new NotFound({
  code: "NOT_FOUND",
  message: "A sign-in address is set: the application there says who the end user is."
})

const decodePick = bodyDecoder(Schema.Struct({ end_user: EndUserId }))

/** Whether only who uses this machine reaches this service. */
const isOnLoopback = Effect.map(
  Effect.all([Address.publicUrl, Address.host]),
  ([publicUrl, host]) =>
    Address.isLoopback(new URL(publicUrl).hostname) && Address.isLoopback(host === "::1" ? "[::1]" : host)
)

export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const server = yield* AuthorizationServer
    const facts = yield* WorkspaceFacts
    const addresses = yield* SignInAddresses
    const signIns = yield* SignIns
    const grants = yield* Grants
    const endUsers = yield* EndUsers
    const workspaces = yield* Workspaces
    const gate = yield* ToolGate
    const sessions = yield* ConnectSessions
    const limit = yield* limits
    const publicUrl = yield* Address.publicUrl
    const isOpen = yield* isOnLoopback

    const finish = (decision: Decision) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return redirect(yield* server.finish(askedOf(request, "GET", pathOf(request)), decision))
      })

    const denied = (description: string) => finish({ error: "access_denied", description })

    /** Goes on with the authorization that the browser's cookie and the path agree on. */
    const underWay = <E extends ApiError, R>(
      go: (at: UnderWay) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* limit("pages", request)
        yield* refuseOtherHosts
        const { id = "" } = yield* HttpLayerRouter.params
        const found = yield* server.interaction(askedOf(request, "GET", pathOf(request)))
        if (Option.isNone(found) || found.value.id !== id) return yield* elsewhere
        const resource = yield* facts.find(workspaceOf(publicUrl, found.value.parameters["resource"]))
        return Option.isNone(resource)
          ? yield* finish({
              error: "invalid_target",
              description: "a token is for one workspace, and it must be there"
            })
          : yield* go({ ...found.value, resource: resource.value })
      }).pipe(asPage)

    /** Asks who the end user is: the organisation's own application, or in the sandbox whoever may say it. */
    const ask = (at: UnderWay) =>
      Effect.gen(function* () {
        const address = yield* addresses.find(at.resource)
        if (Option.isNone(address) && at.resource.environment === "production") {
          return yield* noAddress(at.resource.organisationName)
        }
        const challenge = yield* signIns.ask(at.id, askingOf(at))
        if (Option.isSome(address)) return redirect(withChallenge(address.value, challenge))
        return isOpen
          ? redirect(`${publicUrl}/oauth/sandbox/${challenge}`)
          : yield* consolePage(`${publicUrl}/console/mcp/pick/${challenge}`)
      })

    const callerOf = ({ environment, organisation }: WorkspaceFact, { id }: Pick<Grant, "id">): Caller => ({
      organisation,
      environment,
      key: id,
      scopes: ["agents", "connect"],
      mappingRevision: "0"
    })

    /** The end user's way to the tools, as a token of the grant would have it. */
    const sessionOf = Effect.fnUntraced(function* ({ resource }: UnderWay, grant: Grant) {
      const caller = callerOf(resource, grant)
      return yield* gate.open({
        caller,
        workspace: yield* workspaces.get(caller, resource.id),
        via: "mcp",
        endUser: grant.endUserId,
        connection: undefined,
        readOnly: false,
        only: [],
        confirm: "never",
        idempotencyKey: undefined
      })
    })

    /** The question to the end user. */
    const consentOf = Effect.fnUntraced(function* (at: UnderWay, grant: Grant) {
      const { resource } = at
      const session = yield* sessionOf(at, grant)
      const held = yield* session.connections
      const titles = (isWanted: (hints: (typeof session.tools)[number]["hints"]) => boolean) =>
        session.tools.filter(({ hints }) => isWanted(hints)).map(({ title }) => title)
      const endUser = yield* endUsers.find(resource, grant.endUserId)
      return {
        organisationName: resource.organisationName,
        workspaceName: resource.name,
        endUser: Option.match(endUser, {
          onNone: () => grant.endUserId,
          onSome: ({ displayName, externalId }) => displayName ?? externalId
        }),
        clientName: at.client.name,
        provedHost: at.client.isDocumented ? new URL(at.client.id).host : undefined,
        redirect: redirectOf(at),
        scopes: grant.scopes,
        reads: titles(({ readOnly }) => readOnly),
        changes: titles(({ destructive, readOnly }) => !readOnly && !destructive),
        destroys: titles(({ destructive, readOnly }) => !readOnly && destructive),
        toolkits: session.toolkits.map(({ name, providers, slug }) => ({
          slug,
          name,
          accounts: held
            .filter(({ provider, status }) => providers.includes(provider) && status === "active")
            .map(({ accountName, provider }) => accountName ?? provider)
        })),
        grantsUrl: `${interactionUrl(publicUrl, at.id)}/grants`
      } satisfies Consent
    })

    const waitingGrant = (at: UnderWay) =>
      Effect.flatMap(
        signIns.waiting(at.id),
        Option.match({ onNone: () => Effect.succeedNone, onSome: ({ grant }) => grants.find(grant) })
      )

    const shown = underWay((at) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const verifier = new URLSearchParams(request.url.split("?")[1] ?? "").get("verifier")
        const taken = verifier === null ? undefined : yield* signIns.take(at.id, verifier)
        if (taken?.step === "rejected") return yield* denied(taken.reason ?? "the organisation did not let anybody in")
        // the verifier does not stay in the address
        if (taken?.step === "grant") return redirect(interactionUrl(publicUrl, at.id))
        const grant = yield* waitingGrant(at)
        return Option.isNone(grant) ? yield* ask(at) : yield* consentPage(yield* consentOf(at, grant.value))
      })
    )

    /** Sends the end user to the widget, which sends them back here. */
    const connect = Effect.fnUntraced(function* (at: UnderWay, grant: Grant, slug: string) {
      const { toolkits } = yield* sessionOf(at, grant)
      const wanted = toolkits.find((one) => one.slug === slug)
      if (wanted === undefined) return redirect(interactionUrl(publicUrl, at.id))
      const made = yield* sessions.create(callerOf(at.resource, grant), {
        endUserId: grant.endUserId,
        integrations: wanted.providers,
        redirectUrl: interactionUrl(publicUrl, at.id)
      })
      return redirect(connectUrlOf(made, publicUrl))
    })

    const decided = underWay((at) =>
      Effect.gen(function* () {
        yield* refuseOtherSites
        const form = yield* sentForm
        const grant = yield* waitingGrant(at)
        if (Option.isNone(grant)) return yield* ask(at)
        const slug = form["connect"]
        if (slug !== undefined) return yield* connect(at, grant.value, slug)
        if (form["answer"] === "deny") {
          yield* Effect.orDie(grants.end(at.resource, grant.value.id))
          return yield* denied("the end user refused")
        }
        if (form["answer"] !== "allow") return redirect(interactionUrl(publicUrl, at.id))
        const given = form["read_only"] === "on" ? ["tools:read"] : grant.value.scopes
        const consented = yield* grants.consent(grant.value.id, given)
        return Option.isNone(consented)
          ? yield* denied("the workspace or the end user is gone")
          : yield* finish({ grant: consented.value })
      })
    )

    /** The end user's own grants, seen from an authorization in which they are known. */
    const own = (
      act: (at: UnderWay, grant: Grant) => Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
    ) =>
      underWay((at) =>
        Effect.gen(function* () {
          const grant = yield* waitingGrant(at)
          if (Option.isNone(grant)) return yield* ask(at)
          yield* act(at, grant.value)
          return yield* grantsPage({
            organisationName: at.resource.organisationName,
            endUser: grant.value.endUserId,
            grants: yield* grants.inForce(grant.value.endUser),
            address: resourceOf(publicUrl, at.resource.id),
            back: interactionUrl(publicUrl, at.id)
          })
        })
      )

    const endOwn = own((at, grant) =>
      Effect.gen(function* () {
        yield* refuseOtherSites
        const { end } = yield* sentForm
        const held = yield* grants.inForce(grant.endUser)
        if (end !== undefined && held.some(({ id }) => id === end)) yield* grants.end(at.resource, end)
      })
    )

    yield* router.add("GET", "/oauth/interaction/:id", shown)
    yield* router.add("POST", "/oauth/interaction/:id", decided)
    yield* router.add(
      "GET",
      "/oauth/interaction/:id/grants",
      own(() => Effect.void)
    )
    yield* router.add("POST", "/oauth/interaction/:id/grants", endOwn)

    const challenged = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* limit("pages", request)
      yield* refuseOtherHosts
      if (!isOpen) return yield* onlyInConsole
      const { challenge = "" } = yield* HttpLayerRouter.params
      const asked = yield* signIns.inSandbox(challenge)
      // where there is an application that says it, nobody else does
      return Option.isSome(yield* addresses.find(asked)) ? yield* saidElsewhere : asked
    })
    yield* router.add(
      "GET",
      "/oauth/sandbox/:challenge",
      Effect.gen(function* () {
        const asked = yield* challenged
        const known = yield* endUsers.newest(asked, { after: undefined, take: 50 })
        const workspace = yield* workspaces.get(asked, asked.workspaceId)
        return yield* pickPage({
          clientName: asked.clientName,
          workspaceName: workspace.name,
          known: known.map(({ externalId }) => externalId)
        })
      }).pipe(asPage)
    )
    yield* router.add(
      "POST",
      "/oauth/sandbox/:challenge",
      Effect.gen(function* () {
        yield* refuseOtherSites
        const asked = yield* challenged
        const { end_user: endUserId } = yield* decodePick(yield* sentForm)
        const { challenge = "" } = yield* HttpLayerRouter.params
        return redirect(yield* signIns.answer(asked, challenge, { endUserId, key: null }))
      }).pipe(asPage)
    )
  })
)
