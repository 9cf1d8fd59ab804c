import { HttpClient, HttpClientRequest } from "@effect/platform"
import { makeUndici } from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import { agentOf, clientOf } from "../../../src/platform/Network.ts"
import { type Detour, many } from "./compare.ts"

/** Bytes of an answer that are read. */
const limit = 16 * 1024 * 1024

/** Reads the text of a list of so many records; the token may ask the provider to wait (`upstream.mjs`). */
export const reading = (client: HttpClient.HttpClient, origin: string, records: number, token = "token") =>
  Effect.flatMap(
    client.execute(
      HttpClientRequest.get(`${origin}/crm/v3/objects/contacts`, {
        urlParams: { limit: records },
        headers: { accept: "application/json", authorization: `Bearer ${token}` }
      })
    ),
    ({ text }) => text
  )

/** The client of this service beside the platform's, over connections of one agent. The platform's has no limit for answers. */
export const network = (origin: string) =>
  Effect.gen(function* () {
    const agent = yield* agentOf({ connections: 64 })
    const clients = { shipped: clientOf(agent, limit), plain: makeUndici(agent) }
    const detour = (records: number, calls: number, concurrency: number): Detour => ({
      name: `network: ${records} records, ${concurrency} at once`,
      calls,
      shipped: many(reading(clients.shipped, origin, records), calls, concurrency),
      // its spans are off in the service too
      plain: Effect.locally(
        many(reading(clients.plain, origin, records), calls, concurrency),
        HttpClient.currentTracerDisabledWhen,
        () => true
      )
    })
    return [detour(100, 16, 16), detour(1, 64, 16)]
  })
