import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import * as Leftovers from "../../src/connections/OrphanedRows.ts"
import { Events } from "../../src/events/Events.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { soon } from "../webhooks/Soon.ts"

const services = Layer.mergeAll(Events.layer, EndUsers.layer, Organisations.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

layer(services)("what a version before leaves", (it) => {
  it.scoped("of the events of erased end users goes, and nothing else", () =>
    Effect.gen(function* () {
      const [sql, events, endUsers] = [yield* SqlClient.SqlClient, yield* Events, yield* EndUsers]
      const { id: organisation } = yield* (yield* Organisations).create("Acme")
      const { id: other } = yield* (yield* Organisations).create("Other")
      const told = (organisation: string, environment: "sandbox" | "production", endUserId: string) =>
        events.publish({ organisation, environment }, [
          { type: "connection.created", data: { connectionId: randomUUID(), provider: "hubspot", endUserId } }
        ])
      yield* endUsers.ensure(organisation, "sandbox", "ada")
      yield* endUsers.ensure(other, "sandbox", "bob")
      for (const name of ["ada", "ada", "bob", "cleo"]) yield* told(organisation, "sandbox", name)
      yield* told(organisation, "production", "ada")
      yield* told(other, "sandbox", "bob")
      yield* events.publish({ organisation, environment: "sandbox" }, [
        { type: "webhook.disabled", data: { webhookId: randomUUID() } }
      ])

      yield* Layer.build(Leftovers.layer)
      yield* TestClock.adjust("1 minute")
      const left = sql<{ readonly organisation_id: string; readonly environment: string; readonly end_user: string }>`
        select organisation_id, environment, end_user from events order by sequence`
      const rows = yield* soon(left, ({ length }) => length <= 4)
      assert.deepStrictEqual(
        rows.map((row) => [row.organisation_id === organisation, row.environment, row.end_user]),
        [
          [true, "sandbox", "ada"],
          [true, "sandbox", "ada"],
          [false, "sandbox", "bob"],
          [true, "sandbox", null]
        ]
      )
    })
  )
})
