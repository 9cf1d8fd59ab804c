import { HttpApp, HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { type ApiError, toBody } from "../platform/Errors.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { showingLimits } from "../providers/base/Limits.ts"
import type { Authentication } from "../tenancy/Authentication.ts"
import type { Subject } from "./Access.ts"
import type { Headers, UploadHeaders, WriteHeaders } from "./Api.ts"
import type { Answer, Attempt } from "./Idempotency.ts"

/** The parts of the request being answered, undecoded, and who sends it. 401 comes before everything else. */
export const receiving = Effect.fnUntraced(function* (authentication: Authentication["Type"]) {
  const caller = yield* authentication.admit
  yield* showingLimits
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = yield* HttpServerRequest.ParsedSearchParams
  const path = yield* HttpLayerRouter.params
  const subjectOf = (headers: typeof Headers.Type): Subject => ({
    caller,
    endUser: utf8(headers["x-end-user-id"]),
    connection: headers["x-connection-id"]?.toLowerCase()
  })
  return { request, query, path, headers: request.headers, subjectOf }
})

export const success = (status: number, message: string, data: unknown, beside: object = {}): Answer => ({
  status,
  body: { success: true, statusCode: status, message, data, ...beside }
})

export const respond = (answer: Answer & { readonly replayed?: boolean }) =>
  HttpServerResponse.unsafeJson(answer.body, {
    status: answer.status,
    ...(answer.replayed === true ? { headers: { "idempotency-replayed": "true" } } : {})
  })

/** Has the answer, whatever it is, say which preference it goes by, where one was stated. */
export const applying = ({ prefer }: typeof UploadHeaders.Type) =>
  prefer === undefined
    ? Effect.void
    : HttpApp.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeader(response, "preference-applied", `handling=${prefer}`))
      )

export const refusal = (error: ApiError): Effect.Effect<Answer> =>
  Effect.map(toBody(error), (body) => ({ status: error.status, body }))

/** A write under its `Idempotency-Key`; undefined where it has none. */
export const attemptOf = (
  subject: Subject,
  headers: typeof WriteHeaders.Type,
  { method, originalUrl }: HttpServerRequest.HttpServerRequest,
  text: string
): Omit<Attempt, "repeats"> | undefined => {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  const [path = "", query = ""] = originalUrl.split("?", 2)
  const content = `${query}\n${subject.connection ?? ""}\n${headers.prefer === "strict" ? "strict\n" : ""}${text}`
  return { subject, key, method, path, content }
}
