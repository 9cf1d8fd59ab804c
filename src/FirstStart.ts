import { Config, Console, Effect, Option, Redacted } from "effect"
import { SqlClient } from "@effect/sql"
import { Sandbox } from "./connections/Sandbox.ts"
import * as Database from "./platform/Database.ts"
import { Providers } from "./providers/Providers.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"

/** Gives a newcomer something to call: an organisation, a key, and an end user connected to every provider's sandbox. */
export const prepare = Effect.gen(function* () {
  if (Option.isSome(yield* Database.url)) return
  const sql = yield* SqlClient.SqlClient
  const [any] = yield* sql`select id from organisations limit 1`
  if (any !== undefined) return

  const organisation = yield* (yield* Organisations).create("Demo")
  const { key } = yield* (yield* ApiKeys).create(organisation.id, "sandbox")
  const endUser = yield* (yield* EndUsers).ensure(organisation.id, "sandbox", "demo")
  const sandbox = yield* Sandbox
  for (const { slug } of (yield* Providers).all()) yield* sandbox.connect(endUser, slug)

  const port = yield* Config.integer("PORT").pipe(Config.withDefault(3000))
  const curl = (path: string) =>
    `  curl -H "Authorization: Bearer ${Redacted.value(key)}" -H "X-End-User-Id: demo" "http://127.0.0.1:${port}/api/v1${path}"`
  yield* Console.log(
    [
      "",
      "Your sandbox key, shown this once:",
      "",
      `  ${Redacted.value(key)}`,
      "",
      "The end user `demo` has connected every provider's sandbox. Try:",
      "",
      curl("/crm/contact?limit=3"),
      curl("/accounting/invoice?limit=3"),
      ""
    ].join("\n")
  )
})
