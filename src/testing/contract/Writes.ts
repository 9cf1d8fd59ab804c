import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { requiredOf } from "../../providers/Needs.ts"
import { type Doc, pageOf, recordOf } from "./Answers.ts"
import { isKept } from "./Basics.ts"
import { derivedOf, isCleared, stampsOf, without } from "./Changes.ts"
import { assertSame, isDoc } from "./Holds.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

const of = ({ provider }: Row) => `?provider=${provider}`

const idOf = (row: Row, record: Doc) => encodeURIComponent(String(isKept(row) ? record.id : record.remote_id))

/** A write changes what its body says and nothing else. */
export const writes: Suite = (it, { kindsHaving, slug }) => {
  const patchable = kindsHaving("create", "get", "patch")

  it.effect.each(patchable)("%s: a record sent back as it was read changes nothing", ([, row, , kept]) =>
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
          const about = `${slug} ${row.name} ${String(record.remote_id)} after ${method} of itself`
          const answer = yield* call(method, one, { body: record })
          assert.strictEqual(answer.status, 200, `${about}: ${JSON.stringify(answer.body)}`)
          const stamps = stampsOf(before)
          assertSame(without(recordOf(answer), stamps), without(before, stamps), about)
          if (method === "PATCH") assertSame(unstamped(yield* nativeAt(one)), unstamped(native), `${about}, native`)
        }
      }
    })
  )

  it.effect.each(patchable)("%s: null in a PATCH clears that field and no other", ([, row, , kept]) =>
    Effect.gen(function* () {
      const { call, path: one, sample } = yield* kept
      let before = recordOf(yield* call("GET", one))
      for (const name of Object.keys(sample.full)) {
        if (name in sample.least || sample.kept.includes(name)) continue
        const after = recordOf(yield* call("PATCH", one, { body: { [name]: null } }))
        const about = `${slug} ${row.name} ${String(before.remote_id)} after ${name} was cleared`
        const value = after[name]
        assert.isTrue(isCleared(value), `${about}: ${name} is ${JSON.stringify(value)}`)
        const others = [...stampsOf(before), ...derivedOf(row), name, ...describing(row, name)]
        assertSame(without(after, others), without(before, others), about)
        before = after
      }
    })
  )
}

/** Fields that describe another one. They are cleared with it. */
const describing = ({ resource }: Row, name: string) =>
  Object.entries(resource.fields).flatMap(([other, { describes }]) => (describes?.field === name ? [other] : []))

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
