/**
 * Callers who each send their next request when the last was answered. Takes rounds from its parent and answers with what
 * came of them: `{origin, path, headers: [...], callers, milliseconds}` -> `{requests, failures, perSecond, p50, p99}`
 * (times in milliseconds). The callers go through the headers by turns.
 */
import { Pool } from "@effect/platform-node/Undici"

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** One call, read to its end and thrown away; gives its status, 0 when it broke off. */
const send = (pool, path, headers) =>
  new Promise((resolve) => {
    let status = 0
    pool.dispatch(
      { path, method: "GET", headers },
      {
        onRequestStart: () => {},
        onResponseStart: (_, code) => {
          status = code
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(status),
        onResponseError: () => resolve(0)
      }
    )
  })

const run = async ({ callers, headers, milliseconds, origin, path }) => {
  const pool = new Pool(origin, { connections: callers, pipelining: 1, headersTimeout: 20_000 })
  const times = []
  let failures = 0
  let turn = 0
  const started = performance.now()
  const until = started + milliseconds
  const caller = async () => {
    while (performance.now() < until) {
      const sent = performance.now()
      turn += 1
      const status = await send(pool, path, headers[turn % headers.length])
      if (status === 200) times.push(performance.now() - sent)
      else failures += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  return {
    requests: times.length,
    failures,
    perSecond: times.length / seconds,
    p50: at(times, 0.5),
    p99: at(times, 0.99)
  }
}

process.on("message", (round) => void run(round).then((result) => process.send?.(result)))
process.on("disconnect", () => process.exit())
process.send?.({ port: 0 })
