import { Effect, Either, Schema } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import { type ApiError, MethodNotAllowed, Unprocessable } from "../platform/Errors.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { decoder, fieldErrorsOf } from "../platform/Issues.ts"
import { bodyDecoder, jsonValue, letOthers } from "../platform/Requests.ts"
import type { SaveQuery, WriteHeaders } from "./Api.ts"
import { Batch, type Item, single } from "./Batch.ts"
import { BatchEnvelope, type BatchOperation, Deletion, operations } from "./BatchApi.ts"
import { type Ended, Idempotency } from "./Idempotency.ts"
import { applying, attemptOf, type Received, refusal, respond, subjectOf, success } from "./Receiving.ts"
import { Records } from "./Records.ts"

const decodeEnvelope = decoder(BatchEnvelope)

const bodyOf = ({ ast }: Schema.Schema.AnyNoContext) => bodyDecoder<Body, unknown>(Schema.make(ast))

/** Splits a body from its id, which stays in it only where the record was read and is sent back. */
const named = ({ id, ...body }: Body) => ({
  id: String(id),
  body: body.remote_id === undefined ? body : { id, ...body }
})

/** Readers of the records of a batch, by what is to be done with them. */
const readersOf = ({ changeBody, createBody }: Resource) => {
  const [create, change, deletion] = [bodyOf(createBody), bodyOf(changeBody), bodyOf(Deletion)]
  return {
    create: (sent: unknown) => Either.map(create(sent), (body) => ({ id: "", body })),
    update: (sent: unknown) => Either.map(change(sent), named),
    delete: (sent: unknown) => Either.map(deletion(sent), named)
  }
}

/** The handler of a resource's batches. */
export const batchHandlers = Effect.gen(function* () {
  const records = yield* Records
  const batch = yield* Batch
  const idempotency = yield* Idempotency

  return (resource: Resource) => {
    const readers = readersOf(resource)
    const label = resource.name.replaceAll("_", " ")

    /** Operations that a provider has for the resource. */
    const ableTo = (provider: string) =>
      Effect.filter(operations, (one) => Effect.isSuccess(records.supports(resource, provider, single[one].operation)))

    const refuseUnable = (provider: string, able: ReadonlyArray<BatchOperation>, operation?: BatchOperation) => {
      if (operation !== undefined && !able.includes(operation)) {
        return new MethodNotAllowed({
          message: `operation: ${provider} has no ${operation} of ${resource.name}; it has ${able.join(", ")}.`,
          allow: ["POST"]
        })
      }
      return able.length > 0
        ? Effect.void
        : Effect.catchTag(records.supports(resource, provider, "create"), "MethodNotAllowed", ({ message }) =>
            Effect.fail(new MethodNotAllowed({ message, allow: [] }))
          )
    }

    return Effect.fnUntraced(function* ({
      headers,
      request,
      urlParams: { on_duplicate: onDuplicate, provider }
    }: Received<typeof WriteHeaders.Type, typeof SaveQuery.Type>) {
      const subject = yield* subjectOf(headers)
      yield* applying(headers)
      const able = yield* ableTo(provider)
      yield* refuseUnable(provider, able)
      const { json, text } = yield* jsonValue(request)
      const { operation = "create", records: sent } = yield* Either.mapLeft(
        decodeEnvelope(json),
        (error) => new Unprocessable({ errors: fieldErrorsOf(error) })
      )
      yield* refuseUnable(provider, able, operation)
      const items = yield* Effect.forEach(sent, (one) =>
        Effect.as(letOthers(text), { sent: one, read: readers[operation](one) } satisfies Item)
      )
      const attempt = attemptOf(subject, headers, request, text)
      const handling = headers.prefer ?? "lenient"
      const done: Effect.Effect<Ended, ApiError> = Effect.map(
        batch.run({ subject, resource, provider, operation, handling, onDuplicate, items, attempt }),
        ({ entries, isLast }) => ({ ...success(200, `${label} batch`, entries), isLast })
      )
      return yield* Effect.map(
        // what is done of it is not done again
        runToCompletion(attempt === undefined ? done : idempotency.once({ ...attempt, repeats: true }, done, refusal)),
        respond
      )
    })
  }
})
