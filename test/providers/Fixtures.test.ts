import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either } from "effect"
import { writeFileSync } from "node:fs"
import { find } from "../../src/canonical/Catalogue.ts"
import { readableOf, type Resource } from "../../src/canonical/Resource.ts"
import { compile } from "../../src/mapping/Compile.ts"
import { providers } from "../../src/providers/All.ts"
import { has, type ProviderAdapter, type ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { differencesOf, report } from "../../src/testing/contract/Differences.ts"
import { formatJson, isUpdating } from "../support/FileSnapshots.ts"
import {
  type Exchange,
  exceptionsOf,
  type Fixture,
  type FixtureFile,
  fixturesOf,
  type Write
} from "../support/fixtures/Fixture.ts"
import { adaptersOf } from "../support/fixtures/Provider.ts"
import { type Outcome, runOf } from "../support/fixtures/Run.ts"

/**
 * Every mapping against its fixtures, without HTTP or a database. `npx vitest run test/providers/Fixtures.test.ts -u` completes
 * drafts, which lack `canonical`, or `requests` of a write, or all of requests but their answers. It changes nothing that a
 * fixture states.
 */

const adapters = await Effect.runPromise(adaptersOf(providers))

/** The time of every read and write. */
const now = Date.UTC(2026, 2, 2, 9)
const nanos = BigInt(now) * 1_000_000n

/** A clock that stands still; a test clock for each of the hundreds of fixtures takes longer than all of them. */
const clock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => now,
  unsafeCurrentTimeNanos: () => nanos,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanos: Effect.succeed(nanos),
  sleep: () => Effect.void
}

/** Cases that every resource has. */
const usualCases = ["full", "minimal"]
const fewestCases = 3

/** Fields that fixtures do not state: one is false for most records, the other comes from the service. */
const unstated = ["remote_was_deleted", "created_at"]

type Run = NonNullable<ReturnType<typeof runOf>>

const expectedWrite = ({ refused = {}, requests = [], warnings = {} }: Write): Outcome => ({
  requests,
  warnings,
  refused
})

const withoutAnswers = (requests: ReadonlyArray<Exchange>) =>
  requests.map(({ answer: _, headers: __, ...sent }) => sent)

const completeWrite = (write: Write, { failure: _, ...outcome }: Outcome): Write => ({
  ...write,
  requests: outcome.requests,
  ...(Object.keys(outcome.warnings).length === 0 ? {} : { warnings: outcome.warnings }),
  ...(Object.keys(outcome.refused).length === 0 ? {} : { refused: outcome.refused })
})

const areDrafts = (requests: ReadonlyArray<Exchange>) => requests.some(({ request }) => request === undefined)

const isDraftWrite = ({ refused, requests }: Write) =>
  requests === undefined ? refused === undefined : areDrafts(requests)

const isDraft = ({ canonical, reads = [], writes = [] }: Fixture) =>
  canonical === undefined || areDrafts(reads) || writes.some(isDraftWrite)

/** Completes a draft in its file. */
const complete = Effect.fnUntraced(function* (path: string, fixture: Fixture, run: Run) {
  const { reads, record } = yield* run.canonical
  const canonical = fixture.canonical ?? record
  const writes = yield* Effect.forEach(fixture.writes ?? [], (write, i) =>
    Effect.gen(function* () {
      if (!isDraftWrite(write)) return write
      const outcome = yield* run.written(write)
      if (outcome.failure !== undefined) assert.fail(`${path}: ${write.operation} ${i}: ${outcome.failure}`)
      return completeWrite(write, outcome)
    })
  )
  const isRead = fixture.reads !== undefined && (fixture.canonical === undefined || areDrafts(fixture.reads))
  const whole = { ...fixture, ...(isRead ? { reads } : {}), canonical, ...(writes.length === 0 ? {} : { writes }) }
  writeFileSync(path, yield* Effect.promise(() => formatJson(path, JSON.stringify(whole, null, 2))))
})

/** Differences between a fixture and its canonical record, one per line. */
const checkRead = Effect.fnUntraced(function* (about: string, fixture: Fixture, run: Run) {
  if (fixture.canonical === undefined) return `${about}: the native record has no "canonical" counterpart`
  const { reads, record } = yield* run.canonical
  return report(about, [
    ...differencesOf(fixture.canonical, record),
    ...differencesOf(withoutAnswers(fixture.reads ?? []), withoutAnswers(reads), "reads")
  ])
})

/** Differences between the requests of a write and those that the fixture states, one per line. */
const checkWrite = Effect.fnUntraced(function* (about: string, write: Write, run: Run) {
  if (isDraftWrite(write)) return `${about}: the body has no "requests" counterpart`
  const { failure, ...outcome } = yield* run.written(write)
  if (failure !== undefined) return `${about}: ${failure}`
  const expected = expectedWrite(write)
  return report(
    about,
    differencesOf(
      { ...expected, requests: withoutAnswers(expected.requests) },
      { ...outcome, requests: withoutAnswers(outcome.requests) }
    )
  )
})

/** The test of one file. Starting a test costs more than checking a record, so a file is one test. */
const checkFixture = (adapter: ProviderAdapter, resource: Resource, { fixture: read, name, path }: FixtureFile) => {
  it.live(`${name}: the native record, the canonical record and the requests belong together`, ({ expect }) =>
    Effect.gen(function* () {
      const about = `${adapter.slug} ${resource.category}/${resource.name} ${name}`
      if (Either.isLeft(read)) return assert.fail(`${about}.json is no fixture: ${read.left}`)
      const fixture = read.right
      const run = runOf(adapter, resource, fixture)
      if (run === undefined) return assert.fail(`${about}: ${adapter.slug} has no ${resource.name}`)
      yield* Effect.gen(function* () {
        if (isDraft(fixture) && isUpdating(expect)) return yield* complete(path, fixture, run)
        const found = [
          yield* checkRead(about, fixture, run),
          ...(yield* Effect.forEach(fixture.writes ?? [], (write, i) =>
            checkWrite(`${about} ${write.operation} ${i}`, write, run)
          ))
        ].filter((problem) => problem !== "")
        if (found.length > 0) assert.fail(found.join("\n"))
      }).pipe(Effect.provide(run.services), Effect.withClock(clock))
    })
  )
}

/** Fields that no fixture of a resource has a value in, though the mapping reads or writes them. */
const unseen = (
  { slug }: ProviderAdapter,
  resource: Resource,
  resourceAdapter: ResourceAdapter,
  files: ReadonlyArray<FixtureFile>
) => {
  const { rows } = compile(slug, resource, resourceAdapter.mapping)
  const named = (access: "read" | "write") => [
    ...new Set(
      rows.flatMap((row) => (row.access === access || row.access === "both" ? [row.field.split("[")[0] ?? ""] : []))
    )
  ]
  const fixtures = files.flatMap(({ fixture }) => (Either.isRight(fixture) ? [fixture.right] : []))
  const read = new Set(fixtures.flatMap(({ canonical = {} }) => Object.keys(canonical)))
  const written = new Set(fixtures.flatMap(({ writes = [] }) => writes.flatMap(({ body = {} }) => Object.keys(body))))
  const isWritten = has(resourceAdapter, "create") || has(resourceAdapter, "patch")
  const isOpen = (name: string) => ["rw", "wo"].includes(resource.fields[name]?.access ?? "")
  const readable = new Set<string>(readableOf(resource))
  return {
    read: named("read").filter((name) => readable.has(name) && !read.has(name) && !unstated.includes(name)),
    written: isWritten ? named("write").filter((name) => isOpen(name) && !written.has(name)) : []
  }
}

for (const adapter of adapters) {
  describe(adapter.slug, () => {
    const files = fixturesOf(adapter.slug)
    const exceptions = exceptionsOf(adapter.slug)
    const resources = Object.keys(adapter.resources)

    it("has fixtures for every resource, and for no other", () => {
      const unknown = [...new Set(files.map(({ resource }) => resource))].filter((name) => !resources.includes(name))
      assert.deepStrictEqual(unknown, [], `${adapter.slug} has fixtures for resources that it does not have`)
      const missing = resources.filter(
        (name) => exceptions[name] === undefined && files.every(({ resource }) => resource !== name)
      )
      assert.deepStrictEqual(missing, [], `${adapter.slug} has no fixtures for these resources`)
    })

    for (const [name, resourceAdapter] of Object.entries(adapter.resources)) {
      const resource = find(adapter.category, name)
      const own = files.filter((file) => file.resource === name)
      if (resource === undefined || own.length === 0) continue
      describe(name, () => {
        it("has the usual cases and a value in every field", () => {
          const cases = own.map((file) => file.name)
          const expected = usualCases.filter((one) => exceptions[`${name}/${one}`] === undefined)
          const lacking = expected.filter((one) => !cases.includes(one))
          assert.deepStrictEqual(lacking, [], `${adapter.slug} ${name} has no fixture of this name`)
          if (exceptions[`${name}/count`] === undefined) {
            assert.isAtLeast(cases.length, fewestCases, `${adapter.slug} ${name} has too few fixtures`)
          }
          const { read, written } = unseen(adapter, resource, resourceAdapter, own)
          const isExcepted = (kind: string) => (field: string) => exceptions[`${name}/${kind}/${field}`] === undefined
          assert.deepStrictEqual(
            read.filter(isExcepted("read")),
            [],
            `${adapter.slug} ${name}: no fixture has a value in these fields`
          )
          assert.deepStrictEqual(
            written.filter(isExcepted("write")),
            [],
            `${adapter.slug} ${name}: no fixture writes these fields`
          )
        })
        for (const file of own) checkFixture(adapter, resource, file)
      })
    }
  })
}
