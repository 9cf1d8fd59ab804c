import { assert, layer } from "@effect/vitest"
import { Effect, FastCheck, Schema, TestClock } from "effect"
import { find } from "../../src/canonical/Catalogue.ts"
import { type Field, type Fields, isShape } from "../../src/canonical/Resource.ts"
import { Warning } from "../../src/mapping/Warning.ts"
import { type Kind, type Row, subjectOf } from "../../src/testing/contract/Subject.ts"
import {
  type Answer,
  type Call,
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

/**
 * Every value that is written is read back equal, refused by name, or named in a warning: random values, null, and a PUT
 * without. `PROPERTIES=all` tries every field of every kind once, `PROPERTIES=<seconds>` again and again for so long, with
 * other values each time; absent: a few fields of each provider. `PROPERTIES_SEED` says where the values begin.
 */
const given = process.env.PROPERTIES
const firstSeed = Number(process.env.PROPERTIES_SEED ?? 1)
/** Fields that are tried of each kind of record. */
const fieldsOfKind = given === undefined ? 1 : Infinity
/** Seconds for which values are tried again; none: once. */
const seconds = given === undefined || given === "all" ? 0 : Number(given)

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)
const isNothing = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

// -------------------------------------------------------------------------------------------------------------------
// values

const texts = FastCheck.oneof(
  FastCheck.constantFrom("Zoë O'Neil", "a  b", "Ünï & <Co>", "株式会社", "x", "12", "true", "-", 'AT&T "quoted"'),
  FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => text.trim() === text)
)
const days = FastCheck.date({ min: new Date("2000-01-01"), max: new Date("2035-12-31"), noInvalidDate: true })
const amounts = FastCheck.oneof(
  FastCheck.constantFrom(0, 1, -1, 0.01, 99.95, 1_000_000),
  FastCheck.integer({ min: 1, max: 10_000_000 }).map((cents) => cents / 100)
)

/** References of each kind of a connection, read once. */
type Ids = (field: Field) => ReadonlyArray<string>

const valuesOf = (field: Field, ids: Ids): FastCheck.Arbitrary<unknown> => {
  if (field.values !== undefined) return FastCheck.constantFrom(...field.values)
  switch (field.kind) {
    case "text":
      return texts
    case "date":
      return days.map((day) => day.toISOString().slice(0, 10))
    case "dateTime":
      return days.map((day) => day.toISOString())
    case "number":
      return amounts
    case "integer":
      return FastCheck.integer({ min: 0, max: 500 })
    case "boolean":
      return FastCheck.boolean()
    case "decimal":
      return FastCheck.constantFrom("1.0", "1.25", "0.5")
    case "reference":
    case "providerId":
      return ids(field).length === 0 ? FastCheck.constant(null) : FastCheck.constantFrom(...ids(field))
    case "object":
      return FastCheck.constant(null)
    case "list": {
      const { item } = field
      if (item === undefined) return FastCheck.constant([])
      const entry = isShape(item) ? entryOf(item.fields, ids) : valuesOf(item, ids).filter((one) => one !== null)
      return !isShape(item) && ids(item).length === 0 && item.kind !== "text"
        ? FastCheck.constant([])
        : FastCheck.array(entry, { minLength: 1, maxLength: 3 })
    }
  }
}

const entryOf = (fields: Fields, ids: Ids): FastCheck.Arbitrary<Doc> => {
  const written = Object.entries(fields).filter(([, { access, kind }]) => access === "rw" && kind !== "object")
  return FastCheck.record(Object.fromEntries(written.map(([name, field]) => [name, valuesOf(field, ids)])), {
    requiredKeys: written.flatMap(([name, { required }]) => (required ? [name] : []))
  }).map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)))
}

const draw = (field: Field, ids: Ids, seed: number, run: number) =>
  FastCheck.sample(valuesOf(field, ids), { numRuns: 1, seed: seed * 7919 + run })[0]

// -------------------------------------------------------------------------------------------------------------------
// judging

/** Whether a record holds what was sent, in whatever order. */
const holds = (field: Pick<Field, "kind" | "item">, sent: unknown, held: unknown): boolean => {
  if (isNothing(sent)) return isNothing(held)
  if (Array.isArray(sent)) {
    if (!Array.isArray(held) || held.length !== sent.length) return false
    const left = new Set<unknown>(held)
    return sent.every((entry: unknown) => {
      const found = [...left].find((one) =>
        isShape(field.item)
          ? isDoc(entry) && isDoc(one) && holdsAll(field.item.fields, entry, one)
          : holds(field.item ?? field, entry, one)
      )
      return left.delete(found)
    })
  }
  switch (field.kind) {
    case "dateTime":
      return Date.parse(String(sent)) === Date.parse(String(held))
    case "number":
    case "integer":
    case "decimal":
      return held !== null && Number(sent) === Number(held)
    case "reference":
      return String(held) === String(sent).replace("urn:uuid:", "")
    default:
      return JSON.stringify(sent) === JSON.stringify(held)
  }
}

const holdsAll = (fields: Fields, sent: Doc, held: Doc) =>
  Object.entries(sent).every(([name, value]) => {
    const field = fields[name]
    return field === undefined || field.access !== "rw" || holds(field, value, held[name])
  })

const warningsOf = (answer: Answer) =>
  Schema.decodeUnknownSync(Schema.Struct({ warnings: Schema.optional(Schema.Array(Warning)) }))(answer.body).warnings ??
  []

const isAbout = (path: string, name: string) => path === name || path.startsWith(`${name}.`)

/** Why an answer to a write of one field is not true; undefined: it is. */
const lieIn = (name: string, field: Field, sent: unknown, answer: Answer, record: Doc): string | undefined => {
  if (answer.status === 422) return Object.keys(errorsOf(answer)).length === 0 ? "refused without a reason" : undefined
  if (answer.status === 409) return undefined
  if (answer.status !== 200 && answer.status !== 201)
    return `answers ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`
  // what is never without a value is cleared by its zero
  if (isNothing(sent) && (record[name] === false || record[name] === 0)) return undefined
  // it says how another field is meant, and is judged with that: HTML of nothing but paragraphs reads as text
  if (field.describes !== undefined) return undefined
  const isHeld = holds(field, sent, record[name])
  const warned = warningsOf(answer).some((one) => isAbout(one.field, name))
  if (isHeld === warned)
    return isHeld
      ? `is held, and warned of: ${JSON.stringify(warningsOf(answer))}`
      : `is held as ${JSON.stringify(record[name])} without a warning`
  return undefined
}

/** Sends once more when the limit is over. */
const patiently = (send: Effect.Effect<Answer>) =>
  Effect.flatMap(send, (first) =>
    first.status === 429 ? Effect.zipRight(TestClock.adjust("1 minute"), send) : Effect.succeed(first)
  )

// -------------------------------------------------------------------------------------------------------------------

const idsOf = (call: Call, { provider, resource }: Row) => {
  const known = new Map<string, ReadonlyArray<string>>()
  const load = (fields: Fields): Effect.Effect<void> =>
    Effect.forEach(
      Object.values(fields).flatMap((field) => [
        field,
        ...(field.item !== undefined && !isShape(field.item) ? [field.item] : [])
      ]),
      (field) =>
        Effect.gen(function* () {
          if (isShape(field.item)) yield* load(field.item.fields)
          for (const target of field.targets ?? []) {
            if (known.has(target) || find(resource.category, target) === undefined) continue
            const answer = yield* patiently(
              call("GET", `/${resource.category}/${target}?provider=${provider}&limit=20`)
            )
            const records = answer.status === 200 ? pageOf(answer).data : []
            known.set(
              target,
              records.map((one) =>
                String(resource.category === "crm" ? one.remote_id : one.id).replace("urn:uuid:", "")
              )
            )
          }
        }),
      { discard: true }
    )
  const ids: Ids = (field) => (field.targets ?? []).flatMap((target) => known.get(target) ?? [])
  return Effect.as(load(resource.fields), ids)
}

/** The path of another record, for one that the provider put away as its status was written. */
const another = (call: Call, { path, provider }: Row, body: Doc) => {
  const of = `?provider=${provider}`
  return Effect.map(
    patiently(call("POST", path + of, { body })),
    (made) => `${path}/${String(recordOf(made).remote_id)}${of}`
  )
}

layer(sandboxApplication(), { timeout: "30 minutes" })("what is written", (it) => {
  for (const [slug, provider, samples] of providers) {
    it.effect(
      `${slug}: is read back equal, refused by name or warned of`,
      () =>
        Effect.gen(function* () {
          const { kindsHaving } = yield* subjectOf(slug, provider, samples)
          const begun = yield* Effect.sync(() => performance.now())
          const isOver = () => performance.now() - begun > (seconds / providers.length) * 1000
          const lies: Array<string> = []
          const outcomes = { held: 0, refused: 0, warned: 0 }
          const kinds = kindsHaving("create", "get", "patch")
          const tryKind = Effect.fnUntraced(function* ([title, row, , kept]: Kind, index: number, seed: number) {
            const made = yield* kept
            const { call, sample } = made
            let { path } = made
            const ids = yield* idsOf(call, row)
            const fields = Object.entries(row.resource.fields).filter(
              ([name, { access }]) => access === "rw" && name !== "integration_params"
            )
            const some =
              fields.length <= fieldsOfKind
                ? fields
                : fields.filter((_, i) => i % fields.length === (seed * 31 + index * 7) % fields.length)
            for (const [i, [name, field]] of some.entries()) {
              if (seed > firstSeed && isOver()) return
              const value = draw(field, ids, seed, index * 101 + i)
              for (const [what, method, body] of [
                ["PATCH", "PATCH", { [name]: value }],
                ["PATCH null", "PATCH", { [name]: null }],
                ["PUT", "PUT", { ...sample.full, [name]: value }],
                ["PUT without", "PUT", Object.fromEntries(Object.entries(sample.full).filter(([one]) => one !== name))]
              ] as const) {
                if (method === "PUT" && !row.has("replace")) continue
                const answer = yield* patiently(call(method, path, { body }))
                const read = yield* patiently(call("GET", path))
                const sent: unknown = body[name]
                outcomes[answer.status >= 400 ? "refused" : warningsOf(answer).length > 0 ? "warned" : "held"] += 1
                const isGone = read.status === 404 && recordOf(answer).remote_was_deleted === true
                const lie = lieIn(name, field, sent, answer, recordOf(isGone ? answer : read))
                if (lie !== undefined)
                  lies.push(`seed ${seed}: ${title} ${name}: ${what} ${JSON.stringify(sent) ?? ""} ${lie}`)
                if (isGone) path = yield* another(call, row, sample.full)
              }
            }
          })
          let seed = firstSeed
          do {
            for (const [index, kind] of kinds.entries()) yield* tryKind(kind, index, seed)
            seed += 1
          } while (!isOver())
          assert.deepStrictEqual(lies, [], JSON.stringify(outcomes))
          if (given !== undefined)
            process.stdout.write(`${slug} ${JSON.stringify(outcomes)}, seeds ${firstSeed} to ${seed - 1}\n`)
          // a suite that is refused everything, or warned of everything, shows nothing
          assert.isAbove(outcomes.held, given === undefined ? 0 : outcomes.refused / 2)
        }),
      1_800_000
    )
  }
})
