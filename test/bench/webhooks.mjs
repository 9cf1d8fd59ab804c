/**
 * How many events a second are told, and delivered to a webhook whose endpoint answers at once, while 10,000 wait for another
 * organisation's that hangs. Part of `npm run bench`.
 */
import { createServer } from "node:http"
import { output, sleep } from "./processes.mjs"

const events = 5000
const type = "connection.restored"

/** An endpoint that answers at once, or never. */
const endpoint = (hangs) =>
  new Promise((resolve) => {
    const seen = { count: 0 }
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        seen.count += 1
        if (!hangs) response.writeHead(204).end()
      })
    }).listen(0, "127.0.0.1", () => resolve({ server, seen, url: `http://127.0.0.1:${server.address().port}/` }))
  })

/** Gives events a second, in and out. */
export const measureWebhooks = async (port, prepare, env) => {
  const subscribe = async (name, { url }) => {
    const { key } = await output([prepare, "tenants", JSON.stringify([]), name], { env })
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ url, types: [type] })
    })
    if (answer.status !== 201) throw new Error(`a webhook is answered ${answer.status}`)
  }
  const publish = (name, count) => output([prepare, "publish", String(count), name], { env })
  const [quick, hanging] = [await endpoint(false), await endpoint(true)]
  try {
    await subscribe("Quick", quick)
    await subscribe("Hanging", hanging)
    await publish("Hanging", 10_000)
    const begun = performance.now()
    const { milliseconds } = await publish("Quick", events)
    while (quick.seen.count < events) await sleep(5)
    const out = (events / (performance.now() - begun)) * 1000
    return { told: (events / milliseconds) * 1000, delivered: out }
  } finally {
    for (const { server } of [quick, hanging]) {
      server.close()
      server.closeAllConnections()
    }
  }
}
