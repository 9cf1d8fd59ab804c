import { assert } from "@effect/vitest"
import type { Doc } from "./Answers.ts"
import { type Difference, differencesOf, report } from "./Differences.ts"

export const isDoc = (value: unknown): value is Doc =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Differences between what was sent and the record, whatever the provider adds to it. */
const lackingIn = (record: unknown, sent: unknown, path: string): ReadonlyArray<Difference> => {
  if (Array.isArray(sent) && Array.isArray(record) && sent.length === record.length) {
    return sent.flatMap((item, i) => lackingIn(record[i], item, `${path}[${i}]`))
  }
  if (isDoc(sent)) {
    return Object.entries(sent).flatMap(([name, value]) =>
      lackingIn(isDoc(record) ? record[name] : undefined, value, path === "" ? name : `${path}.${name}`)
    )
  }
  return differencesOf(sent, record, path)
}

/** Fails with every field in which the record does not hold what was sent; `about` names the record. */
export const assertHolds = (record: unknown, sent: unknown, about = "the record"): void => {
  const differences = lackingIn(record, sent, "")
  if (differences.length > 0) assert.fail(report(about, differences))
}

/** Fails with every field in which two records differ; `about` names the record. */
export const assertSame = (actual: unknown, expected: unknown, about: string): void => {
  const differences = differencesOf(expected, actual)
  if (differences.length > 0) assert.fail(report(about, differences))
}
