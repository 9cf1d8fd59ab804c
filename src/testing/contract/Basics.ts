import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { errorsOf, type Call, type Doc, pageOf, recordOf, refusalOf } from "./Answers.ts"
import { derivedOf, isCleared, stampsOf, without } from "./Changes.ts"
import { assertHolds, assertSame } from "./Holds.ts"
import { asListed, untimed } from "./Listed.ts"
import { once } from "./Once.ts"
import type { Kind, Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

const of = ({ provider }: Row) => `?provider=${provider}`

const pathTo = (row: Row, id: unknown) => `${row.path}/${encodeURIComponent(String(id))}${of(row)}`

const notFound = (row: Row): readonly [number, string] => [404, `${row.resource.name.toUpperCase()}_NOT_FOUND`]

/** Whether a record is found by its service id: in accounting, and where a resource has several native types. */
export const isKept = (row: Row) =>
  row.resource.category === "accounting" || row.resourceAdapter.mapping.variants.length > 1

/** Some providers delete a record by making it inactive. */
const isInactive = ({ is_active, status }: Doc) => is_active === false || status === "ARCHIVED" || status === "INACTIVE"

/** Fails unless a record has the shape of its resource and sound stamps; `about` names the record. */
const checkRecord = (row: Row, about: string) => {
  const decode = Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error", errors: "all" })
  return (record: Doc) => {
    decode(record)
    assert.strictEqual(record.providerSlug, row.provider, `${about}: providerSlug`)
    assert.isNotNull(record.created_at, `${about}: created_at`)
    assert.isNotNull(record.modified_at, `${about}: modified_at`)
    assert.isAtMost(
      Date.parse(String(record.created_at)),
      Date.parse(String(record.modified_at)),
      `${about}: created_at is later than modified_at`
    )
  }
}

/** Every verb of every resource, once: the short form of the contract. */
export const basics: Suite = (it, { having, kindsHaving, newAccount, reader, slug }) => {
  const listed = having("list").map((row) => [row.name, row] as const)

  it.effect.each(listed)("%s: a page of the list holds records, and each is found by its id", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      const { data } = pageOf(yield* call("GET", `${row.path}${of(row)}&limit=3`))
      assert.isNotEmpty(data, `${slug} ${row.name}: the list is empty`)
      for (const record of data) {
        const about = `${slug} ${row.name} ${String(record.remote_id)}`
        checkRecord(row, about)(record)
        if (!row.has("get")) continue
        const found = recordOf(yield* call("GET", pathTo(row, record.remote_id)))
        const lacking = row.resourceAdapter.nullInLists ?? []
        assertSame(asListed(untimed(found), lacking), asListed(untimed(record), lacking), about)
      }
    })
  )

  const found = having("get").map((row) => [row.name, row] as const)

  it.effect.each(found)("%s: a record that does not exist is 404", ([, row]) =>
    Effect.gen(function* () {
      const { call } = yield* reader
      assert.deepStrictEqual(refusalOf(yield* call("GET", pathTo(row, "0"))), notFound(row))
    })
  )

  const account = once(newAccount)
  const kinds = kindsHaving("create", "get")

  it.effect.each(kinds)("%s: create, get, patch, replace and delete do what they say", ([title, row, sampleOf]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      yield* lifecycle(call, `${slug} ${title}`, row, yield* sampleOf(call))
    })
  )

  it.effect.each(kinds)("%s: a field that does not exist is 422 by its name", ([title, row]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      const errors = errorsOf(yield* call("POST", `${row.path}${of(row)}`, { body: { no_such_field: 1 } }))
      assert.property(errors, "no_such_field", `${slug} ${title}`)
    })
  )
}

/** One record from its creation to its deletion. */
const lifecycle = Effect.fnUntraced(function* (
  call: Call,
  about: string,
  row: Row,
  sample: Effect.Effect.Success<ReturnType<Kind[2]>>
) {
  const read = (id: unknown) => Effect.map(call("GET", pathTo(row, id)), recordOf)

  const answer = yield* call("POST", `${row.path}${of(row)}`, { body: sample.full })
  const created = recordOf(answer)
  const name = `${about} ${String(created.remote_id)}`
  const check = checkRecord(row, name)
  assert.strictEqual(answer.status, 201, name)
  check(created)
  assertHolds(created, sample.full, `${name} after POST`)
  assertSame(yield* read(created.remote_id), created, `${name} read after POST`)
  if (isKept(row)) assertSame(yield* read(created.id), created, `${name} read by its id`)
  const one = pathTo(row, created.remote_id)

  if (row.has("patch")) {
    const patched = recordOf(yield* call("PATCH", one, { body: sample.change }))
    check(patched)
    assertHolds(patched, sample.change, `${name} after PATCH`)
    const changed = [...stampsOf(created), ...Object.keys(sample.change), ...derivedOf(row)]
    assertSame(without(patched, changed), without(created, changed), `${name} after PATCH`)
    assertSame(yield* read(created.remote_id), patched, `${name} read after PATCH`)
    const unchanged = recordOf(yield* call("PATCH", one, { body: {} }))
    const stamps = stampsOf(created)
    assertSame(without(unchanged, stamps), without(patched, stamps), `${name} after an empty PATCH`)
  }
  if (row.has("replace")) {
    const replaced = recordOf(yield* call("PUT", one, { body: sample.least }))
    check(replaced)
    assertHolds(replaced, sample.least, `${name} after PUT`)
    for (const field of Object.keys(sample.full)) {
      if (field in sample.least) continue
      if (sample.kept.includes(field)) assert.isNotNull(replaced[field], `${name} after PUT: ${field}`)
      else
        assert.isTrue(isCleared(replaced[field]), `${name} after PUT: ${field} is ${JSON.stringify(replaced[field])}`)
    }
    assert.strictEqual(replaced.id, created.id, `${name} after PUT: id`)
    if (created.remote_created_at !== null) {
      assert.strictEqual(replaced.created_at, created.created_at, `${name} after PUT: created_at`)
    }
    assertSame(yield* read(created.remote_id), replaced, `${name} read after PUT`)
  }
  if (row.has("remove")) {
    assert.deepStrictEqual(recordOf(yield* call("DELETE", one)), { remote_id: created.remote_id }, name)
    const after = yield* call("GET", one)
    if (after.status === 200) return assert.isTrue(isInactive(recordOf(after)), `${name} is active after DELETE`)
    assert.deepStrictEqual(refusalOf(after), notFound(row), name)
    if (!row.has("patch")) return
    assert.deepStrictEqual(refusalOf(yield* call("PATCH", one, { body: sample.change })), notFound(row), name)
    assert.deepStrictEqual(refusalOf(yield* call("PUT", one, { body: sample.least })), notFound(row), name)
  }
})
