import { HttpApiBuilder } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { ToolCatalogue } from "../agent/ToolCatalogue.ts"
import { Workspaces } from "../agent/Workspaces.ts"
import { ManagementApi } from "../Api.ts"
import { created, ok } from "../platform/Envelope.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { jsonBody } from "../platform/Requests.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { pages } from "../tenancy/Pages.ts"
import { Acceptance, type GrantRecord, NewSignInAddress, NewToken, Rejection, usualToken } from "./Api.ts"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import { type Grant, Grants } from "./Grants.ts"
import { scopes } from "./Resource.ts"
import { SignInAddresses } from "./SignInAddresses.ts"
import { SignIns } from "./SignIns.ts"

const readAddress = jsonBody(NewSignInAddress)

export const SignInLive = HttpApiBuilder.group(ManagementApi, "signIn", (handlers) =>
  Effect.map(SignInAddresses, (addresses) =>
    handlers
      .handle("get", () =>
        Effect.gen(function* () {
          const url = yield* addresses.find(yield* CurrentCaller)
          return ok("sign-in address", { url: url._tag === "Some" ? url.value : null })
        })
      )
      .handleRaw("put", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readAddress(request)
          return ok("sign-in address set", { url: yield* addresses.set(yield* CurrentCaller, body.url) })
        })
      )
      .handle("remove", () =>
        Effect.gen(function* () {
          yield* addresses.remove(yield* CurrentCaller)
          return ok("sign-in address removed", { url: null })
        })
      )
  )
)

export const recordOf = (grant: Grant): typeof GrantRecord.Type => ({
  id: grant.id,
  workspaceId: grant.workspaceId,
  workspaceName: grant.workspaceName,
  endUserId: grant.endUserId,
  origin: grant.origin,
  client:
    grant.clientName === null || grant.redirectHost === null
      ? null
      : { name: grant.clientName, redirectHost: grant.redirectHost },
  scopes: grant.scopes,
  tools: grant.tools,
  createdAt: grant.createdAt,
  lastUsedAt: grant.lastUsedAt,
  expiresAt: grant.expiresAt,
  revokedAt: grant.revokedAt
})

const readAcceptance = jsonBody(Acceptance)
const readRejection = jsonBody(Rejection)
const readToken = jsonBody(NewToken)

export const McpAccessLive = HttpApiBuilder.group(ManagementApi, "mcpAccess", (handlers) =>
  Effect.gen(function* () {
    const signIns = yield* SignIns
    const grants = yield* Grants
    const workspaces = yield* Workspaces
    const catalogue = yield* ToolCatalogue
    const endUsers = yield* EndUsers
    const server = yield* AuthorizationServer
    const page = yield* pages

    /** Each tool once, by its own name; refuses what this service has not. */
    const named = (given: ReadonlyArray<string>) => {
      const found = given.map((name) => catalogue.find(name)?.name)
      const errors = given.flatMap((name, i) =>
        found[i] === undefined ? [[`tools.${i}`, `there is no tool "${name}"`] as const] : []
      )
      return errors.length === 0
        ? Effect.succeed([...new Set(found.flatMap((name) => name ?? []))])
        : Effect.fail(new Unprocessable({ errors: Object.fromEntries(errors) }))
    }

    return handlers
      .handle("challenge", ({ path }) =>
        Effect.gen(function* () {
          const asked = yield* signIns.find(yield* CurrentCaller, path.challenge)
          const { expiresAt, workspaceId } = asked
          if ("approvalId" in asked) {
            return ok("authorization", {
              workspaceId,
              client: null,
              scopes: [],
              approvalId: asked.approvalId,
              expiresAt
            })
          }
          const client = { id: asked.clientId, name: asked.clientName, redirectHost: asked.redirectHost }
          return ok("authorization", { workspaceId, client, scopes: asked.scopes, approvalId: null, expiresAt })
        })
      )
      .handleRaw("accept", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readAcceptance(request)
          const caller = yield* CurrentCaller
          const redirectTo = yield* signIns.answer(caller, path.challenge, { ...body, key: caller.key })
          return ok("authorization accepted", { redirectTo })
        })
      )
      .handleRaw("reject", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readRejection(request)
          const caller = yield* CurrentCaller
          const redirectTo = yield* signIns.answer(caller, path.challenge, { reason: body.reason, key: caller.key })
          return ok("authorization rejected", { redirectTo })
        })
      )
      .handle("grants", ({ urlParams }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const { endUserId } = urlParams
          const found = yield* page(
            JSON.stringify(["mcp-grants", endUserId ?? null]),
            urlParams,
            ({ id }: Grant) => id,
            (part) => grants.list(caller, { ...part, endUserId })
          )
          return ok("grants", { ...found, data: found.data.map(recordOf) })
        })
      )
      .handle("endGrant", ({ path }) =>
        Effect.gen(function* () {
          return ok("grant ended", recordOf(yield* grants.end(yield* CurrentCaller, path.id)))
        })
      )
      .handleRaw("token", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readToken(request)
          const caller = yield* CurrentCaller
          const workspace = yield* workspaces.get(caller, path.id)
          const tools = body.tools === undefined ? undefined : yield* named(body.tools)
          const { id: endUser } = yield* endUsers.ensure(caller.organisation, caller.environment, body.endUserId)
          const seconds = body.expiresIn ?? usualToken
          const made = yield* grants.begin({
            organisation: caller.organisation,
            environment: caller.environment,
            workspaceId: workspace.id,
            endUser,
            origin: "organisation",
            scopes: body.readOnly === true ? ["tools:read"] : scopes,
            tools,
            key: caller.key,
            lifetime: seconds
          })
          const grant = yield* Effect.flatten(grants.consent(made)).pipe(Effect.orDie)
          const token = yield* server.issue(grant, seconds)
          return created("token created", {
            token: Redacted.value(token),
            expiresAt: grant.expiresAt,
            grantId: grant.id
          })
        })
      )
  })
)
