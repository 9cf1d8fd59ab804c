import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Doc, entriesOf, recordOf } from "./Answers.ts"
import { once } from "./Once.ts"
import type { Suite } from "./Suite.ts"

/** Stamps move with what is written beside a record. */
const withoutStamps = ({ modified_at: _, remote_updated_at: __, ...record }: Doc): Doc => record

/** Writes records by batches, and has of each what its own write would have. */
export const batches: Suite = (it, { kindsHaving, newAccount, slug }) => {
  const account = once(newAccount)
  it.effect.each(kindsHaving("get", "create"))("%s: writes records by batches as it does alone", ([, row, sampleOf]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      const sample = yield* sampleOf(call)
      const of = `?provider=${slug}`
      const batch = (operation: string, ...records: ReadonlyArray<unknown>) =>
        Effect.map(call("POST", `${row.path}/batch${of}`, { body: { operation, records } }), entriesOf)
      const read = (id: unknown) => call("GET", `${row.path}/${encodeURIComponent(String(id))}${of}`)

      const isRead = Effect.fnUntraced(function* ({ data = {} }: { readonly data?: Doc | undefined }) {
        assert.deepStrictEqual(withoutStamps(data), withoutStamps(recordOf(yield* read(data.remote_id))))
      })

      // the same once more is the provider's to take or to refuse
      const [made, twin, strange] = yield* batch("create", sample.full, sample.full, { ...sample.full, strange: 1 })
      assert.strictEqual(made?.status, 201, JSON.stringify(made))
      assert.deepStrictEqual(strange?.errors, { strange: "is not known here" })
      const id = made?.data?.remote_id
      yield* isRead(made ?? {})
      const other = twin?.status === 201 ? twin.data?.remote_id : undefined

      if (row.has("patch")) {
        const both = [id, ...(other === undefined ? [] : [other])].map((one) => ({ id: one, ...sample.change }))
        const [changed, ...others] = yield* batch("update", ...both, { id: "no such record" })
        assert.strictEqual(changed?.status, 200, JSON.stringify(changed))
        yield* isRead(changed ?? {})
        assert.strictEqual(others.at(-1)?.status, 404, JSON.stringify(others.at(-1)))
      }
      if (row.has("remove")) {
        const [removed] = yield* batch("delete", { id })
        assert.deepStrictEqual(removed, { index: 0, status: 200, data: { remote_id: id } })
      }
    })
  )
}
