import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "../../src/providers/pipedrive/simulator/Settings.ts"
import { type OwnRules, setOwnRules } from "../../src/providers/simulation/table/OwnRules.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import {
  type Doc,
  errorsOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

interface Case {
  readonly provider: string
  /** The simulator's name for the records of contacts. */
  readonly kind: string
  /** Where the simulator and the refusal have the field. */
  readonly path: string
  /** Path in `errors`. */
  readonly field: string
  readonly label: string
  readonly params: Doc
}

/** Key of the custom field in the simulated account. */
const numberKey = keyOf("persons Customer number")

const required: ReadonlyArray<Case> = [
  {
    provider: "hubspot",
    kind: "contacts",
    path: "loyalty_tier",
    field: "integration_params.loyalty_tier",
    label: "Loyalty tier",
    params: { loyalty_tier: "gold" }
  },
  {
    provider: "salesforce",
    kind: "Contact",
    path: "Tier__c",
    field: "integration_params.Tier__c",
    label: "Tier",
    params: { Tier__c: "Gold" }
  },
  {
    provider: "pipedrive",
    kind: "persons",
    path: `custom_fields.${numberKey}`,
    field: `integration_params.${numberKey}`,
    label: "Customer number",
    params: { [numberKey]: "C-1" }
  },
  {
    provider: "zoho_crm",
    kind: "Contacts",
    path: "Tier",
    field: "integration_params.Tier",
    label: "Tier",
    params: { Tier: "Gold" }
  },
  {
    provider: "attio",
    kind: "people",
    path: "customer_number",
    field: "integration_params.customer_number",
    label: "Customer number",
    params: { customer_number: "C-1" }
  },
  {
    provider: "close",
    kind: "contact",
    path: "custom.cf_contactTier7dR5MkL8sWuCiG8cUleO9c",
    field: "integration_params.custom.cf_contactTier7dR5MkL8sWuCiG8cUleO9c",
    label: "Tier",
    params: { "custom.cf_contactTier7dR5MkL8sWuCiG8cUleO9c": "Gold" }
  }
]

layer(sandboxApplication(), { timeout: "60 seconds" })("rules that a customer added", (it) => {
  const withRules = (provider: string, kind: string, rules: OwnRules) =>
    Effect.gen(function* () {
      const { call, connections } = yield* (yield* SandboxApplication).caller([provider])
      const store = yield* SimulationStore
      const send = (method: string, body: Doc, id = "") =>
        call(method, `/crm/contact${id}?provider=${provider}`, { body })
      const { remote_id } = recordOf(yield* send("POST", { last_name: "Okafor" }))
      yield* store.run(provider, connections[provider] ?? "", (account) => setOwnRules(account, kind, rules))
      return { send, held: `/${String(remote_id)}` }
    })

  for (const { field, kind, label, params, path, provider } of required) {
    it.effect(
      `${provider}: a required field of the customer's own is 422 with its name, its label and the remedy`,
      () =>
        Effect.gen(function* () {
          const { held, send } = yield* withRules(provider, kind, { required: [path] })
          const native = path.replace(/^custom_fields\./, "")
          for (const refused of [
            yield* send("POST", { last_name: "Reyes" }),
            yield* send("PATCH", { title: "Buyer" }, held)
          ]) {
            assert.deepStrictEqual(refusalOf(refused), [422, "VALIDATION_FAILED"], JSON.stringify(refused.body))
            const errors = errorsOf(refused)
            assert.deepStrictEqual(Object.keys(errors), [field])
            const words = String(errors[field])
            assert.include(words, native)
            assert.include(words, `(${label})`)
            assert.match(words, /integration_params/)
          }
          const taken = yield* send("POST", { last_name: "Reyes", integration_params: params })
          assert.strictEqual(taken.status, 201, JSON.stringify(taken.body))
        })
    )
  }

  const rules: ReadonlyArray<readonly [provider: string, kind: string, path: string, label: string, code: string]> = [
    ["hubspot", "contacts", "firstname", "First name", "INVALID_ALPHA"],
    ["salesforce", "Contact", "FirstName", "First Name", "FIELD_CUSTOM_VALIDATION_EXCEPTION"]
  ]

  for (const [provider, kind, path, label, code] of rules) {
    it.effect(`${provider}: a value that a validation rule refuses is 422 with the field's name and label`, () =>
      Effect.gen(function* () {
        const words = "Enter only letters"
        const { send } = yield* withRules(provider, kind, {
          patterns: { [path]: { pattern: "^[A-Za-z]*$", words, code } }
        })
        const refused = yield* send("POST", { first_name: "R2D2", last_name: "Reyes" })
        assert.deepStrictEqual(refusalOf(refused), [422, "VALIDATION_FAILED"], JSON.stringify(refused.body))
        assert.deepStrictEqual(errorsOf(refused), { first_name: `${path} (${label}): ${words}` })
      })
    )
  }
})
