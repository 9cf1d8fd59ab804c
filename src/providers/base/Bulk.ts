import { Array, Cause, Effect, FiberRef, Option } from "effect"
import * as Deadline from "../../platform/Deadline.ts"
import { beforeChange } from "../BeforeChange.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { readFailure } from "./Errors.ts"
import { current, type End, makeBatcher } from "./BatchedWrites.ts"
import type { Answer, Call, Caller, Endpoint } from "./Upstream.ts"

/**
 * The answer that a call would have had alone. One that was refused in words which do not tell that is asked for `alone`: so
 * it is as if it had not been made.
 */
export type Share = Pick<Answer, "status" | "body"> | "alone"

/** One call in place of several. */
export interface Bulk {
  /** Calls that have the same one can be made as one. */
  readonly key: string
  /** So many at most. */
  readonly most: number
  readonly joint: (calls: ReadonlyArray<Call>) => Call
  /** The parts of its answer that belong to each of the calls, in their order; undefined where it lacks one. */
  readonly shares: (answer: Answer, calls: ReadonlyArray<Call>) => ReadonlyArray<Share | undefined>
}

/** Which calls a provider takes as one: those of a batch then go together. */
export interface Bulks {
  /** Undefined: it goes alone. */
  readonly of: (call: Call) => Bulk | undefined
  /** Whether one may be sent now, where there is a limit to them; it counts. */
  readonly take?: (connection: ConnectionRef) => Effect.Effect<boolean>
}

/** A call on its way, with what its own write is told of it. */
interface Outgoing {
  readonly call: Call
  /** Done before it leaves. */
  readonly before: Effect.Effect<void>
  readonly deadline: Deadline.Deadline | undefined
}

/** Parts that a call is split into which is refused as a whole. */
const parts = 10

/** Whether a provider did nothing of a call because of what it holds. */
export const isRefused = ({ reason: { _tag } }: ProviderError) =>
  _tag === "Invalid" || _tag === "Missing" || _tag === "Clash" || _tag === "Unsupported"

/** The deadline of several: what is sent for one is sent for all. */
const common = (all: ReadonlyArray<Deadline.Deadline | undefined>): Deadline.Deadline | undefined => {
  const own = all.filter((one) => one !== undefined)
  const [first] = own
  return (
    first && {
      ...first,
      get changed() {
        return own.find(({ changed }) => changed !== undefined)?.changed
      },
      set changed(slug) {
        for (const one of own) one.changed = slug
      }
    }
  )
}

/** Calls that go together where they are made for a batch and the provider takes several as one. */
export const joining = (
  { readError, slug }: Pick<Endpoint, "readError" | "slug">,
  bulks: Bulks,
  alone: Caller
): Caller => {
  const wait = makeBatcher<Outgoing, Answer>()

  const shareOf = (
    { operation }: Call,
    headers: Answer["headers"],
    share: Exclude<Share, "alone"> | undefined
  ): End<Answer> => {
    if (share === undefined) {
      const detail = "the answer lacks a part"
      return Effect.fail(new ProviderError({ provider: slug, operation, reason: new Malformed(), detail }))
    }
    const { body, status } = share
    if (status >= 200 && status < 300) return Effect.succeed({ status, headers, body })
    return Effect.clockWith((clock) => {
      const now = clock.unsafeCurrentTimeMillis()
      const { detail, reason } = readFailure(readError, { status, headers: {}, body, now })
      return Effect.fail(new ProviderError({ provider: slug, operation, reason, status, detail }))
    })
  }

  const sendOf = (connection: ConnectionRef, bulk: Bulk) => {
    const single = ({ call }: Outgoing): End<Answer> => alone(connection, call)

    const together = (some: ReadonlyArray<Outgoing>): Effect.Effect<ReadonlyArray<End<Answer>>> => {
      if (some.length < 2) return Effect.succeed(some.map(single))
      const calls = some.map(({ call }) => call)
      return alone(connection, bulk.joint(calls)).pipe(
        Effect.locally(beforeChange, Effect.void),
        Effect.locally(Deadline.current, common(some.map(({ deadline }) => deadline))),
        Effect.matchCauseEffect({
          onSuccess: (answer) => {
            const shares = bulk.shares(answer, calls)
            return Effect.succeed(
              some.map((one, i) => {
                const share = shares[i]
                return share === "alone" ? single(one) : shareOf(one.call, answer.headers, share)
              })
            )
          },
          onFailure: (cause) =>
            Option.exists(Cause.failureOption(cause), isRefused)
              ? // one of them is at fault
                Effect.map(
                  Effect.forEach(Array.chunksOf(some, Math.ceil(some.length / parts)), together, {
                    concurrency: "unbounded"
                  }),
                  Array.flatten
                )
              : Effect.succeed(some.map(() => Effect.failCause(cause)))
        })
      )
    }

    /** One that may not leave, since its write was taken over, leaves without the others waiting for it. */
    const noted = Effect.fnUntraced(function* (all: ReadonlyArray<Outgoing>) {
      const exits = yield* Effect.forEach(all, ({ before }) => Effect.exit(before), { concurrency: "unbounded" })
      const leaving = all.filter((_, i) => exits[i]?._tag === "Success")
      const ends = yield* together(leaving)
      const endOf = new Map(leaving.map((one, i) => [one, ends[i]]))
      return all.map(
        (one, i): End<Answer> =>
          endOf.get(one) ?? Effect.zipRight(exits[i] ?? Effect.void, Effect.dieMessage("an end is missing"))
      )
    })

    return (all: ReadonlyArray<Outgoing>): Effect.Effect<ReadonlyArray<End<Answer>>> =>
      all.length < 2
        ? Effect.succeed(all.map(single))
        : Effect.if(bulks.take?.(connection) ?? Effect.succeed(true), {
            onTrue: () => noted(all),
            onFalse: () => Effect.succeed(all.map(single))
          })
  }

  return (connection, call) =>
    Effect.flatMap(FiberRef.get(current), (attendant) => {
      const bulk = attendant && bulks.of(call)
      if (attendant === undefined || bulk === undefined) return alone(connection, call)
      const joint = { key: `${connection.id} ${bulk.key}`, most: bulk.most, send: sendOf(connection, bulk) }
      return Effect.flatMap(
        Effect.all({ before: FiberRef.get(beforeChange), deadline: FiberRef.get(Deadline.current) }),
        ({ before, deadline }) =>
          wait(attendant, joint, { call, before: call.method === "GET" ? Effect.void : before, deadline })
      )
    })
}
