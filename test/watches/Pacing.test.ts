import { assert, describe, it } from "@effect/vitest"
import { accounting } from "../../src/canonical/Catalogue.ts"
import type { Following } from "../../src/providers/Following.ts"
import { intervalsOf, nextAfter } from "../../src/watches/Intervals.ts"
import type { Plan } from "../../src/watches/Plan.ts"
import { afterPage, afterWalk, begun, nextStep } from "../../src/watches/Progress.ts"
import { type Known, verdict } from "../../src/watches/Verdict.ts"

const day = 86_400
const xero: Following = { limit: { calls: 5000, seconds: day, of: "account" }, lag: 60 }
const quickbooks: Following = { limit: { calls: 500_000, seconds: 30 * day, of: "application" }, lag: 60 }
const salesforce: Following = {
  limit: { calls: 15_000, seconds: day, of: "account" },
  lag: 600,
  deletions: { days: 15, told: "dated" }
}

const plan = (following: Following, more: Partial<Plan> = {}): Plan => ({
  resource: accounting.invoice,
  name: "accounting/invoice",
  how: "changes",
  deletions: following.deletions,
  following,
  calls: 1,
  isLoose: false,
  ...more
})

const live = { environment: "production", wish: 5, resources: 1, connections: 1 } as const

describe("intervals", () => {
  it("spend a fifth of what a provider lets through, over all that is watched of a connection", () => {
    for (const resources of [1, 10, 31]) {
      const { poll } = intervalsOf(plan(xero), { ...live, resources })
      assert.isAtMost((day / poll) * resources, 1000, `${resources} resources`)
    }
    assert.strictEqual(intervalsOf(plan(xero), { ...live, resources: 10 }).poll, 864)
    assert.strictEqual(intervalsOf(plan(xero), { ...live, wish: 3600 }).poll, 3600)
  })

  it("are longer the more connections share what an application may call", () => {
    const of = (connections: number) => intervalsOf(plan(quickbooks, { calls: 2 }), { ...live, connections }).poll
    assert.strictEqual(of(1), 52)
    assert.isAtMost(((30 * day) / of(100)) * 100 * 2, 100_000)
  })

  it("are what is wished for in the sandbox, and ten times that where whole lists are walked", () => {
    const load = { ...live, environment: "sandbox" } as const
    assert.deepStrictEqual(intervalsOf(plan(xero), load), { poll: 5, idle: 20, sweep: 300, call: 0 })
    assert.deepStrictEqual(intervalsOf(plan(xero, { how: "walk" }), load), {
      poll: 50,
      idle: 200,
      sweep: null,
      call: 0
    })
    assert.strictEqual(intervalsOf(plan(salesforce), load).sweep, null)
  })

  it("get longer where nothing happens, and never more than is said", () => {
    const intervals = intervalsOf(plan(salesforce), { ...live, environment: "sandbox" })
    assert.deepStrictEqual(
      [0, 9, 10, 29, 30, 1_000_000].map((quiet) => nextAfter(intervals, quiet)),
      [5, 5, 10, 10, 20, intervals.idle]
    )
  })
})

const now = Date.UTC(2026, 10, 20, 9)
const hour = 3_600_000
const nothingDone = { changes: false, sweep: false }

describe("progress", () => {
  const intervals = intervalsOf(plan(salesforce), { ...live, environment: "sandbox" })

  it("asks for changes since the last time, with the overlap that the provider's lag needs", () => {
    const told = { ...begun(now), watermark: now + hour, isFirst: false, mustWalk: false }
    const next = nextStep(told, plan(salesforce), intervals, nothingDone, now + 2 * hour)
    assert.deepStrictEqual(next?.step, {
      kind: "list",
      of: "changes",
      wanted: { modified_after: new Date(now + hour - 600_000).toISOString(), include_deleted: "true" },
      cursor: null
    })
    const page = afterPage(next?.progress ?? told, "changes", "further")
    assert.strictEqual(page.watermark, now + hour, "not before the end of the list")
    const end = afterPage(page, "changes", null)
    assert.strictEqual(end.watermark, now + 2 * hour, "up to when the list was begun")
    assert.isUndefined(nextStep(end, plan(salesforce), intervals, { changes: true, sweep: false }, now + 2 * hour))
  })

  it("asks for changes by the provider's clock, where the service's is ahead of it", () => {
    const told = { ...begun(now), isFirst: false, mustWalk: false }
    const first = nextStep(told, plan(salesforce), intervals, nothingDone, now + hour)
    const page = afterPage(first?.progress ?? told, "changes", "further", hour)
    const end = afterPage(page, "changes", null, hour + 30_000)
    const next = nextStep(end, plan(salesforce), intervals, nothingDone, now + 2 * hour)
    assert.strictEqual(next?.progress.changes?.from, now - 600_000, "as it was when the list was begun")
    const behind = afterPage(first?.progress ?? told, "changes", null, -hour)
    assert.strictEqual(
      nextStep(behind, plan(salesforce), intervals, nothingDone, now + 2 * hour)?.progress.changes?.from,
      now + hour - 600_000
    )
  })

  it("walks through the whole list first, and again after an outage that outlasts what the provider remembers", () => {
    const first = nextStep(begun(now), plan(salesforce), intervals, { changes: true, sweep: false }, now)
    assert.deepInclude(first?.step, { of: "walk", wanted: {} })
    const walked = afterWalk(afterPage(first?.progress ?? begun(now), "walk", null))
    assert.isFalse(walked.isFirst)
    for (const [days, isForgotten] of [
      [14, false],
      [15, true]
    ] as const) {
      const later = nextStep(walked, plan(salesforce), intervals, nothingDone, now + days * day * 1000)
      assert.strictEqual(later?.progress.mustWalk, isForgotten, `${days} days`)
    }
  })
})

describe("a record that was met", () => {
  const since = { since: now, isFirst: false, isUndated: false, now: now + hour }
  const iso = (time: number) => new Date(time).toISOString()
  const digest = (text: string) => Buffer.from(`mapp${text}`)
  const of = (record: object, known?: Known, more: Partial<typeof since> = {}, seen?: number) =>
    verdict({ ...record }, (one) => digest(String(one.name)), known, { ...since, ...more }, seen).tells

  it("is told by what is known of it", () => {
    const known = { digest: digest("a"), modified: now }
    assert.isUndefined(of({ name: "a", remote_updated_at: iso(now + hour) }, known), "a touch")
    assert.strictEqual(of({ name: "b" }, known), "updated")
    assert.strictEqual(of({ name: "a" }, { digest: null, modified: now }), "created", "it is there again")
    assert.isUndefined(
      of({ name: "b", remote_updated_at: iso(now) }, { digest: Buffer.from("othra"), modified: now }),
      "another mapping"
    )
    assert.strictEqual(
      of({ name: "b", remote_updated_at: iso(now + 1) }, { digest: Buffer.from("othra"), modified: now }),
      "updated"
    )
  })

  it("was there before, or is new, by its stamps", () => {
    const made = (at: number, changed = at) => ({
      name: "a",
      remote_created_at: iso(at),
      remote_updated_at: iso(changed)
    })
    for (const isFirst of [true, false]) {
      assert.isUndefined(of(made(now - 1), undefined, { isFirst }))
      assert.strictEqual(of(made(now - 1, now), undefined, { isFirst }), "updated")
      assert.strictEqual(of(made(now), undefined, { isFirst }), "created")
    }
    const changed = { name: "a", remote_updated_at: iso(now) }
    assert.strictEqual(of(changed), "created", "it was not there when all were met")
    assert.strictEqual(of(changed, undefined, { isFirst: true }, now - 1), "updated", "this service saw it before")
    assert.strictEqual(of(changed, undefined, { isFirst: true }, now + 1), "created")
    assert.isUndefined(of({ name: "a" }, undefined, { isFirst: true }))
    assert.strictEqual(of({ name: "a" }), "created")
  })

  it("was deleted since, or before", () => {
    const gone = (at: number) => ({ remote_was_deleted: true, modified_at: iso(at) })
    assert.strictEqual(of(gone(now), { digest: digest("a"), modified: now }), "deleted")
    assert.isUndefined(of(gone(now), { digest: null, modified: now }), "it was told")
    assert.strictEqual(of(gone(now)), "deleted")
    assert.isUndefined(of(gone(now - 1)))
    assert.isUndefined(of(gone(now), undefined, { isUndated: true }))
  })
})
