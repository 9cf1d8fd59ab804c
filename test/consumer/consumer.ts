// A service of someone else's: one provider of the package, and a private one that nobody wrote a simulator of. It is compiled
// against the packed package and run by `.ci/run`; every entry point is used.
import { HttpApiClient, type HttpClient } from "@effect/platform"
import { Effect } from "effect"
import { everything, HubSpot, type Parts, serve } from "tributary"
import { Api, NotFound } from "tributary/client"
import {
  bearer,
  crm,
  cursor,
  type Endpoint,
  plainMapping,
  provider,
  reasonOfStatus,
  text,
  Upstream
} from "tributary/provider"
import type { Simulator } from "tributary/simulator"
import { simulators } from "tributary/testing"

const endpoint: Endpoint = {
  slug: "rolodex",
  authorization: { kind: "key", help: "Under Settings, API keys.", apply: bearer },
  baseUrl: "https://rolodex.example",
  concurrency: 4,
  readError: (answer) => ({ reason: reasonOfStatus(answer) }),
  timeout: 30_000
}

interface Listed {
  readonly data: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly next: string | null
}

const isListed = (body: unknown): body is Listed => typeof body === "object" && body !== null && "data" in body

const Rolodex = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    return {
      slug: endpoint.slug,
      name: "Rolodex",
      category: "crm",
      authorization: endpoint.authorization,
      lookups: {},
      resources: {
        contact: {
          consistency: "exact",
          mapping: plainMapping(crm.contact, (of) => [
            of.partialVariant({
              nativeType: "contact",
              entries: [
                of.readField("remote_id", "id", text),
                of.constant("remote_was_deleted", false),
                of.field("first_name", "first", text),
                of.field("last_name", "last", text)
              ],
              notHeld: { account: "Rolodex has people only, no companies." },
              rest: "Rolodex holds nothing but names."
            })
          ]),
          list: ({ connection, limit, position }) =>
            cursor(100, (after, size) =>
              Effect.map(
                call(connection, {
                  operation: "contacts.list",
                  method: "GET",
                  path: "/contacts",
                  query: { limit: size, after }
                }),
                ({ body }) =>
                  isListed(body)
                    ? { records: body.data.map((record) => ({ nativeType: "contact", record })), next: body.next }
                    : { records: [], next: null }
              )
            )(position, limit)
        }
      }
    }
  })
)

/** A caller of the service. */
export const firstNames = (baseUrl: string) =>
  Effect.gen(function* () {
    const client = yield* HttpApiClient.make(Api, { baseUrl })
    const { data } = yield* client.crm_contact.list({ headers: { "x-end-user-id": "demo" }, urlParams: {} })
    return data.data.map((contact): string | null => contact.first_name ?? null)
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof NotFound,
      () => Effect.succeed([])
    )
  ) satisfies Effect.Effect<ReadonlyArray<string | null>, unknown, HttpClient.HttpClient>

export type Own = Pick<Simulator, "slug">

const parts: Parts = { providers: [HubSpot, Rolodex], simulators: simulators.filter(({ slug }) => slug === "hubspot") }

// the package's own are parts like any
export const more: Parts = { ...everything, providers: [...everything.providers, Rolodex] }

serve(parts)
