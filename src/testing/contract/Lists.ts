import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { commonFields, readableOf } from "../../canonical/Resource.ts"
import { type Answer, type Call, type Doc, pageOf, recordOf, walk } from "./Answers.ts"
import { assertSame } from "./Holds.ts"
import { asListed, untimed } from "./Listed.ts"
import { once } from "./Once.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

const pathOf = (row: Row) => `${row.path}?provider=${row.provider}`

type Page = ReturnType<typeof pageOf>

const keysOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id))

/** Lists hold all records once, whole and in shape, also while records come and go. */
export const lists: Suite = (it, { having, kindsHaving, newAccount, reader }) => {
  const rows = having("list").map((row) => [row.name, row] as const)

  /** A whole list of a reader, walked once. */
  const wholes = new Map<string, ReadonlyArray<Doc>>()
  const wholeOf = Effect.fnUntraced(function* (row: Row) {
    const known = wholes.get(row.name)
    if (known !== undefined) return known
    const { records } = yield* Effect.flatMap(reader, ({ call }) => walk(call, pathOf(row)))
    wholes.set(row.name, records)
    return records
  })

  const walked = rows.map(([name, row], i) => [name, row, i] as const)

  it.effect.each(walked)("%s: comes to the same end whatever the page sizes", ([name, row, i]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      const whole = yield* wholeOf(row)
      const total = whole.length
      assert.isAbove(total, 0, `${row.provider} ${name}: the list is empty`)
      assert.strictEqual(new Set(keysOf(whole)).size, total, `${row.provider} ${name}: a record comes twice`)
      // resources take turns: sizes that repeat, change and cross the provider's own; a last page that is full, or one short of it
      const mixed = [1, 1, 1, 2, 7, 2, 7, 3, 50, 1, 20, 100, 7]
      const exact = [total, total + 1].filter((size) => size <= 100)
      const walks = i % 2 === 0 || exact.length === 0 ? [mixed] : exact.map((size) => [size])
      for (const sizes of walks) {
        const { records } = yield* walk(call, pathOf(row), (page) => sizes[page] ?? 100)
        assertSame(records.map(untimed), whole.map(untimed), `${row.provider} ${name} in pages of ${sizes.join(", ")}`)
      }
    })
  )

  it.effect.each(rows)("%s: every record has the shape the OpenAPI promises, with its stamps", ([, row]) =>
    Effect.gen(function* () {
      const { connections } = yield* reader
      const records = yield* wholeOf(row)
      const decode = Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error", errors: "all" })
      for (const record of records) {
        decode(record)
        assert.match(
          String(record.id),
          /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
        )
        assert.isString(record.remote_id)
        // records that providers cannot delete stay in lists, out of use
        const isOutOfUse = ["ARCHIVED", "INACTIVE"].includes(String(record.status)) || record.is_active === false
        if (record.remote_was_deleted !== false) assert.isTrue(isOutOfUse, String(record.remote_id))
        assert.strictEqual(record.providerSlug, row.provider)
        assert.strictEqual(record.providerId, connections[row.provider])
        assert.isString(record.created_at)
        assert.isString(record.modified_at)
        if (record.remote_created_at !== null) assert.strictEqual(record.created_at, record.remote_created_at)
        if (record.remote_updated_at !== null) assert.strictEqual(record.modified_at, record.remote_updated_at)
      }
    })
  )

  it.effect.each(rows)("%s: a record got by its id is the one listed; remote data comes when asked for", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      const plain = pageOf(yield* call("GET", `${pathOf(row)}&limit=3`)).data
      const full = pageOf(yield* call("GET", `${pathOf(row)}&limit=3&include_remote_data=true`)).data
      const off = pageOf(yield* call("GET", `${pathOf(row)}&limit=3&include_remote_data=false`)).data
      assert.deepStrictEqual(off.map(untimed), plain.map(untimed))
      for (const [i, record] of plain.entries()) {
        assert.notProperty(record, "remote_data")
        const { remote_data, ...rest } = full[i] ?? {}
        assert.deepStrictEqual(untimed(rest), untimed(record))
        assert.isObject(remote_data)
        if (!row.has("get")) continue
        const one = `${row.path}/${encodeURIComponent(String(record.remote_id))}?provider=${row.provider}`
        const got = recordOf(yield* call("GET", one))
        const fields = row.resourceAdapter.nullInLists ?? []
        assert.deepStrictEqual(asListed(untimed(got), fields), asListed(untimed(record), fields))
        const native = recordOf(yield* call("GET", `${one}&include_remote_data=true`)).remote_data
        assert.isObject(native)
      }
    })
  )

  it.effect.each(rows)("%s: fields that are asked for are what they are in the whole record", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      const own = readableOf(row.resource).filter((name) => !Object.hasOwn(commonFields, name))
      const whole = pageOf(yield* call("GET", `${pathOf(row)}&limit=5`)).data
      // every field once, and none beside the one next to it
      for (const rest of [0, 1]) {
        const fields = own.filter((_, i) => i % 2 === rest)
        const listed = pageOf(yield* call("GET", `${pathOf(row)}&limit=5&fields=${fields.join(",")}`)).data
        const isWanted = ([name]: readonly [string, unknown]) =>
          fields.includes(name) || Object.hasOwn(commonFields, name)
        const reduced = (record: Doc) => Object.fromEntries(Object.entries(untimed(record)).filter(isWanted))
        assert.deepStrictEqual(listed.map(untimed), whole.map(reduced))
        const [first] = whole
        if (first === undefined || !row.has("get")) continue
        const one = `${row.path}/${encodeURIComponent(String(first.remote_id))}?provider=${row.provider}`
        const got = recordOf(yield* call("GET", `${one}&fields=${fields.join(",")}`))
        assert.deepStrictEqual(untimed(got), reduced(recordOf(yield* call("GET", one))))
      }
    })
  )

  const kinds = kindsHaving("list", "create", "remove")

  const writer = once(newAccount)

  /** Rows whose records come and go, with bodies of every kind of its records. */
  const changing = rows.flatMap(([name, row]) => {
    const own = kinds.filter(([, of]) => of === row)
    const account = Effect.gen(function* () {
      const { call } = yield* writer
      return { call, samples: yield* Effect.forEach(own, ([, , sampleOf]) => sampleOf(call)) }
    })
    return own.length === 0 ? [] : [[name, row, once(account)] as const]
  })

  const removing = (call: Call, row: Row) => (record: Doc | undefined) =>
    Effect.tap(call("DELETE", `${row.path}/${String(record?.remote_id)}?provider=${row.provider}`), (answer: Answer) =>
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
    )

  it.effect.each(changing)("%s: records come and go in the middle of a walk", ([, row, account]) =>
    Effect.gen(function* () {
      const { call, samples } = yield* account
      const make = (body: Doc) => Effect.map(call("POST", pathOf(row), { body }), recordOf)
      const extras = yield* Effect.forEach(samples, ({ full }) => make(full))
      const before = keysOf((yield* walk(call, pathOf(row))).records)

      const next = (limit: number, cursor?: string) =>
        Effect.map(
          call(
            "GET",
            `${pathOf(row)}&limit=${limit}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
          ),
          pageOf
        )
      const first = yield* next(7)
      // some that the walk has not come to go, others are new
      yield* Effect.forEach(extras, removing(call, row))
      const late = keysOf(yield* Effect.forEach(samples, ({ least }) => make(least)))
      const seen = [...first.data]
      let cursor = first.pagination.cursor
      while (cursor !== null) {
        const page: Page = yield* next(seen.length < 40 ? 7 : 100, cursor)
        seen.push(...page.data)
        cursor = page.pagination.cursor
      }
      const keys = keysOf(seen)
      assert.strictEqual(new Set(keys).size, keys.length, "no record comes twice")
      if (row.resourceAdapter.consistency === "best-effort") return
      const gone = keysOf(extras)
      const missed = before.filter((key) => !gone.includes(key) && !keys.includes(key))
      assert.deepStrictEqual(missed, [], "no record that was there throughout is missed")
      const strangers = keys.filter((key) => !late.includes(key) && !before.includes(key))
      assert.deepStrictEqual(strangers, [])
    })
  )

  const deletable = changing.filter(([, { resourceAdapter }]) => resourceAdapter.updates !== "whole")

  it.effect.each(deletable)("%s: the record where a walk stands is deleted", ([, row, account]) =>
    Effect.gen(function* () {
      const { call, samples } = yield* account
      for (let i = 0; i < 3; i += 1) {
        for (const { least } of samples) yield* call("POST", pathOf(row), { body: least })
      }
      const all = keysOf((yield* walk(call, pathOf(row))).records)
      const start = all.length - 3
      // up to the first of those just made, which then goes
      const page = yield* walkTo(call, row, start + 1)
      const stand = page.data.at(-1)
      assert.strictEqual(stand?.id, all[start])
      yield* removing(call, row)(stand)
      const rest = pageOf(
        yield* call("GET", `${pathOf(row)}&cursor=${encodeURIComponent(String(page.pagination.cursor))}`)
      )
      assert.deepStrictEqual(keysOf(rest.data), all.slice(start + 1))
    })
  )

  const emptied = deletable.filter(([, { resource }]) => resource.name === "company")

  it.effect.each(emptied)("%s: an empty list", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* newAccount
      for (const record of (yield* walk(call, pathOf(row))).records) {
        yield* removing(call, row)(record)
      }
      assert.deepStrictEqual(pageOf(yield* call("GET", pathOf(row))), {
        data: [],
        pagination: { cursor: null, hasMore: false, limit: 25 }
      })
    })
  )
}

/** The page that ends with the `count`th record of a list. */
const walkTo = (call: Call, row: Row, count: number) =>
  Effect.gen(function* () {
    let left = count
    let cursor = ""
    for (;;) {
      const limit = Math.min(left, 100)
      const page = pageOf(yield* call("GET", `${pathOf(row)}&limit=${limit}${cursor}`))
      left -= page.data.length
      if (left === 0) return page
      cursor = `&cursor=${encodeURIComponent(String(page.pagination.cursor))}`
    }
  })
