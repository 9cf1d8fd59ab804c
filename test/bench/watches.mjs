/**
 * Measures the cost of watched connections: a provider out of memory at which nothing happens for a minute, then everything. Searches,
 * which tell changes, answer nothing until `change` is called, and then a page of contacts that changed.
 */
import { createServer } from "node:http"
import { ask, end, get, sleep } from "./processes.mjs"
import { sqlProxy } from "./sqlProxy.mjs"

/** Connections that are watched, seconds between polls, and contacts that change at each. */
const connections = 1000
const interval = 60
const changed = 50

const contact = (n, at) => ({
  id: String(1000 + n),
  properties: {
    createdate: "2024-01-01T00:00:00.000Z",
    lastmodifieddate: new Date(at).toISOString(),
    hs_object_id: String(1000 + n),
    firstname: "Ada",
    lastname: `Changed ${at}`
  },
  createdAt: "2024-01-01T00:00:00.000Z",
  updatedAt: new Date(at).toISOString(),
  archived: false
})

/** Answers the list, the searches and the archive of contacts; `calls` counts them. */
const provider = () =>
  new Promise((resolve) => {
    let at
    const state = { calls: 0, change: () => (at = Date.now()) }
    const server = createServer((request, response) => {
      state.calls += 1
      request.resume()
      const isSearch = request.method === "POST"
      const results = Array.from({ length: isSearch && at !== undefined ? changed : 0 }, (_, n) => contact(n, at))
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ results, total: results.length }))
    })
    server.keepAliveTimeout = 60_000
    server.listen(0, "127.0.0.1", () =>
      resolve(Object.assign(state, { port: server.address().port, close: () => server.close() }))
    )
  })

const pages = async (port, path, headers, cursor) => {
  const { text } = await get(
    port,
    `${path}limit=100${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    headers
  )
  return JSON.parse(text).data
}

/** How many entries a list has behind a cursor, and the last cursor. */
const counted = async (port, path, headers, from = null) => {
  let cursor = from
  for (let count = 0; ;) {
    const { data, pagination } = await pages(port, path, headers, cursor)
    count += data.filter(({ state }) => state === undefined || state === "following").length
    cursor = pagination.cursor ?? cursor
    if (!pagination.hasMore) return { count, cursor }
  }
}

/**
 * Watches 1,000 connections; `serve` starts the service, `tenants` makes end users, `url` names the database. Gives the calls,
 * statements and processor milliseconds of an idle minute, and the events told in a second when all of them change.
 */
export const measureWatches = async ({ serve, tenants, url }) => {
  const upstream = await provider()
  const database = new URL(url)
  const proxy = await sqlProxy(database.hostname, Number(database.port || 5432))
  database.host = `127.0.0.1:${proxy.port}`
  const { key } = await tenants(Array.from({ length: connections }, (_, n) => [`watched-${n}`, "token"]))
  const { child, port } = await serve({
    DATABASE_URL: database.href,
    PROVIDER_HUBSPOT_BASE_URL: `http://127.0.0.1:${upstream.port}`
  })
  const headers = { authorization: `Bearer ${key}` }
  try {
    const body = JSON.stringify({ resources: ["crm/contact"], interval })
    const put = await fetch(`http://127.0.0.1:${port}/api/v1/watches`, {
      method: "PUT",
      headers: { ...headers, "content-type": "application/json" },
      body
    })
    if (put.status !== 200) throw new Error(`PUT /watches answers ${put.status}: ${await put.text()}`)
    for (let walked = 0; walked < connections; await sleep(1000)) {
      walked = (await counted(port, "/api/v1/watches/connections?", headers)).count
    }
    await sleep(5000)

    const before = { ...(await ask(child, "use")), calls: upstream.calls, sql: proxy.statements.length }
    await sleep(interval * 1000)
    const after = await ask(child, "use")
    const idle = {
      calls: upstream.calls - before.calls,
      sql: proxy.statements.length - before.sql,
      cpu: after.cpu - before.cpu
    }

    const feed = "/api/v1/events?types=record.created,record.updated&"
    const { cursor } = await counted(port, feed, headers)
    upstream.change()
    const started = performance.now()
    await sleep(interval * 1000)
    const { count } = await counted(port, feed, headers, cursor)
    const busy = await ask(child, "use")
    return {
      connections,
      idle,
      events: count / ((performance.now() - started) / 1000),
      cpu: (busy.cpu - after.cpu) / count
    }
  } finally {
    await end(child)
    proxy.close()
    upstream.close()
  }
}
