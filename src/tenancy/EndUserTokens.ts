import { Context, type Effect, type Redacted } from "effect"
import type { Unauthorized } from "../platform/Errors.ts"
import type { Caller } from "./CurrentCaller.ts"

/** The tokens of end users, which open one workspace's tools and chat: `authorization` issues them. */
export class EndUserTokens extends Context.Tag("tributary/tenancy/EndUserTokens")<
  EndUserTokens,
  {
    /** Finds a token's caller; fails when it is malformed, unknown, expired or revoked. Notes its use once a minute. */
    readonly authenticate: (token: Redacted.Redacted) => Effect.Effect<Caller, Unauthorized>
  }
>() {}
