import { HttpApp, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { type ApiError, toBody } from "../platform/Errors.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { showingLimits } from "../providers/base/Limits.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import type { Subject } from "./Access.ts"
import type { Headers, UploadHeaders, WriteHeaders } from "./Api.ts"
import type { Answer, Attempt } from "./Idempotency.ts"

/** A request as its declaration reads it: all but its body. */
export interface Received<H, Q> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly headers: H
  readonly urlParams: Q
}

/** Whose records the request being answered is about. Its answer shows the limits of the providers that are called from now on. */
export const subjectOf = (headers: typeof Headers.Type) =>
  Effect.map(Effect.zipLeft(CurrentCaller, showingLimits), (caller): Subject => ({
    caller,
    endUser: utf8(headers["x-end-user-id"]),
    connection: headers["x-connection-id"]?.toLowerCase()
  }))

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
