import { Command } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { everything } from "../../src/All.ts"
import { declarations } from "../../src/Declarations.ts"
import { listHooks } from "../../src/hooks/Commands.ts"
import { Encryption } from "../../src/platform/Encryption.ts"

const Printed = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Array(
      Schema.Struct({
        provider: Schema.String,
        address: Schema.String,
        secret: Schema.String,
        isSet: Schema.Boolean
      })
    )
  )
)

it.effect("hooks list prints what the operator registers, and what is not set yet", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const given = yield* Effect.console
    yield* Command.run(listHooks, { name: "Tributary", version: "0" })(["node", "cli.js"]).pipe(
      Effect.withConsole({ ...given, log: (line: unknown) => Effect.sync(() => void lines.push(line)) }),
      Effect.withConfigProvider(
        ConfigProvider.fromMap(
          new Map([
            ["PUBLIC_URL", "https://api.example.com"],
            ["PROVIDER_HUBSPOT_CLIENT_SECRET", "client-secret"],
            ["PROVIDER_XERO_CLIENT_SECRET", "client-secret"]
          ])
        )
      )
    )
    const hooks = Printed(lines[0])
    assert.deepStrictEqual(
      hooks.map(({ isSet, provider, secret }) => [provider, secret, isSet]),
      [
        ["hubspot", "PROVIDER_HUBSPOT_WEBHOOK_SECRET", true],
        ["quickbooks", "PROVIDER_QUICKBOOKS_WEBHOOK_SECRET", false],
        ["xero", "PROVIDER_XERO_WEBHOOK_SECRET", false]
      ]
    )
    for (const { address, provider } of hooks) {
      assert.match(address, new RegExp(`^https://api.example.com/hooks/${provider}/[\\w-]{43}$`))
    }
    assert.strictEqual(new Set(hooks.map(({ address }) => address.split("/").at(-1))).size, hooks.length)
  }).pipe(Effect.provide(Layer.mergeAll(declarations(everything), Encryption.layerTest, NodeContext.layer)))
)
