import { HttpLayerRouter, type HttpMethod, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { limitedBytes } from "../platform/Requests.ts"
import { Hooks } from "./Hooks.ts"

const path = "/hooks/:provider/:secret"

/** Where providers push to, without a key, with its method. */
export const paths = { [path]: ["POST"] } as const satisfies {
  readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod>
}

/** Xero wants an answer without a body, and others do not look at it. */
const answers = {
  accepted: HttpServerResponse.empty({ status: 200 }),
  rejected: HttpServerResponse.empty({ status: 401 })
}

export const routes = HttpLayerRouter.use((router) =>
  Effect.flatMap(Hooks, (hooks) =>
    router.add(
      "POST",
      path,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { provider = "", secret = "" } = yield* HttpLayerRouter.params
        const body = yield* limitedBytes(request)
        const { headers, method, url: target } = request
        return answers[yield* hooks.receive({ provider, secret, method, target, headers, body })]
      })
    )
  )
)
