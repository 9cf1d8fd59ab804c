import { assert, describe, layer } from "@effect/vitest"
import { Command } from "@effect/cli"
import { HttpClient } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Schema, TestClock } from "effect"
import { readFile } from "node:fs/promises"
import { checkProvider } from "../../src/connections/CheckCommand.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { All } from "../../src/providers/All.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import { facts } from "../../src/connections/FactsCommand.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import type { Requirement } from "../../src/providers/Requirement.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { layer as simulatorLayer } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/providers/Simulators.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { toolkits } from "../../src/toolkits/All.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"
import { whileTimePasses } from "../../src/testing/contract/Time.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

const services = Layer.mergeAll(
  All,
  ...toolkits,
  ...simulators.map(simulatorLayer),
  Sandbox.layer(simulators),
  EndUsers.layer,
  Organisations.layer
).pipe(
  Layer.provide(Layer.merge(Calls.layer, KeptValues.layerMemory)),
  Layer.provideMerge(TokenRefresh.layer),
  Layer.provideMerge(Integrations.layer),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Providers.layer, Toolkits.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer, Encryption.layerTest)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.dieMessage("a command called the network"))
    )
  ),
  Layer.merge(NodeContext.layer)
)

const connected = Effect.fnUntraced(function* (provider: string, lacks: ReadonlyArray<Requirement> = []) {
  const { id } = yield* (yield* Organisations).create(`${provider} ${crypto.randomUUID()}`)
  const endUser = yield* (yield* EndUsers).ensure(id, "sandbox", "u1")
  return (yield* (yield* Sandbox).connect(endUser, provider, { lacks })).id
})

/** Runs `providers check` and gives what it printed, and why it failed, if it did. */
const checked = Effect.fnUntraced(function* (connection: string) {
  const printed: Array<string> = []
  const given = yield* Effect.console
  const run = Command.run(checkProvider, { name: "Tributary", version: "0" })
  const failure = yield* run(["node", "cli.js", "--connection", connection]).pipe(
    Effect.as(undefined),
    Effect.catchAll((error) => Effect.succeed("message" in error ? error.message : error._tag)),
    Effect.withConsole({ ...given, log: (text: unknown) => Effect.sync(() => void printed.push(String(text))) }),
    whileTimePasses(9000)
  )
  const [text = "{}"] = printed
  return { ...readOut(text), text, failure }
})

const readOut = Schema.decodeSync(
  Schema.parseJson(
    Schema.Struct({
      probes: Schema.optional(Schema.Int),
      limits: Schema.optional(Schema.NullOr(Schema.String)),
      findings: Schema.optionalWith(
        Schema.Array(
          Schema.Struct({
            probe: Schema.String,
            outcome: Schema.String,
            what: Schema.String,
            status: Schema.optional(Schema.Int)
          })
        ),
        { default: () => [] }
      )
    })
  )
)

const module = (name: string) => ({ kind: "module", name }) as const
const scope = (name: string) => ({ kind: "scope", name }) as const

/** Accounts that lack something, with the probes that tell it. */
const lacking: ReadonlyArray<
  readonly [provider: string, lacks: ReadonlyArray<Requirement>, ...probes: ReadonlyArray<string>]
> = [
  ["quickbooks", [{ kind: "edition", name: "Plus" }], "account"],
  ["xero", [scope("bankfeeds")], "bank_feed_account.list", "bank_feed_transaction.list"],
  ["hubspot", [scope("crm.objects.leads.read")], "lookup lead_pipelines", "lead.list"],
  ["zoho_crm", [module("Appointments__s")], "appointment.list", "fields of Appointments__s", "account"],
  [
    "netsuite",
    [module("Sales Orders"), module("Bills")],
    "sales_order.list",
    "fields of vendorBill",
    "account",
    "account"
  ],
  [
    "salesforce",
    [module("Salesforce Scheduler or Field Service")],
    "appointment.list",
    "fields of ServiceAppointment",
    "account"
  ]
]

describe("providers", () => {
  layer(services)((it) => {
    full(it).effect("check: what is assumed is so at every simulator", () =>
      Effect.gen(function* () {
        for (const { slug } of simulators) {
          const { failure, findings, probes } = yield* checked(yield* connected(slug))
          assert.deepStrictEqual([failure, findings], [undefined, []], slug)
          // at least each list once
          assert.isAbove(probes ?? 0, 6, slug)
        }
      })
    )

    full(it).effect("check: an account that lacks what not every account has is as assumed", () =>
      Effect.gen(function* () {
        for (const [provider, lacks, ...probes] of lacking) {
          const { failure, findings } = yield* checked(yield* connected(provider, lacks))
          assert.deepStrictEqual(
            findings.map(({ outcome, probe }) => [probe, outcome]),
            probes.map((probe) => [probe, "lacks"]),
            provider
          )
          assert.isUndefined(failure, provider)
        }
      })
    )

    it.effect("check: what is otherwise is told without a word of the customer's, and fails", () =>
      Effect.gen(function* () {
        const faults = yield* Faults
        const connection = yield* connected("hubspot")
        const first = yield* checked(connection)
        assert.match(String(first.limits), /"hubspot.burst";r=\d+/)
        yield* (yield* SimulationStore).run("hubspot", connection, (account) => {
          const [[id, doc] = []] = account.entries("companies")
          if (id !== undefined)
            account.put("companies", id, { ...doc, properties: { name: { legal: "Secret & Sons" } } })
        })
        const broken = (path: string, status: number) =>
          faults.add({ provider: "hubspot", path, does: { kind: "status", status }, times: 3 })
        yield* broken("/objects/deals", 400)
        yield* broken("/objects/notes", 500)
        const { failure, findings, text } = yield* checked(connection)
        yield* faults.clear
        assert.deepStrictEqual(
          findings.map((one) => [one.probe, one.outcome, one.status]),
          [
            ["company.list", "differs", undefined],
            ["deal.list", "differs", 400],
            ["note.list", "unanswered", 500]
          ]
        )
        assert.strictEqual(failure, "3 things are not as assumed.")
        assert.notInclude(text, "Secret")
      })
    )

    it.effect("check: tells what ends soon, consent that is gone, and connections that are none", () =>
      Effect.gen(function* () {
        const connection = yield* connected("hubspot")
        yield* TestClock.setTime(Date.UTC(2026, 10, 24))
        const soon = yield* checked(connection)
        assert.deepStrictEqual(
          soon.findings.map(({ outcome, what }) => [outcome, what.slice(0, 10)]),
          [["ends", "2027-02-16"]]
        )
        assert.isUndefined(soon.failure)
        yield* (yield* SimulationStore).remove("hubspot", [connection])
        yield* TestClock.adjust("1 day")
        const { failure, findings } = yield* checked(connection)
        assert.deepStrictEqual([failure, findings.length], ["1 thing is not as assumed.", 1])
        assert.deepInclude(findings[0], { probe: "token", what: "Unauthenticated" })
        assert.include((yield* checked(crypto.randomUUID())).failure, "connection")
      })
    )

    it.effect("facts: the page that is kept is the present one", () =>
      Effect.gen(function* () {
        const kept = yield* Effect.promise(() => readFile("docs/provider-facts.md", "utf8"))
        assert.strictEqual(kept, yield* facts, "npm run --silent cli -- providers facts > docs/provider-facts.md")
      })
    )
  })
})
