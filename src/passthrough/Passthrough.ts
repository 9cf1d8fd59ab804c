import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { type ApiError, BadRequest, MethodNotAllowed, NotFound } from "../platform/Errors.ts"
import { unlessBroken } from "../platform/UnlessBroken.ts"
import type { Call } from "../providers/base/Upstream.ts"
import { Credentials } from "../providers/Credentials.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Providers } from "../providers/Providers.ts"
import { Access, type Subject } from "../records/Access.ts"
import { answersFor } from "../records/ProviderFailures.ts"
import { ownBody } from "./Foreign.ts"
import { bodyOf } from "./PassedBody.ts"
import { handedBack, passedOn } from "./PassedHeaders.ts"
import { type Asked, targetOf } from "./Target.ts"

/** A provider's answer, as it is. */
export interface Passed {
  readonly status: number
  /** Those that are handed back. */
  readonly headers: { readonly [name: string]: string }
  /** Bytes, where the provider says them. */
  readonly size: number | undefined
  readonly content: Stream.Stream<Uint8Array, ProviderError>
}

/** A caller's request, of which path and query are meant for the provider. */
export interface Passing extends Pick<Asked, "path" | "query"> {
  readonly method: Call["method"]
  readonly request: HttpServerRequest.HttpServerRequest
}

/** Providers' own APIs, with the credentials and limits of a connection. */
export class Passthrough extends Context.Tag("tributary/passthrough/Passthrough")<
  Passthrough,
  {
    /** Sends a request to the provider of a connection. Whatever it answers is an answer, which comes in as long as the scope lives. */
    readonly send: (subject: Subject, slug: string, passing: Passing) => Effect.Effect<Passed, ApiError, Scope.Scope>
  }
>() {
  static readonly layer = Layer.effect(
    Passthrough,
    Effect.gen(function* () {
      const providers = yield* Providers
      const access = yield* Access
      const credentials = yield* Credentials

      const find = Effect.fnUntraced(function* (slug: string) {
        const adapter = providers.get(slug)
        if (adapter === undefined) {
          const known = providers.all().map((one) => one.slug)
          return yield* new NotFound({
            code: "PROVIDER_NOT_FOUND",
            message: `provider: there is no provider ${slug}; toolkits cannot be reached this way. Known: ${known.join(", ")}.`
          })
        }
        const { api } = adapter
        if (api === undefined) {
          return yield* new MethodNotAllowed({ message: `${slug} has no API of its own to be called.`, allow: [] })
        }
        return { adapter, api }
      })

      const pass = Effect.fnUntraced(function* (subject: Subject, slug: string, { request, ...passing }: Passing) {
        const { adapter, api } = yield* find(slug)
        const connection = yield* access.connection(subject, adapter)
        const { values } = yield* credentials.current(connection)
        const { headers } = request
        const target = yield* targetOf(api, values, { ...passing, headers })
        const body = yield* ownBody(api, values, headers, yield* bodyOf(request))
        const isEmpty = body.kind === "whole" && body.bytes.length === 0
        if (!isEmpty && (passing.method === "GET" || passing.method === "HEAD")) {
          return yield* new BadRequest({
            code: "INVALID_PARAMETER",
            message: `The body: ${passing.method} has none; send it with another method.`
          })
        }
        const type = headers["content-type"] ?? ""
        const call: Call = {
          operation: "passthrough",
          method: passing.method,
          path: "/*",
          // what a provider chokes on counts once for its breaker
          params: { path: passing.path },
          target,
          headers: passedOn(api, headers),
          download: yield* Effect.scope
        }
        if (body.kind === "stream") {
          return yield* unlessBroken(body.stream, (stream) =>
            api.call(connection, { ...call, content: { type, stream, size: body.size } })
          )
        }
        return yield* api.call(connection, isEmpty ? call : { ...call, bytes: { type, content: body.bytes } })
      })

      return {
        send: Effect.fn("Passthrough.send")(function* (subject: Subject, slug: string, passing: Passing) {
          const answer = yield* pass(subject, slug, passing).pipe(
            answersFor(undefined, { reads: passing.method === "GET" || passing.method === "HEAD" })
          )
          const size = answer.headers["content-length"]
          return {
            status: answer.status,
            headers: handedBack(answer.headers),
            size: size === undefined ? undefined : Number(size),
            content: answer.content ?? Stream.empty
          }
        })
      }
    })
  )
}
