import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { find } from "../../../src/canonical/Catalogue.ts"
import { uuidOf } from "../../contract/samples/Sample.ts"
import { netSuite } from "../../contract/samples/NetSuite.ts"
import { errorsOf, recordOf, SandboxApplication, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"

const ends: ReadonlyArray<unknown> = ["VOID", "DELETED", "CANCELLED"]

/** Everything that has a state to be written: the sample's name, its path, the names of the states. */
const stated = Object.entries(netSuite).flatMap(([name, kinds]) => {
  const fields = find("accounting", name)?.fields ?? {}
  return ["status", "posting_status"].flatMap((field) => {
    const values = fields[field]?.values ?? []
    return values.length === 0
      ? []
      : Object.entries(kinds).map(
          ([kind, sample]) =>
            [`${name} (${kind}) ${field}`, { field, path: `/accounting/${name}`, sample, values }] as const
        )
  })
})

layer(sandboxApplication(), { timeout: "60 seconds" })("statuses", (it) => {
  it.effect.each(stated)(
    "%s: each one is taken, and the record is then in one of them",
    ([, { field, path, sample, values }]) =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const { call } = yield* app.caller(["netsuite"])
        const { full, least } = yield* sample(call)
        const list = `${path}?provider=netsuite`
        const record = recordOf(yield* call("POST", list, { body: full }))
        for (const value of values) {
          const one = `${path}/${String(record.remote_id)}?provider=netsuite`
          const changed = yield* call("PATCH", one, { body: { [field]: value } })
          if (changed.status === 200) {
            const held = recordOf(changed)[field]
            assert.include(values, held, value)
            assert.strictEqual(said(changed).length, held === value ? 0 : 1, `${value}: ${said(changed).join()}`)
          } else assert.deepStrictEqual(Object.keys(errorsOf(changed)), [field], value)
          // no two lists or items go by one name
          const name = typeof least.name === "string" ? { name: `${least.name} ${value}` } : {}
          const made = yield* call("POST", list, { body: { ...least, ...name, [field]: value } })
          // what was meant void would be in force
          if (made.status === 422 && ends.includes(value)) {
            assert.deepStrictEqual(Object.keys(errorsOf(made)), [field], value)
            continue
          }
          const held = recordOf(made)[field]
          assert.include(values, held, value)
          assert.strictEqual(said(made).filter((one) => one.startsWith(field)).length, held === value ? 0 : 1, value)
        }
      })
  )

  it.effect("a state that only other documents lead to makes none of them", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["netsuite"])
      const of = (resource: string, id?: unknown) =>
        `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=netsuite`
      const { full } = yield* (netSuite.invoice?.receivable ?? assert.fail("no sample"))(call)
      const invoice = recordOf(yield* call("POST", of("invoice"), { body: full }))
      for (const status of ["PAID", "PARTIALLY_PAID", "VOID"]) {
        const refused = yield* call("PATCH", of("invoice", invoice.remote_id), { body: { status } })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["status"], status)
        const after = recordOf(yield* call("GET", of("invoice", invoice.remote_id)))
        assert.deepInclude(after, { status: "OPEN", balance: invoice.total_amount, payments: [] }, status)
      }
      const sample = yield* (netSuite.sales_order?.order ?? assert.fail("no sample"))(call)
      const order = recordOf(yield* call("POST", of("sales_order"), { body: { ...sample.least, status: "COMPLETED" } }))
      assert.strictEqual(order.status, "OPEN")
      const { records } = yield* walk(call, of("item_fulfillment"))
      assert.notInclude(
        records.map(({ sales_order }) => sales_order),
        uuidOf(order)
      )
    })
  )
})
