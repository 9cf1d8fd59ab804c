import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  atOnce,
  byCursor,
  byId,
  byLink,
  byOffset,
  byPage,
  byTime,
  type Listed,
  type Paging,
  type Query
} from "../../../src/providers/base/Paging.ts"
import type { NativeRecord } from "../../../src/providers/ProviderAdapter.ts"

/** Records in the order of their ids; three at a time were made in the same second. */
const held = Array.from({ length: 47 }, (_, i) => ({ id: `r${String(i + 1).padStart(2, "0")}`, at: Math.floor(i / 3) }))
const idOf = ({ record }: NativeRecord) => String(record.id)
const timeOf = ({ record }: NativeRecord) => String(record.at).padStart(3, "0")

const from = (start: number, size: unknown) => held.slice(start, start + Number(size))

const listed = (records: typeof held, body: object = {}, headers: Listed["answer"]["headers"] = {}): Listed => ({
  records: records.map((record) => ({ nativeType: "thing", record })),
  answer: { status: 200, headers, body }
})

/** How a provider answers to the parameters it knows. */
type Provider = (query: Query) => Listed

const tokens: Provider = ({ limit, token = "0" }) => {
  const next = Number(token) + Number(limit)
  return listed(from(Number(token), limit), { page: { next: next < held.length ? String(next) : "" } })
}

const links: Provider = ({ after = "0", per_page, sort }) => {
  const next = Number(after) + Number(per_page)
  const other = '<https://api.example.com/things>; rel="first"'
  const link = `<https://api.example.com/things?sort=${String(sort)}&after=${next}&per_page=${String(per_page)}>; rel="next"`
  return listed(from(Number(after), per_page), {}, { link: next < held.length ? `${other}, ${link}` : other })
}

const starts: Provider = ({ limit, skip }) =>
  listed(from(Number(skip), limit), { more: Number(skip) + Number(limit) < held.length })

/** Says nothing of more. */
const silent: Provider = ({ limit, skip }) => listed(from(Number(skip), limit))

const pages: Provider = ({ page, per_page }) => {
  const start = (Number(page) - 1) * Number(per_page)
  return listed(from(start, per_page), { context: { has_more: start + Number(per_page) < held.length } })
}

const ids: Provider = ({ limit, since_id = "" }) =>
  listed(held.filter(({ id }) => id > String(since_id)).slice(0, Number(limit)))

const times: Provider = ({ limit, made_from = "0" }) =>
  listed(held.filter(({ at }) => at >= Number(made_from)).slice(0, Number(limit)))

const offsets = { most: 10, start: "skip", size: "limit" }
const numbers = { most: 10, page: "page", size: "per_page" }

const ways: { readonly [name: string]: readonly [Paging, Provider] } = {
  "a page token": [byCursor({ most: 10, size: "limit", after: "token", next: "page.next" }), tokens],
  "a link header": [byLink({ most: 10, size: "per_page", order: { sort: "id" } }), links],
  "an offset with a key": [byOffset({ ...offsets, more: "more", key: idOf }), starts],
  "an offset without a key": [byOffset({ ...offsets, more: "more" }), starts],
  "an offset that says nothing of more": [byOffset({ ...offsets, key: idOf }), starts],
  "an offset whose flag is in a second place": [
    byOffset({ ...offsets, more: ["page.more", "more"], key: idOf }),
    starts
  ],
  "an offset whose flag is missing": [byOffset({ ...offsets, more: "more", key: idOf }), silent],
  "an offset without a key whose flag is missing": [byOffset({ ...offsets, more: "more" }), silent],
  "page numbers whose flag is elsewhere": [byPage({ ...numbers, more: "has_more", key: idOf }), pages],
  "page numbers with a key": [byPage({ ...numbers, more: "context.has_more", key: idOf }), pages],
  "page numbers without a key": [byPage(numbers), pages],
  "an id": [byId({ most: 10, size: "limit", after: "since_id" }), ids],
  "a time": [byTime({ most: 10, size: "limit", from: "made_from", key: timeOf }), times],
  "one answer": [atOnce, () => listed(held)]
}

describe("paging by", () => {
  for (const [name, [paging, provider]] of Object.entries(ways)) {
    it.effect(`${name}: a walk gives every record once, whatever the limits`, () =>
      Effect.gen(function* () {
        const sizes: Array<number> = []
        const fetch = paging((query) => {
          for (const size of [query.limit, query.per_page]) if (size !== undefined) sizes.push(Number(size))
          return Effect.succeed(provider(query))
        }, idOf)
        const given: Array<string> = []
        let position: string | null = null
        for (const limit of Array.from({ length: 60 }, (_, i) => [4, 1, 30, 9][i % 4] ?? 1)) {
          const page: Effect.Effect.Success<ReturnType<typeof fetch>> = yield* fetch(position, limit)
          assert.isAtMost(page.records.length, limit)
          given.push(...page.records.map(idOf))
          position = page.next
          if (position === null) break
        }
        assert.deepStrictEqual(
          given,
          held.map(({ id }) => id)
        )
        assert.isAtMost(Math.max(0, ...sizes), 10, "never asks for more than an answer can hold")
      })
    )
  }

  it.effect("a cursor whose provider says the end: a full page that says nothing fails", () =>
    Effect.gen(function* () {
      const paging = byCursor({ most: 10, size: "limit", after: "token", next: "page.next", saysEnd: "acme" })
      const answering = (body: object) => paging(({ limit }) => Effect.succeed(listed(from(0, limit), body)), idOf)
      const failed = yield* Effect.flip(answering({ page: {} })(null, 5))
      assert.deepInclude(failed.reason, { _tag: "Malformed" })
      assert.isNull((yield* answering({ page: { next: null } })(null, 5)).next)
      assert.strictEqual((yield* answering({ page: { next: "x" } })(null, 5)).next, "x")
      const short = paging(() => Effect.succeed(listed(from(0, 3))), idOf)
      assert.isNull((yield* short(null, 5)).next)
    })
  )
})
