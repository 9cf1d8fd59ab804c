import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { freePort, start } from "./ServiceProcess.ts"

const get = (address: string) =>
  Effect.promise(() => fetch(address).then(async (answer) => ({ status: answer.status, text: await answer.text() })))

describe("METRICS_PORT", () => {
  it.scopedLive("takes the metrics to a listener of their own", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const service = yield* start({ DATA_DIR: yield* scratchDirectory, METRICS_PORT: String(port) })
      const own = `http://127.0.0.1:${port}`
      yield* get(`${service.address}/api/v1/providers`)
      const scrape = yield* get(`${own}/metrics`)
      assert.strictEqual(scrape.status, 200)
      assert.include(scrape.text, 'http_requests_total{method="GET",route="/api/v1/providers",status="401"} 1')
      assert.strictEqual((yield* get(`${own}/health/live`)).status, 200)
      assert.strictEqual((yield* get(`${own}/health/ready`)).status, 200)
      assert.strictEqual((yield* get(`${own}/api/v1/providers`)).status, 404)

      const beside = yield* get(`${service.address}/metrics`)
      assert.strictEqual(beside.status, 404)
      assert.include(beside.text, '"code":"NOT_FOUND"')
      assert.strictEqual((yield* get(`${service.address}/health/ready`)).status, 200)
    })
  )

  it.scopedLive("is refused when it is the service's own", () =>
    Effect.gen(function* () {
      const port = String(yield* freePort)
      const settings = { DATA_DIR: yield* scratchDirectory, PORT: port, METRICS_PORT: port }
      const refused = String(yield* Effect.exit(start(settings)))
      assert.match(refused, /METRICS_PORT.*Expected another port/)
    })
  )
})
