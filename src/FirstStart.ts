import { HttpServer } from "@effect/platform"
import { Console, Effect, Option, Redacted } from "effect"
import { SqlClient } from "@effect/sql"
import { Connections } from "./connections/Connections.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import * as Database from "./platform/Database.ts"
import { Providers } from "./providers/Providers.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"

/**
 * Gives a newcomer something to call: an organisation, an end user connected to every provider's sandbox, and, last, a
 * key. Until there is a key a start that was cut short is made up for by the next.
 */
export const prepare = Effect.gen(function* () {
  if (Option.isSome(yield* Database.url)) return
  const sql = yield* SqlClient.SqlClient
  const [key] = yield* sql`select id from api_keys limit 1`
  if (key !== undefined) return

  const organisations = yield* Organisations
  const organisation = yield* Effect.orElse(organisations.find("Demo"), () => organisations.create("Demo"))
  const endUser = yield* (yield* EndUsers).ensure(organisation.id, "sandbox", "demo")
  const tenant = { organisation: organisation.id, environment: "sandbox" as const }
  const connected = yield* (yield* Connections).ofEndUser(tenant, endUser.id)
  const missing = (yield* Providers).all().filter(({ slug }) => connected.every(({ provider }) => provider !== slug))
  const sandbox = yield* Sandbox
  yield* Effect.forEach(missing, ({ slug }) => sandbox.connect(endUser, slug), { discard: true })
  const { key: made } = yield* (yield* ApiKeys).create(organisation.id, "sandbox")

  const text = Redacted.value(made)
  const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const curl = (path: string) =>
    `  curl -H "Authorization: Bearer ${text}" -H "X-End-User-Id: demo" "${address}/api/v1${path}"`
  yield* Console.log(
    [
      "",
      "Your sandbox key, shown this once:",
      "",
      `  ${text}`,
      "",
      "The end user `demo` has connected every provider's sandbox. Try:",
      "",
      curl("/crm/contact?limit=3"),
      curl("/accounting/invoice?limit=3"),
      ""
    ].join("\n")
  )
})
