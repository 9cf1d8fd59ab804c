import { Cause, Context, Duration, Effect, Either, Exit, Fiber, FiberRef, Layer, Option } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import type { Handling } from "../mapping/Warning.ts"
import * as Database from "../platform/Database.ts"
import * as Deadline from "../platform/Deadline.ts"
import { type ApiError, GatewayTimeout, InternalError, isApiError, toBody, Unavailable } from "../platform/Errors.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import type { OnDuplicate } from "../providers/ProviderAdapter.ts"
import { gatheringOf } from "../providers/base/BatchedWrites.ts"
import { Access, type Subject } from "./Access.ts"
import type { BatchOperation } from "./BatchApi.ts"
import { type Answer, type Attempt, Idempotency, isSettled } from "./Idempotency.ts"
import { Records } from "./Records.ts"
import { refuseDuplicates } from "./DuplicateIds.ts"

/** A record of a batch: what to write of which one, or why it cannot be. */
export interface Item {
  /** As it was sent. */
  readonly sent: unknown
  readonly read: Either.Either<{ readonly id: string; readonly body: Body }, ApiError>
}

export interface BatchRequest {
  readonly subject: Subject
  readonly resource: Resource
  readonly provider: string
  readonly operation: BatchOperation
  readonly handling: Handling
  readonly onDuplicate: OnDuplicate | undefined
  readonly items: ReadonlyArray<Item>
  /** Undefined: it comes without an `Idempotency-Key`. */
  readonly attempt: Omit<Attempt, "repeats"> | undefined
}

/** Outcome of a batch. */
export interface BatchAnswer {
  /** An entry for each record, in order. */
  readonly entries: ReadonlyArray<object>
  /** Whether a repeat with the same key would find nothing left to do. */
  readonly isLast: boolean
}

/** Outcome of one record: its answer, and whether a repeat can end otherwise. */
interface Outcome {
  readonly answer: Answer
  readonly isLast: boolean
}

/** The operations on single records that batches are made of, and how each answers. */
export const single = {
  create: { operation: "create", status: 201 },
  update: { operation: "patch", status: 200 },
  delete: { operation: "remove", status: 200 }
} as const

const idOf = ({ read }: Item) => Either.match(read, { onLeft: () => undefined, onRight: ({ id }) => id })

/** Another try may succeed without anybody doing something about it. */
const isRetryable = (error: ApiError) =>
  error.status === 429 ||
  error.status >= 500 ||
  // The lock on the record or the key is temporary.
  (error.status === 409 && error.retryAfter !== undefined)

const refusal = (error: ApiError): Effect.Effect<Answer> =>
  Effect.map(toBody(error), ({ code, duplicate_of, errors, merged_into, message, provider }) => ({
    status: error.status,
    body: {
      code,
      message,
      ...(errors === undefined ? {} : { errors }),
      ...(provider === undefined ? {} : { provider }),
      ...(duplicate_of === undefined ? {} : { duplicate_of }),
      ...(merged_into === undefined ? {} : { merged_into }),
      ...("retryAfter" in error && error.retryAfter !== undefined
        ? { retryAfter: Math.max(1, Math.ceil(error.retryAfter)) }
        : {}),
      retryable: isRetryable(error)
    }
  }))

const failed = (error: ApiError): Effect.Effect<Outcome> =>
  Effect.map(refusal(error), (answer) => ({ answer, isLast: isSettled(error) }))

/** Of what goes wrong unexpectedly, the log has more. */
const unexpected = (cause: Cause.Cause<unknown>): Effect.Effect<ApiError> => {
  const defect = Cause.squash(cause)
  if (isApiError(defect)) return Effect.succeed(defect)
  return Database.isAway(defect) || Database.isFull(defect)
    ? Effect.succeed(new Unavailable({ message: "The service's database does not take it at present.", retryAfter: 1 }))
    : Effect.as(Effect.logError("a record of a batch failed unexpectedly", cause), new InternalError())
}

const late = {
  sent: (slug: string) =>
    new GatewayTimeout({
      message: `${slug} did not answer in time. What was sent is finished; the same request with its Idempotency-Key tells how it ended.`,
      provider: { slug }
    }),
  unsent: new Unavailable({
    message: "No time was left for this record: nothing of it was sent.",
    retryAfter: Deadline.retryAfter
  })
}

/** Several records written by one request, each as by a request of its own. */
export class Batch extends Context.Tag("tributary/records/Batch")<
  Batch,
  { readonly run: (request: BatchRequest) => Effect.Effect<BatchAnswer, ApiError> }
>() {
  static readonly layer = Layer.effect(
    Batch,
    Effect.gen(function* () {
      const access = yield* Access
      const records = yield* Records
      const idempotency = yield* Idempotency
      const notRepeated = yield* refuseDuplicates

      /** Writes one record; in creates, `key` is the caller's. */
      const write = (
        { handling, onDuplicate, operation, provider, resource, subject }: BatchRequest,
        { body, id }: { readonly id: string; readonly body: Body },
        idempotencyKey: string | undefined
      ): Effect.Effect<Answer, ApiError> => {
        const { status } = single[operation]
        const which = { provider, id }
        if (operation === "delete") {
          return Effect.map(records.remove(subject, resource, which), (data) => ({ status, body: { data } }))
        }
        const written =
          operation === "create"
            ? records.create(subject, resource, provider, { body, handling, onDuplicate, idempotencyKey })
            : records.update(subject, resource, which, { body, handling, onDuplicate, mode: "patch" })
        return Effect.map(written, ({ record, warnings }) => ({
          status,
          body: { data: record, ...(warnings.length === 0 ? {} : { warnings }) }
        }))
      }

      /** Writes one record, once for its place in the batch and the key of that. */
      const writeOnce = (request: BatchRequest, { read, sent }: Item, index: number): Effect.Effect<Outcome> => {
        const { attempt, operation } = request
        const key = attempt === undefined ? undefined : `${attempt.key}#${index}`
        const written = Effect.flatMap(read, (one) => {
          const done = write(request, one, key)
          if (attempt === undefined || key === undefined) return done
          const own = {
            ...attempt,
            path: `${attempt.path}#${index}`,
            content: JSON.stringify([
              request.handling,
              attempt.subject.connection ?? null,
              sent,
              ...(request.onDuplicate === undefined ? [] : [request.onDuplicate])
            ]),
            // that a provider knows a create again does not hold for one that went with others
            repeats: operation !== "create"
          }
          return idempotency.once(own, done, refusal)
        })
        return written.pipe(
          Effect.map(({ body, status }): Outcome => ({ answer: { body, status }, isLast: true })),
          Effect.catchAll(failed),
          Effect.catchAllCause((cause) => Effect.flatMap(unexpected(cause), failed))
        )
      }

      const run = Effect.fn("Batch.run")(function* (request: BatchRequest) {
        const { items, operation, provider, resource, subject } = request
        // what is wrong for all of them is told once
        const reached = yield* access.reach(subject, resource, provider, single[operation].operation)
        if (operation !== "create") yield* notRepeated(reached, items.map(idOf))
        const attended = gatheringOf(items.length)
        const deadline = yield* FiberRef.get(Deadline.current)
        const underWay = yield* Effect.forEach(items, (item, index) => {
          // how far each record got is told by a deadline of its own
          const own = deadline && { ...deadline, changed: undefined }
          return writeOnce(request, item, index).pipe(
            attended,
            runToCompletion,
            Effect.locally(Deadline.current, own),
            Effect.fork,
            Effect.map((fiber) => ({ fiber, own }))
          )
        })
        const all = Fiber.awaitAll(underWay.map(({ fiber }) => fiber))
        yield* deadline === undefined ? all : Effect.raceFirst(all, nearlyOut(deadline))
        const outcomes = yield* Effect.forEach(underWay, ({ fiber, own }) =>
          Effect.flatMap(Fiber.poll(fiber), (exit) =>
            Option.match(exit, {
              onNone: () => failed(own?.changed === undefined ? late.unsent : late.sent(own.changed)),
              onSome: Exit.match({
                onSuccess: Effect.succeed,
                onFailure: (cause) => Effect.flatMap(unexpected(cause), failed)
              })
            })
          )
        )
        return {
          entries: outcomes.map(({ answer: { body, status } }, index) => ({
            index,
            status,
            ...(typeof body === "object" ? body : {})
          })),
          isLast: outcomes.every((one) => one.isLast)
        }
      })

      return { run }
    })
  )
}

/** Waits until calls that were not sent are sent no more, and a little time is left to answer. */
const nearlyOut = ({ answer, calls }: Deadline.Deadline) =>
  Effect.clockWith((clock) =>
    Effect.sleep(Duration.nanos(calls + (answer - calls) / 2n - clock.unsafeCurrentTimeNanos()))
  )
