import { Duration, Effect, Option, Schedule } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { fill } from "../base/Addresses.ts"
import { readFailure } from "../base/Errors.ts"
import * as Deadline from "../../platform/Deadline.ts"
import { afterDoing } from "../base/CompoundWrite.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { api, failure, type Org } from "./Org.ts"
import { readError } from "./ReadError.ts"
import { type Part, send } from "./Rows.ts"

// Several requests in one call, one after the other:
// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_composite.htm

/** Results of earlier parts, by their names. */
export interface Earlier {
  /** Id of the record that a part made. */
  readonly made: (part: string) => string
}

/** Parts by their names, in order: at most 25, including at most 5 queries. */
export type Parts = { readonly [name: string]: (earlier: Earlier) => Part }

/** Answers to parts, by name; a refused query has none. */
export type Answers = { readonly [name: string]: unknown }

/** Start of a reference in a text to the result of an earlier part. */
const opening = "@{"

const references: Earlier = {
  made: (part) => `${opening}${part}.id}`
}

/** Restores the references in an escaped part of an address. */
const withReferences = (escaped: string) => escaped.replace(/%40%7B\w+\.\w+%7D/g, (one) => decodeURIComponent(one))

const addressOf = ({ params = {}, path, query = {} }: Part) => {
  const asked = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return withReferences([`${api}${fill(path, params) ?? ""}`, ...asked].join("?"))
}

const isQuery = ({ method }: Part) => method === "GET"

const isSuccess = ({ httpStatusCode }: Native) => Number(httpStatusCode) >= 200 && Number(httpStatusCode) < 300

/** Whether a part was not done because of another one. */
const isHalted = ({ body }: Native) => natives(body)[0]?.errorCode === "PROCESSING_HALTED"

const refusalOf = (operation: string, { blame = (error) => error }: Part, { body, httpStatusCode }: Native) =>
  Effect.clockWith((clock) => {
    const [status, now] = [Number(httpStatusCode), clock.unsafeCurrentTimeMillis()]
    const { detail, reason } = readFailure(readError, { status, headers: {}, body, now })
    return Effect.fail(blame(new ProviderError({ provider: "salesforce", operation, reason, status, detail })))
  })

const together = Effect.fnUntraced(function* (
  org: Org,
  connection: ConnectionRef,
  operation: string,
  made: ReadonlyArray<{ readonly name: string; readonly part: Part }>
) {
  const changes = made.filter(({ part }) => !isQuery(part)).length
  const { body } = yield* org.call(connection, {
    operation,
    method: "POST",
    path: `${api}/composite`,
    json: {
      allOrNone: changes > 1,
      collateSubrequests: false,
      compositeRequest: made.map(({ name, part }) => ({
        method: part.method,
        url: addressOf(part),
        referenceId: name,
        ...(part.json === undefined ? {} : { body: part.json }),
        ...(part.headers === undefined ? {} : { httpHeaders: part.headers })
      }))
    },
    ...(changes === 0 ? { reads: true } : {})
  })
  const results = natives(getPath(body, "compositeResponse"))
  const answered = made.map((one, i) => ({ ...one, result: results[i] ?? {} }))
  if (answered.some(({ name, result }) => result.referenceId !== name)) {
    return yield* failure(operation, new Malformed(), "the answer lacks a part")
  }
  const refused = answered.filter(({ result }) => !isSuccess(result))
  const isRefused = changes === 0 ? refused.length > 0 : refused.some(({ part }) => !isQuery(part))
  const culprit = isRefused ? (refused.find(({ result }) => !isHalted(result)) ?? refused[0]) : undefined
  if (culprit !== undefined) return yield* refusalOf(operation, culprit.part, culprit.result)
  return Object.fromEntries(
    answered.flatMap(({ name, result }) => (isSuccess(result) ? [[name, result.body] as const] : []))
  )
})

/** Tries after the first. */
const lockRetries = 2

/**
 * Retries after a row lock, which leaves nothing done. `base/Calls.ts` cannot do it, because the composite answer itself is a
 * success.
 */
const retryingLocks = <A>(sent: Effect.Effect<A, ProviderError>) =>
  Effect.retry(sent, {
    schedule: Schedule.addDelay(Schedule.recurs(lockRetries), () => Duration.seconds(1)),
    while: ({ reason }) =>
      reason._tag === "Locked"
        ? Effect.map(Deadline.left, (left) => left > reason.retryAfter * 1000)
        : Effect.succeed(false)
  })

/** Sends the parts in calls of their own, up to the first refused change; the error lists what was done before. */
const oneByOne = Effect.fnUntraced(function* (org: Org, connection: ConnectionRef, operation: string, parts: Parts) {
  const answers: { [name: string]: unknown } = {}
  const earlier: Earlier = {
    made: (part) => String(getPath(answers[part], "id") ?? "")
  }
  const done: Array<string> = []
  for (const [name, make] of Object.entries(parts)) {
    const part = make(earlier)
    const sent = send(org, connection, operation, part)
    if (isQuery(part)) {
      const found = yield* done.length === 0 ? Effect.asSome(sent) : Effect.option(sent)
      answers[name] = Option.getOrUndefined(found)?.body
    } else {
      answers[name] = (yield* Effect.mapError(sent, afterDoing([...done]))).body
      done.push(name)
    }
  }
  return answers
})

/**
 * Sends parts in one call: all changes are made or none, and the first refused change is the reason; a refused query beside
 * them has no answer. Salesforce reads `@{` in a text as a reference, so parts with such a text go in calls of their own.
 */
export const composite = (
  org: Org,
  connection: ConnectionRef,
  operation: string,
  parts: Parts
): Effect.Effect<Answers, ProviderError> => {
  const made = Object.entries(parts).map(([name, make]) => ({ name, part: make(references) }))
  const isMistakable = Object.values(parts).some((make) => {
    const { json } = make({ made: () => "" })
    return json !== undefined && JSON.stringify(json).includes(opening)
  })
  return made.length === 1 || isMistakable
    ? oneByOne(org, connection, operation, parts)
    : retryingLocks(together(org, connection, operation, made))
}
