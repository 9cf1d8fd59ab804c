import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { compile } from "../../mapping/Compile.ts"
import { requiredOf } from "../../providers/Needs.ts"
import { type Call, type Doc, pageOf, recordOf, refusalOf } from "./Answers.ts"
import { assertHolds, isDoc } from "./Holds.ts"
import { once } from "./Once.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

/**
 * Stamps that change by writing at all; a record whose provider states no time of creation is as old as what else it states.
 */
const stampsOf = ({ remote_created_at }: Doc) => [
  ...["modified_at", "remote_updated_at", "last_activity_at"],
  ...(remote_created_at === null ? ["created_at"] : [])
]

const without = (record: Doc, names: ReadonlyArray<string>): Doc =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

/** Whether a record is inactive, which is how some providers delete. */
const isInactive = ({ is_active, status }: Doc) => is_active === false || status === "ARCHIVED" || status === "INACTIVE"

const of = ({ provider }: Row) => `?provider=${provider}`

const reading = (call: Call, row: Row) => (id: unknown) =>
  Effect.map(call("GET", `${row.path}/${encodeURIComponent(String(id))}${of(row)}`), recordOf)

/** Whether service ids lead back to records: for references, and for resources over several native types. */
const isKept = (row: Row) => row.resource.category === "accounting" || row.resourceAdapter.mapping.variants.length > 1

const idOf = (row: Row, record: Doc) => encodeURIComponent(String(isKept(row) ? record.id : record.remote_id))

const strict = (row: Row) => {
  const decode = Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error", errors: "all" })
  return (record: Doc) => {
    decode(record)
    assert.strictEqual(record.providerSlug, row.provider)
    assert.isNotNull(record.created_at)
    assert.isNotNull(record.modified_at)
    assert.isAtMost(Date.parse(String(record.created_at)), Date.parse(String(record.modified_at)))
  }
}

/** Reads writes back: created, patched, replaced, cleared and deleted. */
export const writes: Suite = (it, { kindsHaving, newAccount }) => {
  const kinds = kindsHaving("create", "get")
  const account = once(newAccount)

  it.effect.each(kinds)("%s: create, read, patch, replace, delete", ([, row, sampleOf]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      const sample = yield* sampleOf(call)
      const read = reading(call, row)
      const check = strict(row)

      const answer = yield* call("POST", `${row.path}${of(row)}`, { body: sample.full })
      const created = recordOf(answer)
      assert.strictEqual(answer.status, 201)
      check(created)
      assertHolds(created, sample.full)
      assert.deepStrictEqual(yield* read(created.remote_id), created)
      if (isKept(row)) assert.deepStrictEqual(yield* read(created.id), created)
      const one = `${row.path}/${String(created.remote_id)}${of(row)}`

      if (row.has("patch")) {
        const patched = recordOf(yield* call("PATCH", one, { body: sample.change }))
        check(patched)
        assertHolds(patched, sample.change)
        const changed = [...stampsOf(created), ...Object.keys(sample.change), ...derivedOf(row)]
        assert.deepStrictEqual(without(patched, changed), without(created, changed))
        assert.deepStrictEqual(yield* read(created.remote_id), patched)

        const unchanged = recordOf(yield* call("PATCH", one, { body: {} }))
        assert.deepStrictEqual(without(unchanged, stampsOf(created)), without(patched, stampsOf(created)))
      }
      if (row.has("replace")) {
        const replaced = recordOf(yield* call("PUT", one, { body: sample.least }))
        check(replaced)
        assertHolds(replaced, sample.least)
        for (const name of Object.keys(sample.full)) {
          if (name in sample.least) continue
          const value = replaced[name]
          if (sample.kept.includes(name)) assert.isNotNull(value, name)
          else assert.isTrue(value === null || value === 0 || (Array.isArray(value) && value.length === 0), name)
        }
        assert.strictEqual(replaced.id, created.id)
        if (created.remote_created_at !== null) assert.strictEqual(replaced.created_at, created.created_at)
        assert.deepStrictEqual(yield* read(created.remote_id), replaced)
      }
      if (row.has("remove")) {
        const removed = yield* call("DELETE", one)
        assert.deepStrictEqual(recordOf(removed), { remote_id: created.remote_id })
        const after = yield* call("GET", one)
        if (after.status === 200) assert.isTrue(isInactive(recordOf(after)))
        else {
          const code = `${row.resource.name.toUpperCase()}_NOT_FOUND`
          assert.deepStrictEqual(refusalOf(after), [404, code])
          if (!row.has("patch")) return
          assert.deepStrictEqual(refusalOf(yield* call("PATCH", one, { body: sample.change })), [404, code])
          assert.deepStrictEqual(refusalOf(yield* call("PUT", one, { body: sample.least })), [404, code])
        }
      }
    })
  )

  const patchable = kinds.filter(([, row]) => row.has("patch"))

  it.effect.each(patchable)("%s: what was read can be sent back and changes nothing", ([, row, , kept]) =>
    Effect.gen(function* () {
      const { call, path } = yield* kept
      const nativeAt = (one: string) =>
        Effect.map(call("GET", `${one}&include_remote_data=true`), (answer) => recordOf(answer).remote_data)
      const made = recordOf(yield* call("GET", path))
      const listed = pageOf(yield* call("GET", `${row.path}${of(row)}&limit=10&include_remote_data=true`)).data
      const shapes = new Map([...listed, made].map((record) => [shapeOf(row, record), record]))
      for (const found of shapes.values()) {
        const one = `${row.path}/${idOf(row, found)}${of(row)}`
        // a null left by a list is refused if the record has a value
        const isReduced = (row.resourceAdapter.nullInLists ?? []).length > 0
        const record = isReduced ? recordOf(yield* call("GET", `${one}&include_remote_data=true`)) : found
        // a record may lack fields that a full body needs: a lead that is only a company has no person's name
        const isWhole = requiredOf(row.resource, row.resourceAdapter).every((name) => record[name] !== null)
        const native = isReduced ? record.remote_data : yield* nativeAt(one)
        for (const method of isWhole ? ["PATCH", "PUT"] : ["PATCH"]) {
          const { remote_data: _, ...before } = record
          const answer = yield* call(method, one, { body: record })
          assert.strictEqual(answer.status, 200, `${method} ${JSON.stringify(record)}: ${JSON.stringify(answer.body)}`)
          const stamps = stampsOf(before)
          assert.deepStrictEqual(without(recordOf(answer), stamps), without(before, stamps), method)
          if (method === "PATCH") assert.deepStrictEqual(unstamped(yield* nativeAt(one)), unstamped(native))
        }
      }
    })
  )

  it.effect.each(patchable)("%s: null in a PATCH clears a field, and only that field", ([, row, , kept]) =>
    Effect.gen(function* () {
      const { call, path: one, sample } = yield* kept
      let before = recordOf(yield* call("GET", one))
      for (const name of Object.keys(sample.full)) {
        if (name in sample.least || sample.kept.includes(name)) continue
        const after = recordOf(yield* call("PATCH", one, { body: { [name]: null } }))
        const value = after[name]
        assert.isTrue(value === null || value === 0 || (Array.isArray(value) && value.length === 0), name)
        const others = [...stampsOf(before), ...derivedOf(row), name]
        assert.deepStrictEqual(without(after, others), without(before, others), name)
        before = after
      }
    })
  )
}

/** A record's members and enumerated values, and those of its contents: records of one shape are written alike. */
const shapeOf = ({ resource }: Row, record: Doc) => {
  const outline = (value: unknown, name?: string): unknown => {
    if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(outline(item))))].toSorted()
    if (isDoc(value)) return Object.entries(value).map(([member, held]) => [member, outline(held, member)])
    return name !== undefined && resource.fields[name]?.values !== undefined
      ? value
      : value === null
        ? null
        : typeof value
  }
  const { remote_data: _, ...own } = record
  return JSON.stringify(outline(own))
}

/** Fields computed from other fields. */
const derived = ["status", "completed_date", "probability", "balance", "sub_total", "total_amount", "total_tax_amount"]

/** Those, and fields that only this provider does not write, such as a lead's name made from the person's. */
const derivedOf = ({ resourceAdapter, provider, resource }: Row) => [
  ...derived,
  ...compile(provider, resource, resourceAdapter.mapping).rows.flatMap(({ access, field }) =>
    access === "read" && resource.fields[field]?.access === "rw" ? [field] : []
  )
]

/** A native record without the members that every write changes: its time and version. */
const unstamped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unstamped)
  if (!isDoc(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, held]) =>
          held !== null &&
          held !== "" &&
          !/updat|modif|modstamp|synctoken|changed|last_activity|active_from/i.test(name)
      )
      .map(([name, held]) => [name, unstamped(held)])
  )
}
