import { assert, describe, it } from "@effect/vitest"
import { sharesOf as sharesIn } from "../../src/platform/Shares.ts"
import { restAfter, waitAfter } from "../../src/webhooks/Schedule.ts"

const limits = { ofProcess: 16, ofQueue: 3 }

type Held = Omit<ReturnType<typeof waiting>, "due">

const sharesOf = (queues: ReadonlyArray<ReturnType<typeof waiting>>, held: ReadonlyArray<Held>, of: typeof limits) =>
  sharesIn(queues, held, of, ({ webhook }) => webhook)

const waiting = (webhook: string, organisation: string, due = 100) => ({ webhook, organisation, due })

const underWay = (webhook: string, organisation: string, count: number) =>
  Array.from({ length: count }, () => ({ webhook, organisation }))

const byWebhook = (shares: ReturnType<typeof sharesOf>) =>
  Object.fromEntries(shares.map(({ take, webhook }) => [webhook, take] as const))

describe("shares of deliveries", () => {
  it("are no more than are due, and than a webhook takes at a time", () => {
    assert.deepStrictEqual(byWebhook(sharesOf([waiting("a", "A"), waiting("b", "B", 1)], [], limits)), { a: 3, b: 1 })
    assert.deepStrictEqual(sharesOf([waiting("a", "A")], underWay("a", "A", 3), limits), [])
    assert.deepStrictEqual(sharesOf([], [], limits), [])
  })

  it("leave room for others, however many webhooks an organisation has", () => {
    const many = Array.from({ length: 20 }, (_, i) => waiting(`a${i}`, "A"))
    const alone = sharesOf(many, [], limits)
    assert.strictEqual(
      alone.reduce((sum, { take }) => sum + take, 0),
      4
    )
    // the one that waits last is served beside it
    const hanging = [...underWay("a0", "A", 2), ...underWay("a1", "A", 2)]
    assert.deepStrictEqual(byWebhook(sharesOf([...many, waiting("b", "B")], hanging, limits)), { b: 3 })
  })

  it("are even between the webhooks of an organisation", () => {
    const shares = sharesOf([waiting("a", "A"), waiting("b", "A")], [], limits)
    assert.deepStrictEqual(byWebhook(shares), { a: 2, b: 2 })
  })

  it("end when the process has as many as it may", () => {
    assert.deepStrictEqual(sharesOf([waiting("z", "Z")], underWay("a", "A", 16), limits), [])
  })
})

describe("the sender's rest", () => {
  it("lasts until the next delivery is due, and else for seconds, or a minute where there is no webhook", () => {
    assert.strictEqual(restAfter({ isAny: true, next: 812.4 }, false), 813)
    assert.strictEqual(restAfter({ isAny: true, next: 3_600_000 }, false), 5_000)
    assert.strictEqual(restAfter({ isAny: true, next: null }, false), 5_000)
    assert.strictEqual(restAfter({ isAny: false, next: null }, false), 60_000)
    // what was told in a transaction may not be there yet
    assert.strictEqual(restAfter({ isAny: true, next: null }, true), 1_000)
  })
})

describe("the schedule of a delivery", () => {
  it("is no shorter than the endpoint asks for, and ends within 72 hours", () => {
    assert.strictEqual(waitAfter(1, 0), 1)
    assert.strictEqual(waitAfter(1, 90), 90)
    assert.strictEqual(waitAfter(8, 90), 6 * 3600)
    assert.strictEqual(waitAfter(13, 0), 12 * 3600)
    assert.isUndefined(waitAfter(14, 900))
  })
})
