/**
 * Refusing is cheap: for each of a list of hostile requests, the longest time for which it keeps the event loop of the built
 * service from everything else, and the bytes that it is answered.
 *
 *     node test/bench/refusal.mjs [part of a name]
 *
 * Of several rounds the best counts: what a request costs comes again, what else the machine does does not. For the same
 * reason nothing counts as longer than the processor time that the service used meanwhile.
 */
import { build } from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { availableParallelism, cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { ask, end, endAll, freePort, get, sleep, start } from "./processes.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const here = (name) => join(root, "test/bench", name)

/** Milliseconds of the event loop that one request may take. */
const budget = 100
const rounds = 3

const send = (port, { body, headers = {}, method, path }, more = {}) =>
  new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const sent = request({ host: "127.0.0.1", port, method, path, headers: { ...more, ...headers, ...length } })
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      response.on("close", () => resolve({ status: response.statusCode, text }))
    })
    sent.on("error", () => resolve({ status: 0, text: "" }))
    sent.end(body)
  })

const bodies = async (scratch) => {
  const outfile = join(scratch, "HostileBodies.mjs")
  await build({ entryPoints: [here("HostileBodies.ts")], outfile, format: "esm", platform: "node" })
  return import(pathToFileURL(outfile).href)
}

const json = { "content-type": "application/json" }

/** The service as it starts for the first time, with the key and the accounts of its sandbox. */
const serve = async (scratch) => {
  const env = { DATA_DIR: join(scratch, "data"), RATE_LIMIT: "0", HOST: "127.0.0.1", PORT: String(await freePort()) }
  const port = Number(env.PORT)
  const child = start(["--import", here("loopProbe.mjs"), join(root, "dist/main.js")], { env, stdout: "pipe" })
  let printed = ""
  child.stdout.on("data", (chunk) => (printed = (printed + chunk).slice(-20_000)))
  while ((await Promise.race([get(port, "/health/ready"), child.failure])).status !== 200) await sleep(20)
  while (!/sk_test_\w+/.test(printed)) await sleep(20)
  const authorization = { authorization: `Bearer ${/sk_test_\w+/.exec(printed)[0]}`, "x-end-user-id": "demo" }
  const made = async (path, body) => {
    const one = { method: "POST", path, body: JSON.stringify(body), headers: json }
    const { status, text } = await send(port, one, authorization)
    if (status !== 201) throw new Error(`${path} answers ${status}: ${text}`)
    return JSON.parse(text).data
  }
  const workspace = await made("/api/v1/mcp/workspaces", { name: "Benchmark" })
  const session = await made("/api/v1/connect/token", { endUserId: "demo" })
  return { child, port, authorization, workspace: workspace.id, token: session.token }
}

/** Figures of one request: the best of some rounds, which are started with nothing else going on. */
const measured = async ({ authorization, child, port, token }, one) => {
  const headers = one.token === true ? { authorization: `Bearer ${token}` } : authorization
  const results = []
  for (let round = 0; round < rounds; round += 1) {
    await ask(child, "use")
    // the histogram measures from its first tick on
    await sleep(10)
    const answer = await send(port, one, headers)
    await sleep(20)
    const { blocked, cpu } = await ask(child, "use")
    results.push({ blocked: Math.min(blocked, cpu), cpu, ...answer })
  }
  const best = (figure) => Math.min(...results.map((result) => result[figure]))
  const [{ status, text }] = results
  return {
    name: one.name,
    size: Buffer.byteLength(one.body ?? one.path),
    status,
    blocked: best("blocked"),
    cpu: best("cpu"),
    answered: Buffer.byteLength(text),
    verdict: status === 0 || status >= 500 ? "NOT ANSWERED" : best("blocked") <= budget ? "within" : "MISSED"
  }
}

/** Measures them all, one row for each; `filter`: only those whose name has it. */
export const refusals = async (scratch, filter = "") => {
  const { hostileRequests, largeRequests } = await bodies(scratch)
  const service = await serve(scratch)
  const firstOf = async (resource) => {
    const one = { method: "GET", path: `/api/v1/accounting/${resource}?provider=quickbooks&limit=1` }
    const { text } = await send(service.port, one, service.authorization)
    return JSON.parse(text).data.data[0].id.replace("urn:uuid:", "")
  }
  const all = [...hostileRequests(service.workspace), ...largeRequests(await firstOf("contact"), await firstOf("item"))]
  const rows = []
  for (const one of all) if (one.name.includes(filter)) rows.push(await measured(service, one))
  await end(service.child)
  return rows
}

export const refusalTable = (rows) =>
  [
    ["request", "bytes", "status", "ms blocked", "ms processor", "bytes answered", "verdict"],
    ...rows.map(({ answered, blocked, cpu, name, size, status, verdict }) => [
      name,
      String(size),
      String(status),
      blocked.toFixed(1),
      cpu.toFixed(1),
      String(answered),
      verdict
    ])
  ]
    .map((row, _, all) =>
      row
        .map((cell, i) => {
          const width = Math.max(...all.map((other) => other[i].length))
          return i === 0 ? cell.padEnd(width) : cell.padStart(width)
        })
        .join("  ")
    )
    .join("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scratch = mkdtempSync(join(tmpdir(), "tributary-refusal-"))
  try {
    const rows = await refusals(scratch, process.argv[2])
    const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? "processor"}, Node ${process.versions.node}`
    process.stdout.write(`${refusalTable(rows)}\n\n${machine}\n`)
  } finally {
    await endAll()
    rmSync(scratch, { recursive: true, force: true })
  }
  process.exit(0)
}
