/** Prints how many microseconds the mapping engine takes to read a record of 30 fields. */
import * as R from "../../src/canonical/Resource.ts"
import { compile } from "../../src/mapping/Compile.ts"
import { type Entries, variantsOf } from "../../src/mapping/Entries.ts"
import type { Native } from "../../src/mapping/Mapping.ts"
import * as T from "../../src/mapping/Transform.ts"

const plain = ["name", "code", "memo", "street", "city", "state", "zip", "country", "phone", "email", "title", "site"]
const numbers = ["total", "balance", "tax", "discount"]
const days = ["issue_date", "due_date", "paid_on_date"]
const moments = ["sent_at", "seen_at", "closed_at"]
const flags = ["active", "taxable", "locked"]
const references = ["contact", "account"]

const fieldsOf = (names: ReadonlyArray<string>, make: (description: string) => R.Field) =>
  Object.fromEntries(names.map((name) => [name, make(name)]))

const thirty: R.Resource = R.resource({
  category: "accounting",
  name: "thirty",
  filters: {},
  class: "writable",
  description: "thirty fields",
  fields: {
    ...fieldsOf(plain, R.text),
    ...fieldsOf(numbers, R.number),
    ...fieldsOf(days, R.date),
    ...fieldsOf(moments, R.dateTime),
    ...fieldsOf(flags, R.boolean),
    ...fieldsOf(references, (description) => R.reference(description, "contact")),
    status: R.literal("status", "OPEN", "PAID")
  }
})

const status = T.enumeration("status", { open: "OPEN", paid: "PAID" })
const entriesOf = (of: Entries<string>, names: ReadonlyArray<string>, transform: T.Transform) =>
  names.map((name) => of.field(name, `properties.${name}`, transform))

const mapping = variantsOf(thirty, (of) => [
  of.variant({
    nativeType: "thirty",
    entries: [
      of.field("remote_id", "id", T.text),
      of.field("remote_was_deleted", "archived", T.boolean),
      ...entriesOf(of, plain, T.text),
      ...entriesOf(of, numbers, T.number),
      ...entriesOf(of, days, T.date),
      ...entriesOf(of, moments, T.dateTime),
      ...entriesOf(of, flags, T.booleanString),
      ...entriesOf(of, references, T.reference("contact", "contacts")),
      ...entriesOf(of, ["status"], status)
    ]
  })
])
const [variant] = compile("bench", thirty, {
  ...mapping,
  blank: "",
  root: "properties",
  dialect: {}
}).variants

const record = (n: number): Native => ({
  id: String(n),
  archived: false,
  properties: {
    ...Object.fromEntries(plain.map((name, i) => [name, i === n % 12 ? null : `${name} ${n}`])),
    ...Object.fromEntries(numbers.map((name, i) => [name, String(n * 1.25 + i)])),
    ...Object.fromEntries(days.map((name) => [name, "2026-01-31"])),
    ...Object.fromEntries(moments.map((name) => [name, "2026-01-31T09:30:00.000Z"])),
    ...Object.fromEntries(flags.map((name, i) => [name, i === n % 3 ? "true" : "false"])),
    ...Object.fromEntries(references.map((name, i) => [name, String((n + i) % 40)])),
    status: n % 2 === 0 ? "open" : "paid"
  }
})
// parsed from text, as records of a provider are
const records: ReadonlyArray<Native> = JSON.parse(JSON.stringify(Array.from({ length: 100 }, (_, n) => record(n))))

const uuids = new Map(records.map(({ id }) => [String(id), `00000000-0000-5000-8000-${String(id).padStart(12, "0")}`]))
const reference = (_resource: string, _type: string, id: string) => uuids.get(id) ?? ""
const context = { reference, line: (path: string, id: string) => reference(path, "", id) }

/** Microseconds for a record, the median of rounds of 100 pages each, after a warm-up. */
const measure = (page: () => unknown) => {
  const rounds = Array.from({ length: 30 }, () => {
    const started = performance.now()
    for (let i = 0; i < 100; i += 1) page()
    return ((performance.now() - started) * 1000) / (100 * records.length)
  })
  return rounds.slice(10).sort((a, b) => a - b)[10]
}

process.stdout.write(
  JSON.stringify({
    fields: mapping.variants[0]?.entries.length,
    microseconds: measure(() => records.map((one) => variant?.decode({ record: one }, context)))
  })
)
