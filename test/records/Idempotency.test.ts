import { SqlClient, type SqlError } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { Faults, type Fault } from "../../src/providers/simulation/Faults.ts"
import {
  type Caller,
  type Doc,
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const nextTick = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

const contacts = "/crm/contact?provider=hubspot"
const deals = "/crm/deal?provider=hubspot"
const items = "/accounting/item?provider=quickbooks"

layer(sandboxApplication(), { timeout: "60 seconds" })("Idempotency-Key", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot", "quickbooks"]))

  const fails = (fault: Fault) => Effect.flatMap(Faults, (faults) => faults.add(fault))

  const keyed = ({ call }: Caller, key: string, body: Doc, method = "POST", path = contacts) =>
    call(method, path, { body, headers: { "idempotency-key": key } })

  const countOf = (one: Caller, name: string) =>
    Effect.map(walk(one.call, contacts), ({ records }) => records.filter(({ last_name }) => last_name === name).length)

  let hung = 0
  /** Forks a write of which a call keeps waiting, and returns when it does. */
  const waiting = Effect.fnUntraced(function* (
    which: Omit<Fault, "does">,
    ...[one, key, body, method, path]: Parameters<typeof keyed>
  ) {
    // each sleeps for a time of its own, by which it is known
    hung += 1
    const milliseconds = 20_000 - hung
    yield* fails({ ...which, does: { kind: "latency", milliseconds } })
    const until = (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) + milliseconds
    const fiber = yield* Effect.fork(keyed(one, key, body, method, path))
    yield* Effect.repeat(Effect.zipRight(nextTick, TestClock.sleeps()), {
      until: (sleeps) => [...sleeps].includes(until)
    })
    return fiber
  })

  /** Forks a write that its provider keeps waiting, and returns when it does. */
  const hanging = (one: Caller, key: string, body: Doc, method = "POST", path = contacts) =>
    waiting({ provider: "hubspot", method }, one, key, body, method, path)

  /** Forks a create that waits for what it has to look up, and returns when it does. */
  const unsent = (one: Caller, key: string, body: Doc) =>
    waiting({ provider: "hubspot", method: "GET", path: "pipelines" }, one, key, body, "POST", deals)

  const entries = Effect.map(SqlClient.SqlClient, (sql) => ({
    sql,
    newest: sql`select * from idempotency_entries order by created_at desc limit 1`
  }))

  /** Waits until a query finds something. */
  const until = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.repeat(Effect.zipRight(nextTick, query), { until: (rows) => rows.length > 0 })

  /** Leaves the entries of running writes as another process would that held them and died. */
  const lapse = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update idempotency_entries
      set lease_until = now() - interval '1 second', lease_id = dead.id,
        unsent_lease_id = case when unsent_lease_id = lease_id then dead.id end
      from (select gen_random_uuid() as id) as dead where answer is null`
  )

  it.effect("answers a repeat with the first answer, and does it once", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const first = yield* keyed(one, "k1", { last_name: "Once" })
      const again = yield* keyed(one, "k1", { last_name: "Once" })
      assert.deepStrictEqual([first.status, again.status], [201, 201])
      assert.deepStrictEqual(again.body, first.body)
      assert.isNull(first.headers.get("idempotency-replayed"))
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.notStrictEqual(again.headers.get("x-request-id"), first.headers.get("x-request-id"))
      assert.strictEqual(yield* countOf(one, "Once"), 1)
      const without = yield* one.call("POST", contacts, { body: { last_name: "Once" } })
      assert.strictEqual(without.status, 201)
      assert.strictEqual(yield* countOf(one, "Once"), 2)
    })
  )

  it.effect("belongs to one request of one end user of one organisation", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const one = yield* caller
      const made = recordOf(yield* keyed(one, "k2", { last_name: "Mine" }))
      for (const answer of [
        yield* keyed(one, "k2", { last_name: "Other" }),
        yield* keyed(one, "k2", { last_name: "Mine", first_name: null })
      ]) {
        assert.deepStrictEqual(refusalOf(answer), [409, "IDEMPOTENCY_CONFLICT"])
      }
      // another method or path is another request
      const path = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      assert.strictEqual((yield* keyed(one, "k2", { last_name: "Patched" }, "PATCH", path)).status, 200)
      assert.strictEqual(
        (yield* keyed(one, "k2", { name: "A company" }, "POST", "/crm/company?provider=hubspot")).status,
        201
      )
      const colleague = yield* app.caller(["hubspot"], { tenancy: one.tenancy })
      const stranger = yield* app.caller(["hubspot"], { endUser: one.endUser })
      for (const other of [colleague, stranger]) {
        const answer = yield* keyed(other, "k2", { last_name: "Mine" })
        assert.strictEqual(answer.status, 201)
        assert.isNull(answer.headers.get("idempotency-replayed"))
      }
    })
  )

  it.effect("keeps a definite refusal", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const body = { last_name: "Refused", owner: "nobody" }
      const first = yield* keyed(one, "k3", body)
      const again = yield* keyed(one, "k3", body)
      assert.deepStrictEqual(refusalOf(first), [422, "VALIDATION_FAILED"])
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const { requestId: _a, timestamp: _b, ...said } = failureOf(first)
      assert.deepInclude(again.body, said)
    })
  )

  it.effect("does not keep what may turn out otherwise", () =>
    Effect.gen(function* () {
      const one = yield* caller
      yield* fails({ provider: "hubspot", method: "POST", does: { kind: "limit", retryAfter: 60 } })
      assert.deepStrictEqual(refusalOf(yield* keyed(one, "k4", { last_name: "Limited" })), [429, "RATE_LIMITED"])
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* keyed(one, "k4", { last_name: "Limited" })).status, 201)
      const wrong = yield* one.call("POST", contacts, {
        body: { last_name: "x" },
        headers: { "idempotency-key": "k4", authorization: "Bearer sk_test_wrong" }
      })
      assert.strictEqual(wrong.status, 401)
    })
  )

  it.effect("after a failure that leaves it open says so, where the provider cannot tell", () =>
    Effect.gen(function* () {
      const one = yield* caller
      yield* fails({ provider: "hubspot", method: "POST", does: { kind: "drop", after: true } })
      assert.deepStrictEqual(refusalOf(yield* keyed(one, "k5", { last_name: "Open" })), [502, "PROVIDER_ERROR"])
      const again = yield* keyed(one, "k5", { last_name: "Open" })
      assert.deepStrictEqual(refusalOf(again), [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
      assert.strictEqual(yield* countOf(one, "Open"), 1)
    })
  )

  it.effect("after such a failure goes on where repeating is safe, and does it once", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const { records } = yield* walk(one.call, "/accounting/account?provider=quickbooks")
      const income = records.find(({ status, type }) => type === "INCOME" && status === "ACTIVE")
      const body = { name: "Made once", type: "SERVICE", sales_account: String(income?.id).replace("urn:uuid:", "") }
      const make = keyed(one, "k6", body, "POST", items)
      yield* fails({ provider: "quickbooks", method: "POST", does: { kind: "drop", after: true }, times: 3 })
      assert.deepStrictEqual(refusalOf(yield* make), [502, "PROVIDER_ERROR"])
      const made = yield* make
      assert.strictEqual(made.status, 201)
      assert.isNull(made.headers.get("idempotency-replayed"))
      const found = (yield* walk(one.call, items)).records.filter(({ name }) => name === "Made once")
      assert.strictEqual(found.length, 1)
      assert.strictEqual(recordOf(yield* make).remote_id, found[0]?.remote_id)
    })
  )

  it.effect("tells a repeat that the first is still running, and then its answer", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const first = yield* hanging(one, "k7", { last_name: "Slow" })
      const meanwhile = yield* keyed(one, "k7", { last_name: "Slow" })
      assert.deepStrictEqual(refusalOf(meanwhile), [409, "IDEMPOTENCY_CONFLICT"])
      const wait = Number(meanwhile.headers.get("retry-after"))
      assert.isTrue(wait > 5 && wait <= 10, `Retry-After: ${wait}`)
      assert.include(failureOf(meanwhile).message, "running")
      yield* TestClock.adjust("20 seconds")
      const answer = yield* Fiber.join(first)
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual((yield* keyed(one, "k7", { last_name: "Slow" })).body, answer.body)
      assert.strictEqual(yield* countOf(one, "Slow"), 1)
    })
  )

  it.effect("takes over from a request that died: an update goes on, a create is unknown", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const made = recordOf(yield* one.call("POST", contacts, { body: { last_name: "Died" } }))
      const path = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      const patch = yield* hanging(one, "k8", { first_name: "Second" }, "PATCH", path)
      yield* lapse
      assert.strictEqual(
        recordOf(yield* keyed(one, "k8", { first_name: "Second" }, "PATCH", path)).first_name,
        "Second"
      )
      const create = yield* hanging(one, "k9", { last_name: "Died too" })
      yield* lapse
      const unknown = yield* keyed(one, "k9", { last_name: "Died too" })
      assert.deepStrictEqual(refusalOf(unknown), [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(patch)
      assert.strictEqual((yield* Fiber.join(create)).status, 201)
      // it had lost its lease, and with it the right to say how it ended
      const still = yield* keyed(one, "k9", { last_name: "Died too" })
      assert.deepStrictEqual(refusalOf(still), [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
    })
  )

  it.effect("runs again after a request that died before it sent anything", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const { sql, newest } = yield* entries
      const first = yield* unsent(one, "k11", { name: "Not sent", stage: "appointmentscheduled" })
      const meanwhile = yield* keyed(one, "k11", { name: "Not sent", stage: "appointmentscheduled" }, "POST", deals)
      assert.deepStrictEqual(refusalOf(meanwhile), [409, "IDEMPOTENCY_CONFLICT"])
      yield* lapse
      const second = yield* Effect.fork(
        keyed(one, "k11", { name: "Not sent", stage: "appointmentscheduled" }, "POST", deals)
      )
      yield* until(sql`select 1 from (${newest}) as newest where lease_until > now()`)
      // the first was only slow, and both have what they waited for
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(second)).status, 201)
      assert.deepStrictEqual(refusalOf(yield* Fiber.join(first)), [409, "IDEMPOTENCY_CONFLICT"])
      const found = (yield* walk(one.call, deals)).records.filter(({ name }) => name === "Not sent")
      assert.lengthOf(found, 1)
    })
  )

  it.effect("runs again after a failure before it sent anything", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const body = { name: "Failed early", stage: "appointmentscheduled" }
      yield* fails({ provider: "hubspot", method: "GET", path: "pipelines", does: { kind: "half" } })
      assert.deepStrictEqual(refusalOf(yield* keyed(one, "k12", body, "POST", deals)), [502, "PROVIDER_ERROR"])
      const other = yield* keyed(one, "k12", { ...body, name: "Other" }, "POST", deals)
      assert.deepStrictEqual(refusalOf(other), [409, "IDEMPOTENCY_CONFLICT"])
      // what could not be looked up is looked up again after a second
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* keyed(one, "k12", body, "POST", deals)).status, 201)
    })
  )

  it.effect("does not run again what version 0.1.0 left, which does not say whether it was sent", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const body = { name: "Of 0.1.0", stage: "appointmentscheduled" }
      const first = yield* unsent(one, "k13", body)
      yield* lapse
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update idempotency_entries set lease_id = gen_random_uuid() where answer is null`
      )
      const again = yield* keyed(one, "k13", body, "POST", deals)
      assert.deepStrictEqual(refusalOf(again), [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(first)
    })
  )

  it.effect("answers what was done while the database does not take it, and keeps it later", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const { sql, newest } = yield* entries
      yield* sql`alter table idempotency_entries add constraint refuses check (answer is null) not valid`
      const first = yield* keyed(one, "k14", { last_name: "Kept later" })
      assert.strictEqual(first.status, 201)
      yield* sql`alter table idempotency_entries drop constraint refuses`
      yield* until(
        Effect.zipRight(TestClock.adjust("1 second"), sql`select 1 from (${newest}) as newest where answer is not null`)
      )
      const again = yield* keyed(one, "k14", { last_name: "Kept later" })
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.deepStrictEqual(again.body, first.body)
    })
  )

  full(it).effect("holds on to its lease while it runs", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const { sql, newest } = yield* entries
      const first = yield* hanging(one, "k15", { last_name: "Long" })
      yield* sql`update idempotency_entries set lease_until = now() - interval '1 second'`
      yield* until(sql`select 1 from (${newest}) as newest where lease_until > now()`)
      assert.deepStrictEqual(refusalOf(yield* keyed(one, "k15", { last_name: "Long" })), [409, "IDEMPOTENCY_CONFLICT"])
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(first)).status, 201)
    })
  )

  it.effect("is one of many at once: one does it, the others wait or get the answer", () =>
    Effect.gen(function* () {
      const one = yield* caller
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, () => keyed(one, "k10", { last_name: "Crowd" })),
        { concurrency: "unbounded" }
      )
      for (const { status } of answers) assert.include([201, 409], status)
      assert.strictEqual(yield* countOf(one, "Crowd"), 1)
    })
  )
})
