/**
 * Measures a list while others' calls hang at the same provider: those of another organisation, and those of nine slow
 * accounts of the same one. Part of `npm run bench`; by itself, with the embedded database:
 *
 *     node test/bench/fairness.mjs
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { end, endAll, freePort, get, next, output, sleep, start } from "./processes.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const list = "/api/v1/crm/contact?provider=hubspot&limit=100"

const never = "delay-3600000"
const names = (name, count) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
const hanging = names("hanging", 25)
const slow = names("slow", 9)

/** End users with the access tokens of their connections: of the organisation whose calls hang, and of another. */
export const tenants = {
  greedy: [...[...hanging, ...slow].map((user) => [user, never]), ["healthy", "token"]],
  other: [["other", "token"]]
}

/** The 95th percentile of lists, in milliseconds, by two callers for so long. */
const p95 = async (port, headers, milliseconds) => {
  const times = []
  const until = performance.now() + milliseconds
  const caller = async () => {
    while (performance.now() < until) {
      const sent = performance.now()
      const { status } = await get(port, list, headers)
      if (status !== 200) throw new Error(`a list answers ${status}`)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all([caller(), caller()])
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.95)]
}

/** Has so many lists hang for each of these; gives what ends them. */
const hang = (port, each, count) => {
  const calls = each.flatMap((headers) =>
    Array.from({ length: count }, () =>
      request({ host: "127.0.0.1", port, path: list, headers, agent: false })
        .on("error", () => {})
        .end()
    )
  )
  return () => calls.forEach((call) => call.destroy())
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Gives each case with its quiet and its loaded 95th percentile, taken by turns. */
export const measureFairness = async (port, keys) => {
  const headersOf = (key, user) => ({ authorization: `Bearer ${key}`, "x-end-user-id": user })
  const compared = async (name, headers, crowd, count) => {
    const rounds = { quiet: [], loaded: [] }
    await p95(port, headers, 2000)
    for (let i = 0; i < 3; i += 1) {
      rounds.quiet.push(await p95(port, headers, 2000))
      const hung = crowd.map((user) => headersOf(keys.greedy, user))
      const release = hang(port, hung, count)
      await sleep(1000)
      rounds.loaded.push(await p95(port, headers, 2000))
      release()
      await sleep(500)
    }
    const [quiet, loaded] = [median(rounds.quiet), median(rounds.loaded)]
    return { name, quiet, loaded, ratio: loaded / quiet }
  }
  return [
    await compared("200 calls of another organisation hang", headersOf(keys.other, "other"), hanging, 8),
    await compared("nine accounts of the same one hang", headersOf(keys.greedy, "healthy"), slow, 20)
  ]
}

const post = (port, key, path, body) =>
  fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  }).then((answer) => {
    if (answer.status !== 201) throw new Error(`${path} answers ${answer.status}`)
  })

const main = async () => {
  const scratch = mkdtempSync(join(tmpdir(), "tributary-fairness-"))
  const env = {
    DATA_DIR: scratch,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    HOST: "127.0.0.1",
    RATE_LIMIT: "0",
    PORT: String(await freePort())
  }
  const port = Number(env.PORT)
  try {
    const upstream = start([join(root, "test/bench/upstream.mjs")])
    const provider = `http://127.0.0.1:${(await next(upstream)).port}`
    const server = start([join(root, "dist/main.js")], { env: { ...env, PROVIDER_HUBSPOT_BASE_URL: provider } })
    while ((await Promise.race([get(port, "/health/ready"), server.failure])).status !== 200) await sleep(50)
    const keys = {}
    for (const [name, users] of Object.entries(tenants)) {
      keys[name] = await keyOf(env, name)
      for (const [endUserId, accessToken] of users) {
        await post(port, keys[name], "/connections", { endUserId, provider: "hubspot", credentials: { accessToken } })
      }
    }
    for (const { loaded, name, quiet, ratio } of await measureFairness(port, keys)) {
      process.stdout.write(
        `${name}: p95 ${loaded.toFixed(1)} ms, quiet ${quiet.toFixed(1)} ms, ratio ${ratio.toFixed(2)}\n`
      )
    }
    await end(server)
  } finally {
    await endAll()
    rmSync(scratch, { recursive: true, force: true })
  }
}

const keyOf = async (env, name) => {
  const cli = (...args) => output([join(root, "dist/cli.js"), ...args, "--json"], { env })
  await cli("organisations", "create", "--name", name)
  return (await cli("keys", "create", "--organisation", name, "--environment", "live")).key
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main()
  process.exit(0)
}
