/**
 * A process of its own for the tests of token refresh: `<connection> <callers> <what to do>`, on the database and with the
 * token endpoint that its environment names. It prints the access tokens that its callers got.
 */
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { Console, Effect, Layer, Redacted } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import * as Database from "../../src/platform/Database.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { provider, Providers } from "../../src/providers/Providers.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"

const [id = "", callers = "1", action] = process.argv.slice(2)

/** Dies with the provider's answer in its hands. */
const dying = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transformResponse(
      client,
      Effect.tap((response) =>
        Effect.zipRight(
          response.text,
          Effect.sync(() => process.kill(process.pid, "SIGKILL"))
        )
      )
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const acme = provider(
  Effect.succeed({
    slug: "acme",
    name: "Acme",
    category: "crm",
    authorization: {
      kind: "oauth2",
      authorizeUrl: "https://provider.example/authorize",
      tokenUrl: "https://provider.example/token",
      scopes: [],
      clientAuthentication: "basic",
      tokenBody: "form",
      pkce: false,
      apply: bearer
    },
    resources: {},
    lookups: {}
  })
)

const program = Effect.gen(function* () {
  const credentials = yield* Credentials
  yield* Console.log("ready")
  // all of them begin when told to
  yield* Effect.promise(() => new Promise<void>((resolve) => process.stdin.once("data", () => resolve())))
  const got = yield* Effect.all(
    Array.from({ length: Number(callers) }, () =>
      Effect.map(
        credentials.current({ id, provider: "acme", environment: "production", organisation: "org" }),
        ({ secret }) => Redacted.value(secret)
      )
    ),
    { concurrency: "unbounded" }
  )
  yield* Console.log(JSON.stringify(got))
}).pipe(
  Effect.provide(
    Layer.merge(TokenRefresh.layer, acme).pipe(
      Layer.provideMerge(Integrations.layer),
      Layer.provideMerge(Layer.mergeAll(Connections.layer, Providers.layer, Toolkits.layer, Transport.layer)),
      Layer.provide(action === "die" ? dying : FetchHttpClient.layer),
      Layer.provideMerge(Encryption.layer),
      Layer.provideMerge(Database.connect("client"))
    )
  )
)

await Effect.runPromise(program)
process.exit(0)
