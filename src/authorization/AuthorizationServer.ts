import { Cause, Context, Effect, FiberSet, Layer, Option, Redacted, Runtime, type Tracer } from "effect"
import inject from "light-my-request"
import { AsyncLocalStorage } from "node:async_hooks"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Provider } from "oidc-provider"
import { WorkspaceFacts } from "../agent/WorkspaceFacts.ts"
import * as Address from "../platform/Address.ts"
import { Encryption } from "../platform/Encryption.ts"
import { clientDocuments, settledText } from "./ClientDocuments.ts"
import type { Grant } from "./Grants.ts"
import { load, organisationClient } from "./Library.ts"
import { OAuthRecords } from "./OAuthRecords.ts"
import { resourceOf, scopes as allScopes, workspaceOf } from "./Resource.ts"

/** A request to the protocol's own endpoints. */
export interface Asked {
  readonly method: "GET" | "POST" | "OPTIONS"
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** `Set-Cookie` lines. */
  readonly cookies: ReadonlyArray<string>
  readonly body: string
}

/** An authorization that is under way in the browser that sends its cookie. */
export interface Interaction {
  readonly id: string
  /** The program's request, by the protocol's names. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly client: { readonly id: string; readonly name: string; readonly isDocumented: boolean }
}

/** How an authorization ends. */
export type Decision = { readonly grant: Grant } | { readonly error: string; readonly description: string }

/** The protocol itself, as the library has it: codes, tokens, clients, and what tells attacks from use. */
export class AuthorizationServer extends Context.Tag("tributary/authorization/AuthorizationServer")<
  AuthorizationServer,
  {
    readonly answer: (asked: Asked) => Effect.Effect<Answered>
    /** None for a browser that did not begin it, and when it is over. */
    readonly interaction: (asked: Asked) => Effect.Effect<Option.Option<Interaction>>
    /** Ends an interaction; gives the address to send the browser to. */
    readonly finish: (asked: Asked, decision: Decision) => Effect.Effect<string>
    /** Makes an access token of a grant, outside any authorization, for some seconds. */
    readonly issue: (grant: Grant, seconds: number) => Effect.Effect<Redacted.Redacted>
  }
>() {
  static readonly layer = Layer.scoped(
    AuthorizationServer,
    Effect.gen(function* () {
      const records = yield* OAuthRecords
      const workspaces = yield* WorkspaceFacts
      const encryption = yield* Encryption
      const publicUrl = yield* Address.publicUrl
      const fetchDocument = yield* clientDocuments
      const runPromise = yield* Effect.withUnhandledErrorLogLevel(
        FiberSet.makeRuntimePromise(),
        // the promise tells of failures
        Option.none()
      )
      const requests = new AsyncLocalStorage<Running>()

      const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
        const span = requests.getStore()?.span
        return runPromise(span === undefined ? effect : Effect.withParentSpan(effect, span))
      }

      const provider = yield* Effect.cached(
        load({
          publicUrl,
          cookieKeys: encryption.keys.map((key) =>
            Buffer.from(Redacted.value(encryption.derive("cookies of authorizations", key))).toString("base64url")
          ),
          put: (key, payload, seconds) => run(records.put(key, payload, seconds)),
          add: (key, payload, seconds) => run(records.add(key, payload, seconds)),
          find: (key) => run(records.find(key)),
          consume: (key) => run(records.consume(key)),
          remove: (key) => run(records.remove(key)),
          removeOf: (kind, grant) => run(records.removeOf(kind, grant)),
          isResource: (resource) => run(Effect.map(workspaces.find(workspaceOf(publicUrl, resource)), Option.isSome)),
          fetchDocument: (url) =>
            run(
              Effect.flatMap(fetchDocument(url), (fetched) =>
                Effect.map(settledText(fetched.body), (body) => ({ ...fetched, body }))
              )
            ),
          failed: (error) => {
            const running = requests.getStore()
            if (running !== undefined) running.failure ??= { error }
          }
        })
      )

      const { host, protocol } = new URL(publicUrl)
      const place = {
        host,
        "x-forwarded-host": host,
        "x-forwarded-proto": protocol.slice(0, -1)
      }

      /** Runs a use of the library; what went wrong on this side is a defect, as everywhere. */
      const using = <A>(use: (provider: Provider) => Promise<A>) =>
        Effect.gen(function* () {
          const library = yield* provider
          const span = Option.getOrUndefined(yield* Effect.option(Effect.currentParentSpan))
          const running: Running = { span, failure: undefined }
          const result = yield* Effect.promise(() =>
            requests
              .run(running, () => use(library))
              .catch((error: unknown) => {
                running.failure ??= { error }
                return undefined
              })
          )
          if (running.failure !== undefined) return yield* Effect.failCause(causeOf(running.failure.error))
          return result ?? (yield* Effect.dieMessage("the library gave no answer"))
        })

      /** Hands a request to a listener of Node, whatever it came in by. */
      const handed = (
        listener: (request: IncomingMessage, response: ServerResponse) => void,
        { body, headers, method, path }: Asked
      ) =>
        inject(listener, {
          method,
          url: path,
          headers: { ...headers, ...place },
          ...(body === undefined ? {} : { payload: body })
        })

      const interactionOf = (library: Provider, asked: Asked) =>
        new Promise<Option.Option<Interaction>>((resolve, reject) => {
          const listener = (request: IncomingMessage, response: ServerResponse) => {
            const read = async () => {
              const { params, uid } = await library.interactionDetails(request, response)
              const client = await library.Client.find(String(params["client_id"]))
              return client === undefined
                ? Option.none()
                : Option.some({
                    id: uid,
                    parameters: params,
                    client: {
                      id: client.clientId,
                      name: client.clientName ?? client.clientId,
                      isDocumented: client.clientId.startsWith("https://")
                    }
                  })
            }
            read()
              .catch((error: unknown) =>
                error instanceof Error && error.name === "SessionNotFound"
                  ? Option.none()
                  : Promise.reject(error instanceof Error ? error : new Error("unknown"))
              )
              .then(resolve, reject)
              .finally(() => response.end())
          }
          void handed(listener, asked)
        })

      const grantFor = async (library: Provider, { endUser, id, scopes, workspaceId }: Grant, clientId: string) => {
        const grant = new library.Grant({ accountId: endUser, clientId })
        grant.jti = id
        const resource = resourceOf(publicUrl, workspaceId)
        grant.addResourceScope(resource, scopes.join(" "))
        // what was not granted was decided about: the library would ask for it again
        grant.rejectResourceScope(resource, allScopes.filter((one) => !scopes.includes(one)).join(" "))
        grant.addOIDCScope("offline_access")
        // some hosts ask for it; no identity token is ever signed
        grant.rejectOIDCScope("openid")
        await grant.save()
        return grant
      }

      const finished = (library: Provider, asked: Asked, decision: Decision) =>
        new Promise<string>((resolve, reject) => {
          const listener = (request: IncomingMessage, response: ServerResponse) => {
            const end = async () => {
              const { params } = await library.interactionDetails(request, response)
              const result =
                "error" in decision
                  ? { error: decision.error, error_description: decision.description }
                  : {
                      login: { accountId: decision.grant.endUser, remember: false },
                      consent: {
                        grantId: (await grantFor(library, decision.grant, String(params["client_id"]))).jti
                      }
                    }
              return library.interactionResult(request, response, result, { mergeWithLastSubmission: false })
            }
            end()
              .then(resolve, reject)
              .finally(() => response.end())
          }
          void handed(listener, asked)
        })

      return AuthorizationServer.of({
        answer: Effect.fn("AuthorizationServer.answer")((asked) =>
          using(async (library) => {
            const answer = library.callback()
            const { body, headers, statusCode } = await handed(
              (request, response) => void answer(request, response),
              asked
            )
            const { "set-cookie": cookies = [], ...others } = headers
            return {
              status: statusCode,
              headers: Object.fromEntries(
                Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
              ),
              cookies: Array.isArray(cookies) ? cookies : [cookies],
              body
            }
          })
        ),

        interaction: Effect.fn("AuthorizationServer.interaction")((asked) =>
          using((library) => interactionOf(library, asked))
        ),

        finish: Effect.fn("AuthorizationServer.finish")((asked, decision) =>
          using((library) => finished(library, asked, decision))
        ),

        issue: Effect.fn("AuthorizationServer.issue")((of, seconds) =>
          using(async (library) => {
            const client = await library.Client.find(organisationClient)
            if (client === undefined) throw new Error("the organisation's client is missing")
            const scope = of.scopes.join(" ")
            const resource = resourceOf(publicUrl, of.workspaceId)
            const grant = await grantFor(library, of, organisationClient)
            const token = new library.AccessToken({
              accountId: of.endUser,
              client,
              grantId: grant.jti,
              gty: organisationClient,
              scope
            })
            token.resourceServer = new library.ResourceServer(resource, {
              scope,
              audience: resource,
              accessTokenFormat: "opaque",
              accessTokenTTL: seconds
            })
            return Redacted.make(await token.save())
          })
        )
      })
    })
  )
}

/** A use of the library that is under way. */
interface Running {
  readonly span: Tracer.AnySpan | undefined
  failure: { readonly error: unknown } | undefined
}

const causeOf = (error: unknown): Cause.Cause<never> =>
  Runtime.isFiberFailure(error) ? Cause.die(Cause.squash(error[Runtime.FiberFailureCauseId])) : Cause.die(error)
