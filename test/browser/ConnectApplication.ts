import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { Down, Invalid, ProviderError } from "../../src/providers/ProviderError.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { toolkit } from "../../src/toolkits/Toolkits.ts"
import { listen, served } from "../support/Served.ts"

/** Parameters of `POST /connect/token` besides the end user. */
interface SessionOptions {
  readonly integrations?: ReadonlyArray<string>
  readonly redirectUrl?: string
  readonly allowedOrigins?: ReadonlyArray<string>
}

/** A connection as `GET /connections` shows it. */
interface Listed {
  readonly id: string
  readonly provider: string
  readonly status: string
  readonly accountName: string | null
}

/** The real application on a port, with an organisation whose pages are on another. */
export class ConnectApplication extends Context.Tag("tributary/test/ConnectApplication")<
  ConnectApplication,
  {
    /** Origin of the service. */
    readonly service: string
    /** Origin of the organisation's pages, which it allows; another site than the service. */
    readonly listed: string
    /** Origin of the same pages that it does not allow. */
    readonly unlisted: string
    /** A new session's `connectUrl`. */
    readonly connectUrl: (endUser: string, options?: SessionOptions) => Promise<string>
    /** A session's `connectUrl` that renews a connection. */
    readonly reconnectUrl: (connection: string) => Promise<string>
    readonly connections: (endUser: string) => Promise<ReadonlyArray<Listed>>
    /** Connects an end user to a simulated account, without a browser; gives the connection's id. */
    readonly connect: (endUser: string, provider: string) => Promise<string>
    /** The provider no longer accepts a connection's tokens. */
    readonly spoil: (connection: string) => Promise<void>
    /** Every session there is ends now. */
    readonly expireSessions: () => Promise<void>
  }
>() {}

/** A database that knows one connection string, one that is away, and no other. */
const Ledger = toolkit(
  Effect.succeed({
    slug: "ledger",
    name: "Ledger Database",
    description: "A database.",
    authorization: {
      kind: "connectionString",
      help: "Ask your administrator for an address like ledger://user:password@host",
      check: (connectionString) => {
        const text = Redacted.value(connectionString)
        const refused = { provider: "ledger", operation: "connect" }
        if (text === "ledger://good") return Effect.succeed({ id: "ledger-1", name: "Main ledger" })
        return text === "ledger://away"
          ? new ProviderError({ ...refused, reason: new Down() })
          : new ProviderError({ ...refused, reason: new Invalid({ fields: {} }), detail: "The password is wrong." })
      }
    },
    tools: []
  })
)

/** A page of the organisation: a button that opens the connect page with `options`, and what is reported goes to `events`. */
const hostPage = (service: string) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,"></head>
  <body>
    <h1>Shop</h1>
    <button id="open">Connect</button>
    <div id="place"></div>
    <script src="${service}/connect.js"></script>
    <script>
      const events = []
      let options = {}
      document.querySelector("#open").addEventListener("click", () => {
        Tributary.connect({ ...options, onEvent: (event) => events.push(event) })
      })
    </script>
  </body>
</html>`

const Answer = Schema.decodeUnknownSync(Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }), {
  errors: "all"
})
const Made = Schema.decodeUnknownSync(Schema.Struct({ connectUrl: Schema.String }))
const List = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        provider: Schema.String,
        status: Schema.String,
        accountName: Schema.NullOr(Schema.String)
      })
    )
  })
)

const make = (service: string) =>
  Effect.gen(function* () {
    const organisations = yield* Organisations
    const keys = yield* ApiKeys
    const endUsers = yield* EndUsers
    const sandbox = yield* Sandbox
    const sql = yield* SqlClient.SqlClient
    const run = Effect.runPromise

    const host = yield* listen((_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(hostPage(service))
    })
    const [listed, unlisted] = [`http://shop.localhost:${host}`, `http://stranger.localhost:${host}`]
    const { id: organisation } = yield* organisations.create("Northwind")
    yield* organisations.changeOrigins(organisation, { allow: [listed], disallow: [] })
    const { key } = yield* keys.create(organisation, "sandbox")

    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${service}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${Redacted.value(key)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return Answer(await response.json()).data
    }

    return ConnectApplication.of({
      service,
      listed,
      unlisted,
      connectUrl: async (endUserId, options) =>
        Made(await call("POST", "/connect/token", { endUserId, ...options })).connectUrl,
      reconnectUrl: async (connection) => Made(await call("POST", `/connections/${connection}/reconnect`)).connectUrl,
      connections: async (endUser) => List(await call("GET", `/connections?endUserId=${endUser}`)).data,
      connect: (endUser, provider) =>
        run(
          Effect.gen(function* () {
            const user = yield* endUsers.ensure(organisation, "sandbox", endUser)
            return (yield* sandbox.connect(user, provider)).id
          })
        ),
      spoil: (connection) =>
        run(Effect.asVoid(sql`update connections set status = 'needs_reauth' where id = ${connection}`)),
      expireSessions: () => run(Effect.asVoid(sql`update connect_sessions set expires_at = now()`))
    })
  })

/** The service listens where its own configuration says, so that consent comes back to it. */
export const layer = served((service) => Layer.scoped(ConnectApplication, make(service)), Ledger)
