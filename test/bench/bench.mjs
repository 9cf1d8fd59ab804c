/**
 * `npm run bench`: the service as it is built, against a provider that answers from memory and against the same call
 * written by hand, in one run. It is a measure, not a test: a missed budget is said, and the exit code stays 0.
 *
 *     node test/bench/bench.mjs [--json]
 *
 * BENCH_DATABASE_URL names a PostgreSQL server on which a database may be made and dropped; without one that answers,
 * what needs PostgreSQL is not measured. Everything listens on 127.0.0.1, and ends with the run.
 */
import { randomBytes } from "node:crypto"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { availableParallelism, cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { measureFairness, tenants } from "./fairness.mjs"
import { ask, end, endAll, freePort, get, next, output, sleep, start } from "./processes.mjs"
import { program, programs } from "./program.mjs"
import { refusals, refusalTable } from "./refusal.mjs"
import { drawn, table } from "./report.mjs"
import { sqlProxy } from "./sqlProxy.mjs"
import { measureWatches } from "./watches.mjs"
import { measureWebhooks } from "./webhooks.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const here = (name) => join(root, "test/bench", name)
const scratch = mkdtempSync(join(tmpdir(), "tributary-bench-"))

/** A connection may make only so many calls at once, so the load is spread over the connections of many end users. */
const users = Array.from({ length: 16 }, (_, n) => `user-${n}`)
const fanOuts = [1, 2, 4]
/** Milliseconds the provider takes in the fan-out. */
const delay = 50
const callers = [1, 16, 64]

const say = (text) => process.stderr.write(`${text}\n`)
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const times = async (count, run) => {
  const results = []
  for (let i = 0; i < count; i += 1) results.push(await run(i))
  return results
}

// ---------------------------------------------------------------------------------------------------------------------
// the processes

const address = process.env.BENCH_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres"
const database = `tributary_bench_${randomBytes(6).toString("hex")}`
const encryptionKeys = `bench:${randomBytes(32).toString("base64")}`

const onDatabase = (host) => {
  const url = new URL(address)
  if (host !== undefined) url.host = host
  url.pathname = database
  return { DATABASE_URL: url.href, ENCRYPTION_KEYS: encryptionKeys }
}
const embedded = { DATA_DIR: join(scratch, "data"), ENCRYPTION_KEYS: encryptionKeys }

/** Starts the built service; gives the process, its port and the milliseconds until it was ready. */
const serve = async (env, { cwd = root, built = join(root, "dist/main.js") } = {}) => {
  const port = await freePort()
  const started = performance.now()
  const child = start(["--import", here("probe.mjs"), built], {
    cwd,
    env: { HOST: "127.0.0.1", PORT: String(port), RATE_LIMIT: "0", ...env }
  })
  for (;;) {
    const { status } = await Promise.race([get(port, "/health/ready"), child.failure])
    if (status === 200) return { child, port, ready: performance.now() - started }
    await sleep(5)
  }
}

const readyAfter = async (env) => {
  const { child, ready } = await serve(env)
  await end(child)
  return ready
}

const peakMemory = async (child, work) => {
  let peak = 0
  let done = false
  const watched = work().finally(() => (done = true))
  while (!done) {
    peak = Math.max(peak, (await ask(child, "use")).rss)
    await sleep(100)
  }
  await watched
  return peak
}

// ---------------------------------------------------------------------------------------------------------------------
// the figures

/** One line of the table; `least` where more is better. Without a budget it is for information. */
const figures = []
const note = (name, measured, { budget, digits = 0, least = false, unit = "ms" } = {}) => {
  figures.push({ name, measured, budget, digits, least, unit })
  const shown = measured === undefined ? "not measured" : `${measured.toFixed(digits)} ${unit}`
  say(`  ${name}: ${shown}`)
}

const measureStarts = async (name, env, budget) => {
  say(`start, ${name}`)
  const first = await readyAfter(env)
  note(`start to ready, ${name}, median of 5`, median(await times(5, () => readyAfter(env))), { budget })
  note(`start to ready, ${name}, the very first`, first)
}

/** The first `npm start` on a fresh clone: the build, then the start. In a copy, so that this one stays as it is. */
const measureFirstStart = async () => {
  say("the very first start, build included")
  const copy = join(scratch, "clone")
  mkdirSync(copy)
  for (const name of ["src", "templates", ".build", "package.json", "package-lock.json"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const started = performance.now()
  await output([join(copy, ".build/build.mjs")])
  const { child } = await serve({ DATA_DIR: join(scratch, "first") }, { cwd: copy, built: join(copy, "dist/main.js") })
  const ready = performance.now() - started
  await end(child)
  note("first npm start, build included", ready / 1000, { budget: 20, digits: 1, unit: "s" })
}

const listPath = "/api/v1/crm/contact?provider=hubspot&limit=100"
const headersOf = (key, user) => ({ authorization: `Bearer ${key}`, "x-end-user-id": user })

/** Both answer the same records, or the comparison means nothing. */
const compare = async (server, baseline, key) => {
  const read = async (port) => {
    const { status, text } = await get(port, listPath, headersOf(key, users[0]))
    if (status !== 200) throw new Error(`a list answers ${status}: ${text.slice(0, 500)}`)
    return JSON.parse(text).data.data
  }
  const [ours, theirs] = [await read(server.port), await read(baseline.port)]
  if (!isDeepStrictEqual(ours, theirs)) {
    const odd = ours.findIndex((record, i) => !isDeepStrictEqual(record, theirs[i]))
    throw new Error(
      `the baseline answers other records: ${JSON.stringify(ours[odd])} is there ${JSON.stringify(theirs[odd])}`
    )
  }
}

const measureCalls = async ({ baseline, key, load, server, upstream }) => {
  const headers = users.map((user) => headersOf(key, user))
  const query = `/crm/v3/objects/contacts?limit=100`
  const targets = {
    provider: { port: upstream.port, path: query },
    tributary: { port: server.port, path: listPath, child: server.child },
    baseline: { port: baseline.port, path: listPath, child: baseline.child }
  }
  const round = async (name, count, milliseconds) => {
    const { child, path, port } = targets[name]
    const before = child === undefined ? undefined : await ask(child, "use")
    const origin = `http://127.0.0.1:${port}`
    const result = await ask(load, { origin, path, headers, callers: count, milliseconds })
    const after = child === undefined ? undefined : await ask(child, "use")
    if (result.failures > 0) say(`  ${name} at ${count} callers: ${result.failures} calls FAILED`)
    return { ...result, cpu: after === undefined ? Number.NaN : (after.cpu - before.cpu) / result.requests }
  }
  const typical = (rounds) =>
    Object.fromEntries(
      ["perSecond", "p50", "p99", "cpu"].map((figure) => [figure, median(rounds.map((one) => one[figure]))])
    )

  say("warm-up")
  for (const name of ["tributary", "baseline", "tributary", "baseline"]) await round(name, 16, 2000)

  const bars = []
  for (const count of callers) {
    say(`the list of 100 contacts, ${count} at once`)
    const rounds = { provider: [], tributary: [], baseline: [] }
    // by turns, so that what else the machine does meets all of them
    await times(3, async () => {
      for (const name of Object.keys(rounds)) {
        if (name !== "provider" || count === 1) rounds[name].push(await round(name, count, 2000))
      }
    })
    const ours = typical(rounds.tributary)
    const plain = typical(rounds.baseline)
    if (count === 1) {
      const provider = typical(rounds.provider)
      note("list, 1 caller: p50 added to the provider's", ours.p50 - provider.p50, { budget: 3, digits: 2 })
      note("  the provider's own p50", provider.p50, { digits: 2 })
      note("  p50 the baseline adds", plain.p50 - provider.p50, { digits: 2 })
    }
    const ratio = { budget: 0.6, digits: 2, least: true, unit: "x" }
    note(`list, ${count} at once: throughput to baseline's`, ours.perSecond / plain.perSecond, ratio)
    note("  p50", ours.p50, { digits: 2 })
    note("  p99", ours.p99, { digits: 2 })
    note("  processor time a call", ours.cpu, { digits: 2 })
    note("  processor time a call, baseline", plain.cpu, { digits: 2 })
    bars.push([
      `${count} at once`,
      [
        ["tributary", ours.perSecond],
        ["baseline", plain.perSecond]
      ]
    ])
  }
  return bars
}

const measureFanOut = async ({ key, load, server, upstream }) => {
  say("fan-out")
  const round = (port, path, headers) =>
    ask(load, { origin: `http://127.0.0.1:${port}`, path, headers: [headers], callers: 1, milliseconds: 2000 })
  const slow = { authorization: `Bearer delay-${delay}` }
  const provider = await round(upstream.port, "/crm/v3/objects/contacts?limit=100", slow)
  for (const count of fanOuts) {
    const { failures, p50 } = await round(
      server.port,
      "/api/v1/crm/contact?limit=100",
      headersOf(key, `fan-out-${count}`)
    )
    if (failures > 0) say(`  ${failures} calls FAILED`)
    note(`fan-out over ${count}, p50, slowest provider's is ${provider.p50.toFixed(1)}`, p50, {
      budget: provider.p50 * 1.15,
      digits: 1
    })
  }
}

/** Measures the cost of a list while others' calls hang at the same provider. */
const measureShares = async (server, prepare, env) => {
  say("fairness")
  const keys = {}
  for (const [name, users] of Object.entries(tenants)) {
    keys[name] = (await output([prepare, "tenants", JSON.stringify(users), name], { env })).key
  }
  for (const { loaded, name, quiet, ratio } of await measureFairness(server.port, keys)) {
    note(`p95 while ${name}, to its quiet value`, ratio, { budget: 2, digits: 2, unit: "x" })
    note("  p95", loaded, { digits: 1 })
    note("  p95 when quiet", quiet, { digits: 1 })
  }
}

/** Statements of a call, by age of what the service remembers. */
const measureSql = async (key, upstreamEnv) => {
  say("SQL")
  const { hostname, port } = new URL(address)
  const proxy = await sqlProxy(hostname, Number(port || 5432))
  const { child, port: ours } = await serve({ ...onDatabase(`127.0.0.1:${proxy.port}`), ...upstreamEnv })
  const call = () => get(ours, listPath, headersOf(key, users[0]))
  const counted = async (calls) => {
    const from = proxy.statements.length
    await times(calls, call)
    // looks for deliveries come once a second, whoever calls
    const made = proxy.statements.slice(from).filter((text) => !text.includes("webhook_deliveries"))
    const reads = made.filter((text) => /^\s*select\b/i.test(text))
    return { reads: reads.length, writes: made.length - reads.length }
  }
  await times(5, call)
  const warm = await counted(20)
  await sleep(1500)
  const stale = await counted(1)
  await end(child)
  proxy.close()
  note("SQL reads of 20 calls, caches warm", warm.reads, { budget: 0, unit: "" })
  note("SQL reads of a call a second later", stale.reads, { budget: 2, unit: "" })
  note("SQL writes of those 21 calls", warm.writes + stale.writes, { budget: 0, unit: "" })
}

/** Cost of 1,000 idle watched connections in a minute, and of telling when all of them change. */
const measureFollowing = async (prepare, env) => {
  say("watches")
  const tenants = (users) => output([prepare, "tenants", JSON.stringify(users), "Watching"], { env })
  const url = env.DATABASE_URL
  const measured = await measureWatches({ serve: (more) => serve({ ...env, ...more }), tenants, url })
  const { connections, cpu, events, idle } = measured
  note(`${connections} idle watched connections, polled each minute: calls a minute`, idle.calls, { unit: "" })
  note("  SQL statements a minute", idle.sql, { unit: "" })
  note("  processor time a minute", idle.cpu)
  note("watches: events told, all connections changing", events, { unit: "a second" })
  note("  processor time an event", cpu, { digits: 2 })
}

const measureInformation = async (server) => {
  say("for information")
  const timed = async (work) => {
    const started = performance.now()
    await work()
    return performance.now() - started
  }
  note("OpenAPI document, first time", await timed(() => get(server.port, "/api/v1/openapi.json")))
  const compiler = join(root, "node_modules/@typescript/native/bin/tsc")
  note(
    "type-check, from nothing",
    await timed(() => output([compiler, "--noEmit", "-p", root, "--incremental", "false"], { optional: true }))
  )
}

const measureRefusals = async () => {
  say("hostile requests")
  const folder = join(scratch, "refusals")
  mkdirSync(folder)
  const rows = await refusals(folder)
  note("hostile requests: longest block of the event loop", Math.max(...rows.map(({ blocked }) => blocked)), {
    budget: 100
  })
  return rows
}

// ---------------------------------------------------------------------------------------------------------------------

const run = async () => {
  say("preparing")
  const [prepare, mapping, speed] = await Promise.all([program("prepare"), program("mapping"), program("speed")])
  // the embedded database looks for its thread beside the program
  cpSync(join(root, "src/platform/EmbeddedWorker.mjs"), join(programs, "EmbeddedWorker.mjs"))
  const upstream = start([here("upstream.mjs")])
  const load = start([here("load.mjs")])
  upstream.port = (await next(upstream)).port
  await next(load)
  const upstreamEnv = { PROVIDER_HUBSPOT_BASE_URL: `http://127.0.0.1:${upstream.port}` }

  const { microseconds } = await output([mapping])
  note("mapping of 30 fields", microseconds, { budget: 5, digits: 2, unit: "us a record" })
  const { search, suggestion } = await output([speed])
  note("tool search over 500 tools, p99", search, { budget: 10, digits: 1 })
  note("suggestion of a field among 1,000", suggestion, { budget: 100, digits: 1 })
  const { start: testStart } = await output([here("testApplication.mjs")])
  note("start of a test application, processor time", testStart, { budget: 300 })

  const hasServer =
    (await output([prepare, "create", database], { env: { BENCH_DATABASE_URL: address }, optional: true })) === true
  const env = hasServer ? onDatabase() : embedded
  try {
    await measureFirstStart()
    await measureStarts("embedded", embedded, 3000)
    if (hasServer) await measureStarts("PostgreSQL", env, 1500)
    else note("start to ready, PostgreSQL, median of 5", undefined, { budget: 1500 })

    const wanted = [
      ...users.map((user) => [user, "token"]),
      ...fanOuts.flatMap((count) => Array.from({ length: count }, () => [`fan-out-${count}`, `delay-${delay}`]))
    ]
    const { connection, key } = await output([prepare, "tenants", JSON.stringify(wanted)], { env })

    if (hasServer) await measureSql(key, upstreamEnv)
    else note("SQL reads of 20 calls, caches warm", undefined, { budget: 0, unit: "" })

    say("memory")
    const idle = async (server) => {
      await sleep(3000)
      return (await ask(server.child, "use")).rss
    }
    const onEmbedded = await serve(embedded)
    note("memory idle, embedded", await idle(onEmbedded), { budget: 400, unit: "MB" })
    await end(onEmbedded.child)

    const server = await serve({ ...env, ...upstreamEnv, ALLOW_PRIVATE_HOSTS: "127.0.0.1" })
    note("memory idle, PostgreSQL", hasServer ? await idle(server) : undefined, { budget: 180, unit: "MB" })

    const baseline = start([
      "--import",
      here("probe.mjs"),
      here("baseline.mjs"),
      `http://127.0.0.1:${upstream.port}`,
      connection,
      "token"
    ])
    const { port } = await next(baseline)
    const all = { baseline: { child: baseline, port }, key, load, server, upstream }
    await compare(server, all.baseline, key)
    const bars = await measureCalls(all)
    await measureFanOut(all)
    await measureShares(server, prepare, env)

    say("events")
    const { delivered, told } = await measureWebhooks(server.port, prepare, env)
    note("events told, 100 in a transaction", told, { unit: "a second" })
    note("events delivered beside 10,000 that hang", delivered, { unit: "a second" })

    say("memory, 200 callers")
    const crowd = {
      origin: `http://127.0.0.1:${server.port}`,
      path: listPath,
      headers: users.map((user) => headersOf(key, user)),
      callers: 200,
      milliseconds: 5000
    }
    const peak = hasServer ? await peakMemory(server.child, () => ask(load, crowd)) : undefined
    note("memory under 200 callers, PostgreSQL", peak, { budget: 300, unit: "MB" })
    await measureInformation(server)
    await end(server.child)
    if (hasServer) await measureFollowing(prepare, env)
    return { bars, refused: await measureRefusals(), calls: countCalls() }
  } finally {
    await endAll()
    if (hasServer) await output([prepare, "drop", database], { env: { BENCH_DATABASE_URL: address } })
  }
}

/** Calls to the providers for each of ours, counted at the simulators: writes the table of the documentation again. */
const countCalls = () => {
  say("calls to the providers")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const { status } = spawnSync(process.execPath, [vitest, "run", "test/contract/Calls.full.test.ts"], {
    cwd: root,
    env: { ...process.env, CALLS: "write" }
  })
  if (status !== 0)
    return "Calls to the providers are over their budgets: npx vitest run test/contract/Calls.full.test.ts says which."
  return readFileSync(join(root, "docs/upstream-calls.md"), "utf8")
}

const clean = () => rmSync(scratch, { recursive: true, force: true })
const stop = (reason) => {
  say(reason)
  void endAll().finally(() => {
    clean()
    process.exit(1)
  })
}
process.once("SIGINT", () => stop("interrupted"))
process.once("SIGTERM", () => stop("interrupted"))
setTimeout(() => stop("the benchmark took longer than 10 minutes"), 600_000).unref()

const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? "processor"}, Node ${process.versions.node}`
try {
  const { bars, calls, refused } = await run()
  if (process.argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ machine, figures, bars, refused }, null, 2)}\n`)
  else process.stdout.write(`${table(figures)}\n\n${drawn(bars)}\n\n${refusalTable(refused)}\n\n${calls}\n${machine}\n`)
} finally {
  clean()
}
process.exit(0)
