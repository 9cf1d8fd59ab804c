/**
 * Chat under load: so many conversations at once on one process of the built service, answered by a model that takes its
 * time. Ends by itself.
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
const model = { first: 1000, pause: 3000, words: 30 }
/** Milliseconds over which the conversations begin: all of them are open at once for most of their time. */
const ramp = 60_000
const least = model.first + (model.words - 1) * model.pause

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

/** One turn, read to its end. Times in milliseconds; `isWhole`: every word came, and the end. */
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
    let begun
    let first
    const done = (status) => {
      const words = text.match(/"delta":"word\d+ "/g)?.length ?? 0
      const isWhole = status === 200 && words === model.words && text.endsWith("data: [DONE]\n\n")
      resolve({ begun, first, total: performance.now() - sent, isWhole, status, end: text.slice(-300) })
    }
    request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk
        begun ??= performance.now() - sent
        if (first === undefined && text.includes("word0")) first = performance.now() - sent
      })
      response.on("error", () => done(0)).on("end", () => done(response.statusCode))
    })
      .on("error", () => done(0))
      .end(JSON.stringify({ message: "Tell me something long." }))
  })
}

async function main() {
  const streams = Number(process.argv[2] ?? 1000)
  const scratch = mkdtempSync(join(tmpdir(), "tributary-chat-"))
  const say = (text) => process.stderr.write(`${text}\n`)
  const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
  const limit = setTimeout(() => {
    say("the benchmark took longer than 5 minutes")
    void endAll().finally(() => process.exit(1))
  }, 300_000)

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

    // an organisation has only so many turns at a time
    const cli = (...args) => output([join(root, "dist/cli.js"), ...args, "--json"], { env: { ...process.env, ...env } })
    const tenants = []
    for (let i = 0; i < Math.ceil(streams / 100); i += 1) {
      const organisation = `Bench ${i}`
      await cli("organisations", "create", "--name", organisation)
      const { key } = await cli("keys", "create", "--organisation", organisation, "--environment", "sandbox")
      const made = await fetch(`http://127.0.0.1:${port}/api/v1/mcp/workspaces`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Bench" })
      })
      tenants.push({ key, workspace: (await made.json()).data.id })
    }

    await Promise.all(Array.from({ length: 20 }, (_, i) => talk(port, tenants[i % tenants.length])))
    await sleep(1000)
    const before = await ask(server, "use")
    let peak = before.rss
    let running = true
    const watched = (async () => {
      while (running) {
        peak = Math.max(peak, (await ask(server, "use")).rss)
        await sleep(200)
      }
    })()
    say(`${streams} streams, begun within ${ramp} ms, each ${model.words} words in ${least} ms`)
    const talkLater = async (i) => {
      await sleep((ramp * i) / streams)
      return talk(port, tenants[i % tenants.length])
    }
    const turns = await Promise.all(Array.from({ length: streams }, (_, i) => talkLater(i)))
    running = false
    await watched
    const after = await ask(server, "use")

    const whole = turns.filter(({ isWhole }) => isWhole)
    const spread = (of) => {
      const values = whole.map(of)
      return { p50: Math.round(at(values, 0.5)), p99: Math.round(at(values, 0.99)) }
    }
    const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? "processor"}, Node ${process.versions.node}`
    const result = {
      streams,
      lost: streams - whole.length,
      millisecondsToTheStream: spread(({ begun }) => begun),
      millisecondsAddedToTheFirstWord: spread(({ first }) => first - model.first),
      millisecondsAddedToTheTurn: spread(({ total }) => total - least),
      processorMillisecondsATurn: Math.round(((after.cpu - before.cpu) / streams) * 10) / 10,
      memoryBefore: Math.round(before.rss),
      memoryPeak: Math.round(peak),
      database: address === undefined ? "embedded" : "PostgreSQL",
      machine
    }
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    const odd = turns.find(({ isWhole }) => !isWhole)
    if (odd !== undefined) say(`one that was lost: ${JSON.stringify(odd)}`)
    await end(server)
  } finally {
    clearTimeout(limit)
    await endAll()
    await onServer(`drop database if exists ${database} with (force)`)
    rmSync(scratch, { recursive: true, force: true })
  }
  process.exit(0)
}
