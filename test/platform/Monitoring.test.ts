import { assert, describe, it } from "vitest"
import { readFileSync } from "node:fs"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** Names of series in queries: they stand in front of labels, a range, or the end of what is compared. */
const named = (text: string) =>
  new Set(
    [
      ...text.matchAll(
        /\b((?:http|provider|token|pushes|webhook|database|connections|cache|tool|rate|process|nodejs)(?:_[a-z0-9]+)*)\s*[{[)]/g
      )
    ]
      .flatMap(([, name]) => name ?? [])
      .filter((name) => name !== "rate")
      .map((name) => name.replace(/_(bucket|sum|count)$/, ""))
  )

const known = new Set(
  [...read("src/platform/Metrics.ts").matchAll(/"([a-z]+(?:_[a-z0-9]+)*)"/g)].map(([, name]) => name)
)

describe("what watches the service", () => {
  for (const path of [
    "docs/monitoring/alerts.yml",
    "docs/monitoring/dashboard.json",
    "docs/monitoring/alerts.test.yml"
  ]) {
    it(`asks for metrics that there are: ${path}`, () => {
      const names = [...named(read(path))]
      assert.isAbove(names.length, 4)
      assert.deepStrictEqual(
        names.filter((name) => !known.has(name)),
        []
      )
    })
  }

  it("asks for most of what there is", () => {
    const asked = named(read("docs/monitoring/dashboard.json") + read("docs/monitoring/alerts.yml"))
    const families = [...known].filter((name) => name !== undefined && /_(total|seconds|bytes|remaining)$/.test(name))
    const missing = families.filter((name) => name !== undefined && !asked.has(name))
    assert.isBelow(missing.length, families.length / 2, missing.join(", "))
  })
})
