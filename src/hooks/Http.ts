import { HttpLayerRouter, type HttpMethod, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Unauthorized } from "../platform/Errors.ts"
import { limitedBytes } from "../platform/Requests.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import { Hooks } from "./Hooks.ts"

const path = "/hooks/:provider/:secret"

/** Where providers push to, without a key, with its method. */
export const paths = { [path]: ["POST"] } as const satisfies {
  readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod>
}

/** Xero wants an answer without a body, and others do not look at it. */
const accepted = HttpServerResponse.empty({ status: 200 })
const rejected = HttpServerResponse.empty({ status: 401 })

/** Wrong addresses and wrong signatures are counted like wrong keys; what is right is taken however many there were. */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const hooks = yield* Hooks
    const authentication = yield* Authentication

    yield* router.add(
      "POST",
      path,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { provider = "", secret = "" } = yield* HttpLayerRouter.params
        const { headers, method, url: target } = request
        const outcome = yield* hooks
          .receive({ provider, secret, method, target, headers, body: limitedBytes(request) })
          .pipe(Effect.catchTag("NotFound", (error) => authentication.refuse(request, error)))
        return outcome === "accepted"
          ? accepted
          : yield* Effect.catchTag(authentication.refuse(request, new Unauthorized()), "Unauthorized", () =>
              Effect.succeed(rejected)
            )
      })
    )
  })
)
