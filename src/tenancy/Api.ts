import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wires } from "../platform/Errors.ts"
import { CurrentCaller } from "./CurrentCaller.ts"

/** Put on what needs an API key: gives `CurrentCaller`, or answers 401 or 429. Any such request may run out of time: 503. */
export class Authorization extends HttpApiMiddleware.Tag<Authorization>()("tributary/tenancy/Authorization", {
  provides: CurrentCaller,
  failure: Schema.Union(wires.Unauthorized, wires.RateLimited, wires.Unavailable),
  security: {
    apiKey: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "An API key: `sk_test_…` reaches the sandbox, `sk_live_…` production."
      )
    )
  }
}) {}
