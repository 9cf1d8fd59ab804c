import { Effect, Layer } from "effect"
import { Authentication } from "../tenancy/Authentication.ts"
import { WorkspaceAuthorization } from "./Api.ts"
import { exposeToPages } from "./Cors.ts"

/** Admits API keys and end users' tokens; the handlers check a token's workspace. */
export const WorkspaceAuthorizationLive = Layer.effect(
  WorkspaceAuthorization,
  Effect.gen(function* () {
    const { admitAnyone } = yield* Authentication
    const expose = yield* exposeToPages
    return { apiKey: () => Effect.zipRight(expose, admitAnyone) }
  })
)
