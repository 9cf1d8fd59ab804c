import { assert } from "@effect/vitest"
import type { Doc } from "./Answers.ts"

export const isDoc = (value: unknown): value is Doc =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Everything that was sent stands in the record; what the provider adds does not matter. */
export const assertHolds = (record: unknown, sent: unknown, path = ""): void => {
  if (Array.isArray(sent)) {
    assert.isTrue(Array.isArray(record), path)
    if (!Array.isArray(record)) return
    assert.strictEqual(record.length, sent.length, `length of ${path}`)
    sent.forEach((item, i) => assertHolds(record[i], item, `${path}.${i}`))
  } else if (isDoc(sent)) {
    for (const [name, value] of Object.entries(sent)) {
      assertHolds(isDoc(record) ? record[name] : undefined, value, `${path}.${name}`)
    }
  } else assert.deepStrictEqual(record, sent, path)
}
