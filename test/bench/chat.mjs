/**
 * Chat under load: so many conversations on one process of the built service, answered by a model that takes its time; once
 * all begun at the same moment, and once after one another. Ends by itself, with 1 when an answer did not come whole.
 *
 *     node test/bench/chat.mjs [streams, 1000]
 *
 * BENCH_DATABASE_URL names a PostgreSQL server on which a database may be made and dropped; without one the embedded
 * database is used. Everything listens on 127.0.0.1.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import { availableParallelism, cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "pg"
import { ask, end, endAll, freePort, get, next, output, sleep, start } from "./processes.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const self = fileURLToPath(import.meta.url)

/** Milliseconds of the model before its first word and between two, and words of an answer. */
const model = { first: 1000, pause: 2000, words: 14 }
const least = model.first + (model.words - 1) * model.pause

/** Milliseconds over which the conversations begin; an answer takes longer, so all are open at once. */
const ramps = { burst: 0, ramp: 20_000 }

/** Turns that one organisation may have at a time. */
const turnsAtATime = 100

/** Milliseconds after which something hangs: it takes half of that. */
const longest = 300_000

// ---------------------------------------------------------------------------------------------------------------------
// the model, in a process of its own

const answer = (response) => {
  const send = (choice) => response.write(`data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
  let said = 0
  const speak = () => {
    send({ index: 0, delta: { role: "assistant", content: `word${said} ` }, finish_reason: null })
    said += 1
    if (said < model.words) return setTimeout(speak, model.pause)
    send({ index: 0, delta: {}, finish_reason: "stop" })
    return response.end("data: [DONE]\n\n")
  }
  setTimeout(speak, model.first)
}

if (process.argv[2] === "model") {
  const server = createServer((incoming, response) => incoming.resume().on("end", () => answer(response)))
  server.listen(0, "127.0.0.1", 4096, () => process.send?.({ port: server.address().port }))
  process.on("disconnect", () => process.exit())
} else {
  await main()
}

// ---------------------------------------------------------------------------------------------------------------------
// the callers

/** One turn, read to its end. Times in milliseconds; `outcome`: every word came and the end, some of it, or nothing. */
function talk(port, { key, workspace }) {
  return new Promise((resolve) => {
    const sent = performance.now()
    const headers = {
      authorization: `Bearer ${key}`,
      "x-end-user-id": "user",
      "content-type": "application/json"
    }
    const path = `/api/v1/mcp/${workspace}/chat`
    let text = ""
    let first
    const done = (status, failure) => {
      const words = text.match(/"delta":"word\d+ "/g)?.length ?? 0
      const isWhole = words === model.words && text.endsWith("data: [DONE]\n\n")
      const outcome = status !== 200 ? "lost" : isWhole ? "whole" : "incomplete"
      resolve({ outcome, first, total: performance.now() - sent, status, words, failure, end: text.slice(-300) })
    }
    request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk
        if (first === undefined && text.includes("word0")) first = performance.now() - sent
      })
      response.on("error", ({ code }) => done(200, code)).on("end", () => done(response.statusCode))
    })
      .on("error", ({ code }) => done(0, code))
      .end(JSON.stringify({ message: "Tell me something long." }))
  })
}

function at(values, share) {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

/** So many turns, begun within a time, and what they took. Memory in MB, `resident` from which it grew. */
async function load(server, streams, ramp, begin) {
  const before = await ask(server, "use")
  let peak = before.rss
  let running = true
  const watched = (async () => {
    while (running) {
      peak = Math.max(peak, (await ask(server, "use")).rss)
      await sleep(200)
    }
  })()
  const turns = await Promise.all(
    Array.from({ length: streams }, async (_, i) => {
      await sleep((ramp * i) / streams)
      return begin(i)
    })
  )
  running = false
  await watched
  const after = await ask(server, "use")
  const count = (outcome) => turns.filter((turn) => turn.outcome === outcome).length
  const whole = turns.filter(({ outcome }) => outcome === "whole")
  const spread = (of) => {
    const values = whole.map(of)
    return { p50: Math.round(at(values, 0.5)), p99: Math.round(at(values, 0.99)) }
  }
  return {
    begunWithin: ramp,
    lost: count("lost"),
    incomplete: count("incomplete"),
    millisecondsAddedToTheFirstWord: spread(({ first }) => first - model.first),
    millisecondsAddedToTheTurn: spread(({ total }) => total - least),
    processorMillisecondsATurn: Math.round(((after.cpu - before.cpu) / streams) * 10) / 10,
    resident: Math.round(before.rss),
    residentPeak: Math.round(peak),
    megabytesAStream: Math.round(((peak - before.rss) / streams) * 1000) / 1000,
    odd: turns.find(({ outcome }) => outcome !== "whole")
  }
}

async function main() {
  const streams = Number(process.argv[2] ?? 1000)
  const scratch = mkdtempSync(join(tmpdir(), "tributary-chat-"))
  const say = (text) => process.stderr.write(`${text}\n`)
  const limit = setTimeout(() => {
    say(`the benchmark took longer than ${longest / 1000} s`)
    void endAll().finally(() => process.exit(1))
  }, longest)

  const address = process.env.BENCH_DATABASE_URL
  const database = `tributary_chat_${randomBytes(6).toString("hex")}`
  const onServer = async (statement) => {
    if (address === undefined) return
    const client = new Client(address)
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  const place =
    address === undefined
      ? { DATA_DIR: join(scratch, "data") }
      : {
          DATABASE_URL: Object.assign(new URL(address), { pathname: database }).href,
          ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64")}`
        }

  const results = {}
  try {
    await onServer(`create database ${database}`)
    const upstream = start([self, "model"])
    const env = {
      ...place,
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      RATE_LIMIT: "0",
      LOG_LEVEL: "warn",
      LLM_PROVIDER: "openai-compatible",
      LLM_MODEL: "slow",
      LLM_BASE_URL: `http://127.0.0.1:${(await next(upstream)).port}/v1`
    }
    const port = Number(env.PORT)
    const server = start(["--import", join(root, "test/bench/probe.mjs"), join(root, "dist/main.js")], {
      cwd: root,
      env
    })
    while ((await Promise.race([get(port, "/health/ready"), server.failure])).status !== 200) await sleep(20)

    const cli = (...args) => output([join(root, "dist/cli.js"), ...args, "--json"], { env: { ...process.env, ...env } })
    const tenant = async (_, i) => {
      const organisation = `Bench ${i}`
      await cli("organisations", "create", "--name", organisation)
      const { key } = await cli("keys", "create", "--organisation", organisation, "--environment", "sandbox")
      const made = await fetch(`http://127.0.0.1:${port}/api/v1/mcp/workspaces`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Bench" })
      })
      return { key, workspace: (await made.json()).data.id }
    }
    const tenants = await Promise.all(Array.from({ length: Math.ceil(streams / turnsAtATime) + 1 }, tenant))
    // turns that still run would take places of the measured ones
    const warm = tenants.pop()
    for (let i = 0; i < 10; i += 1) void talk(port, warm)
    await sleep(3000)
    const begin = (i) => talk(port, tenants[i % tenants.length])

    for (const [name, ramp] of Object.entries(ramps)) {
      say(`${streams} streams, begun within ${ramp} ms, each ${model.words} words in ${least} ms`)
      const { odd, ...result } = await load(server, streams, ramp, begin)
      results[name] = result
      if (odd !== undefined) say(`one that did not come whole: ${JSON.stringify(odd)}`)
    }
    const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? "processor"}, Node ${process.versions.node}`
    const kind = address === undefined ? "embedded" : "PostgreSQL"
    process.stdout.write(`${JSON.stringify({ streams, ...results, database: kind, machine }, null, 2)}\n`)
    await end(server)
  } finally {
    clearTimeout(limit)
    await endAll()
    await onServer(`drop database if exists ${database} with (force)`)
    rmSync(scratch, { recursive: true, force: true })
  }
  process.exit(Object.values(results).every(({ incomplete, lost }) => incomplete === 0 && lost === 0) ? 0 : 1)
}
