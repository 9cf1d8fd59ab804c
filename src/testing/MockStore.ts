import { Clock, Effect } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { merge, type Native } from "../mapping/Mapping.ts"
import { withLineIds } from "./MockMapping.ts"

/** A record of a mock as it is kept; `order` says where it comes in lists. */
export interface Row {
  readonly order: number
  readonly id: string
  readonly record: Native
}

/** The records of one resource in one connection. */
export interface Table {
  readonly rows: ReadonlyMap<string, Row>
  readonly add: (record: Native) => Effect.Effect<Row>
  /** Undefined where there is no such record. */
  readonly change: (id: string, record: Native) => Effect.Effect<Row | undefined>
  /** Whether there was such a record. */
  readonly remove: (id: string) => boolean
}

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/** A table of some records; those without an id or stamps are given some. */
export const makeTable = (resource: Resource, records: ReadonlyArray<Native>, added: (id: string) => void) =>
  Effect.gen(function* () {
    const rows = new Map<string, Row>()
    const given = new Set(records.map(({ remote_id }) => remote_id))
    let count = 0
    let lines = 0
    const nextLine = () => `line-${++lines}`

    const put = (id: string, order: number, record: Native): Row => {
      const row = { id, order, record: withLineIds(resource, record, nextLine) }
      rows.set(id, row)
      return row
    }
    const newId = (): string => {
      const id = String(count)
      if (!given.has(id)) return id
      count += 1
      return newId()
    }
    const add: Table["add"] = Effect.fnUntraced(function* (record) {
      const at = yield* now
      count += 1
      const id = typeof record.remote_id === "string" ? record.remote_id : newId()
      const created = record.remote_created_at ?? at
      added(id)
      return put(id, count, {
        ...record,
        remote_id: id,
        remote_created_at: created,
        remote_updated_at: record.remote_updated_at ?? created
      })
    })

    yield* Effect.forEach(records, add, { discard: true })
    return {
      rows,
      add,
      change: Effect.fnUntraced(function* (id, record) {
        const remote_updated_at = yield* now
        const row = rows.get(id)
        return row === undefined ? undefined : put(id, row.order, { ...merge(row.record, record), remote_updated_at })
      }),
      remove: (id) => rows.delete(id)
    } satisfies Table
  })
