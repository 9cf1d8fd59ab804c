import type { HttpClient } from "@effect/platform"
import { Effect } from "effect"
import { agentOf, clientOf } from "../../../src/platform/Network.ts"
import { type Detour, many } from "./compare.ts"
import { reading } from "./network.ts"

interface Native {
  readonly id: string
  readonly properties: { readonly [name: string]: unknown }
}

const parse = (text: string): { readonly results: ReadonlyArray<Native> } => JSON.parse(text)

const shown = ({ id, properties }: Native) => ({ id: `urn:uuid:${id}`, remote_id: id, ...properties })

const written = (data: ReadonlyArray<object>) =>
  Effect.as(Effect.yieldNow(), JSON.stringify({ success: true, data }).length)

type List = (client: HttpClient.HttpClient, origin: string, token?: string) => Effect.Effect<number, unknown>

/** A call, the records of its answer and the answer made of them, each handed on as soon as it is there. */
const piped: List = (client, origin, token) =>
  reading(client, origin, 100, token).pipe(
    Effect.map(parse),
    Effect.map(({ results }) => results.map(shown)),
    Effect.flatMap(written)
  )

/** The same in three generators, each of which holds on to what it was given until the answer is out. */
const generated: List = (client, origin, token) => {
  const attempt = Effect.gen(function* () {
    const text = yield* reading(client, origin, 100, token)
    return parse(text)
  })
  const list = Effect.gen(function* () {
    const { results } = yield* attempt
    return results.map(shown)
  })
  return Effect.gen(function* () {
    const data = yield* list
    const size = yield* written(data)
    return size
  })
}

export const forms = { piped, generated }

/** Records that pass through pipes, so that nothing older holds on to them, beside records that pass through generators. */
export const generators = (origin: string) =>
  Effect.gen(function* () {
    const client = clientOf(yield* agentOf({ connections: 256 }), Infinity)
    const detour = (concurrency: number, calls: number): Detour => ({
      name: `generators: a list of 100 records, ${concurrency} at once`,
      calls,
      shipped: many(piped(client, origin), calls, concurrency),
      plain: many(generated(client, origin), calls, concurrency)
    })
    return [detour(16, 16), detour(200, 200)]
  })
