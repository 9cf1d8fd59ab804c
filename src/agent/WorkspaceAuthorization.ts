import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as Address from "../platform/Address.ts"
import { Forbidden } from "../platform/Errors.ts"
import { AllowedOrigins } from "../tenancy/AllowedOrigins.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { RuntimeAuthorization, WorkspaceAuthorization } from "./Api.ts"
import { exposeToPages } from "./Cors.ts"
import { isOwnOrigin } from "./McpBridge.ts"

/** Admits API keys and end users' tokens; the handlers check a token's workspace. */
const admission = Effect.gen(function* () {
  const { admitAnyone } = yield* Authentication
  return Effect.zipRight(yield* exposeToPages, admitAnyone)
})

export const WorkspaceAuthorizationLive = Layer.effect(
  WorkspaceAuthorization,
  Effect.map(admission, (admit) => ({ apiKey: () => admit }))
)

export const RuntimeAuthorizationLive = Layer.effect(
  RuntimeAuthorization,
  Effect.gen(function* () {
    const admit = yield* admission
    const allowed = yield* AllowedOrigins
    const own = new URL(yield* Address.publicUrl).hostname

    /** Pages of others must not call in a visitor's name; a client that is no browser sends no origin. */
    const refuseForeignOrigins = (tenant: Tenant) =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const origin = headers["origin"]
        if (origin === undefined || isOwnOrigin(origin, [own])) return
        const { organisationOrigins, origins } = yield* allowed.find(tenant)
        if (!organisationOrigins.includes(origin) && !origins.includes(origin)) {
          return yield* new Forbidden({
            code: "FORBIDDEN",
            message: "Origin: pages of this origin may not call. Allow it with PUT /api/v1/settings/allowed-origins."
          })
        }
      })

    return { apiKey: () => Effect.tap(admit, refuseForeignOrigins) }
  })
)
