import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Filter } from "../../canonical/Filter.ts"
import { isReport } from "../../canonical/Resource.ts"
import { filtersOf } from "../../providers/Filtering.ts"
import { valuesOf } from "../../records/FilterParameters.ts"
import { sieve, valuesAt } from "../../records/Filters.ts"
import { type Doc, refusalOf, walk } from "./Answers.ts"
import { once } from "./Once.ts"
import { SandboxApplication } from "./SandboxApplication.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

const pathOf = (row: Row, wanted: { readonly [filter: string]: string }) =>
  `${row.path}?${new URLSearchParams({ provider: row.provider, ...wanted }).toString()}`

/** A value as another caller would write it, which means the same. */
const otherwise = ({ compares }: Filter, value: string): string => {
  switch (compares) {
    case "equals":
      return value.toUpperCase()
    case "begins":
      return value.slice(0, Math.ceil(value.length / 2)).toLowerCase()
    case "digits":
      return value.replace(/\D/g, "")
    case "host":
      return `WWW.${value.replace(/^https?:\/\/(www\.)?/, "").replace(/[/:?#].*$/, "")}`
    default:
      return value
  }
}

/** Values to ask a list for by a filter: of its first record, and from the middle of all. */
const valuesFor = (filter: Filter, whole: ReadonlyArray<Doc>): ReadonlyArray<string> => {
  const all = whole.flatMap((record) =>
    filter.fields.flatMap((path) => valuesAt(record, path).filter((value) => typeof value !== "object" && value !== ""))
  )
  const known = [...new Set(all.map(String))]
  const sorted = known.toSorted()
  const middle = (sorted[Math.floor(sorted.length / 2)] ?? "").trim()
  if (filter.compares === "from" || filter.compares === "before") return middle === "" ? [] : [middle]
  if (filter.compares === "oneOf") return known.length < 2 ? known : [middle, `${known[0]},${known[1]}`]
  return [...new Set([known[0], middle])].flatMap((value) =>
    value === undefined || value === "" || otherwise(filter, value) === "" ? [] : [otherwise(filter, value)]
  )
}

/** Text that means something to a query language, were it not taken as a value. */
const hostile = `no such' OR 1=1 -- "\\%_*)`

/** A value that a filter takes. */
const plausible = ({ resource }: Row, name: string): string => {
  const filter = resource.filters[name]
  if (filter?.compares === "from" || filter?.compares === "before") return "2026-01-01"
  if (filter?.compares === "isTrue" || filter?.compares === "adds") return "true"
  return (filter === undefined ? undefined : valuesOf(resource, filter)?.[0]) ?? "00000000-0000-4000-8000-000000000000"
}

/** Pages in which what a filter finds is read, so that it goes on where it stands. */
const pages = 4

const keysOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id)).toSorted()

/** Lists give just what they are asked for, whoever sifts them, and no filter is ignored. */
export const filters: Suite = (it, { having }) => {
  const rows = having("list").flatMap((row) => {
    const known = filtersOf(row.provider, row.resource, row.resourceAdapter)
    const supports = Object.entries(row.resource.filters).map(([name, filter]) => ({
      name,
      filter,
      support: known[name]
    }))
    // what a provider allows in a day is not enough for all lists of one account
    const reader = once(Effect.flatMap(SandboxApplication, (app) => app.caller([row.provider])))
    const whole = once(
      Effect.flatMap(reader, ({ call }) => Effect.map(walk(call, pathOf(row, {})), ({ records }) => records))
    )
    return isReport(row.resource) ? [] : [[row.name, { ...row, reader }, supports, whole] as const]
  })

  it.effect.each(rows)("%s: a filter gives the records that it means, and all of them", ([, row, supports, of]) =>
    Effect.gen(function* () {
      const { call } = yield* row.reader
      const whole = yield* of
      for (const [i, { filter, name, support }] of supports.entries()) {
        if (support === undefined || filter.fields.length === 0) continue
        // filters take turns with the first value and one from the middle, in small pages and in large ones
        const values = valuesFor(filter, whole)
        const value = values[i % values.length]
        if (value === undefined) continue
        const meant = whole.filter(sieve(row.resource, { [name]: value }, [name]))
        const limit = i % 3 === 0 ? 100 : Math.min(100, Math.max(7, Math.ceil(meant.length / pages)))
        const found = yield* walk(call, pathOf(row, { [name]: value }), limit)
        assert.deepStrictEqual(
          keysOf(found.records),
          keysOf(meant),
          `${row.provider} ${row.name}?${name}=${value} (${support})`
        )
      }
    })
  )

  it.effect.each(rows)("%s: several filters mean records that each of them means", ([, row, supports, of]) =>
    Effect.gen(function* () {
      const { call } = yield* row.reader
      const whole = yield* of
      for (const record of [whole[0], whole[Math.floor(whole.length / 2)], whole.at(-1)]) {
        const wanted = Object.fromEntries(
          supports.flatMap(({ filter, name, support }) => {
            const [value] = record === undefined || support === undefined ? [] : valuesFor(filter, [record])
            return value === undefined ? [] : [[name, value] as const]
          })
        )
        const meant = whole.filter(sieve(row.resource, wanted, Object.keys(wanted)))
        const { records } = yield* walk(call, pathOf(row, wanted))
        assert.deepStrictEqual(keysOf(records), keysOf(meant), JSON.stringify(wanted))
      }
    })
  )

  it.effect.each(rows)("%s: what no record has finds nothing, and says nothing to the provider", ([, row, supports]) =>
    Effect.gen(function* () {
      const { call } = yield* row.reader
      for (const { filter, name, support } of supports) {
        if (support === undefined || !["equals", "begins", "host"].includes(filter.compares)) continue
        const { records } = yield* walk(call, pathOf(row, { [name]: hostile }))
        assert.deepStrictEqual(keysOf(records), [], name)
      }
    })
  )

  const lacking = rows.flatMap(([name, row, supports]) => {
    const absent = supports.flatMap((one) => (one.support === undefined ? [one.name] : []))
    return absent.length === 0 ? [] : [[name, row, absent] as const]
  })

  it.effect.each(lacking)("%s: a filter that the provider lacks is refused", ([, row, absent]) =>
    Effect.gen(function* () {
      const { call } = yield* row.reader
      for (const name of absent) {
        const answer = yield* call("GET", pathOf(row, { [name]: plausible(row, name) }))
        assert.deepStrictEqual(refusalOf(answer), [400, "FILTER_NOT_SUPPORTED"], name)
      }
    })
  )
}
