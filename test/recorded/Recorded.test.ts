import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { getPath } from "../../src/mapping/Mapping.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/Simulators.ts"
import attio from "./shapes/attio.json" with { type: "json" }
import close from "./shapes/close.json" with { type: "json" }
import hubspot from "./shapes/hubspot.json" with { type: "json" }
import pipedrive from "./shapes/pipedrive.json" with { type: "json" }
import salesforce from "./shapes/salesforce.json" with { type: "json" }
import xero from "./shapes/xero.json" with { type: "json" }
import zoho_crm from "./shapes/zoho_crm.json" with { type: "json" }
import exceptions from "./exceptions.json" with { type: "json" }
import { type Requests, requests } from "./requests.ts"
import { differencesOf, readShape, shapeOf } from "./Shape.ts"

/** Members of answers of real accounts by request, recorded by others: names and kinds, no values. */
const recordings: { readonly [slug: string]: { readonly [request: string]: { readonly [path: string]: string } } } = {
  attio,
  close,
  hubspot,
  pipedrive,
  salesforce,
  xero,
  zoho_crm
}

/** Records of a list that are asked for by themselves. */
const mostIds = 30

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

const namesOne = (request: string) => /\{\w+\}/.test(request)

/** Path of the record or the records in the answer to a request. */
const recordsIn = ({ records }: Requests, request: string) =>
  records[request] ?? (namesOne(request) ? records["{id}"] : undefined) ?? records["*"] ?? ""

/** Answers of a simulated account, by the requests of the shapes. */
const accountOf = Effect.fnUntraced(function* (slug: string, how: Requests) {
  const source = simulators.find((one) => one.slug === slug)
  if (source === undefined) return yield* Effect.dieMessage(`${slug} has no simulator`)
  const simulator = yield* source.load
  const http = yield* client(simulator)
  const { accessToken } = yield* connect(simulator, "acme", 3600)

  const send = Effect.fnUntraced(function* (request: string, id?: string) {
    const [method, path = ""] = request.split(" ", 2)
    const address = (how.address?.(path, "acme") ?? path).replace(/\{\w+\}/, id ?? "")
    const bare = HttpClientRequest.make(method === "POST" ? "POST" : "GET")(`https://api.example.com${address}`).pipe(
      HttpClientRequest.setHeaders({
        authorization: how.authorization(accessToken),
        "user-agent": "test",
        ...how.headers?.("acme")
      }),
      HttpClientRequest.setUrlParams({ ...how.query?.["*"], ...how.query?.[request] })
    )
    const body = method === "POST" ? (how.body?.[request] ?? how.body?.["*"]) : undefined
    const response = yield* http.execute(body === undefined ? bare : HttpClientRequest.bodyUnsafeJson(bare, body))
    const text = yield* response.text
    assert.isBelow(response.status, 300, `${slug} ${request}: the simulator answers ${response.status} ${text}`)
    return JSON.parse(text) as unknown
  })

  const idsOf = Effect.fnUntraced(function* (request: string) {
    const list = how.list?.[request] ?? request.replace(/\/\{\w+\}\/?$/, request.endsWith("/") ? "/" : "")
    const records = getPath(yield* send(list), recordsIn(how, list))
    assert.isArray(records, `${slug} ${list} has no records`)
    return (Array.isArray(records) ? records : []).slice(0, mostIds).map((record: unknown) => {
      const id = getPath(record, how.ids?.[request] ?? how.id)
      return String(typeof id === "object" && id !== null ? Object.values(id).at(-1) : id)
    })
  })

  /** Every answer to a request: one for each record where it names one. */
  return (request: string) =>
    namesOne(request)
      ? Effect.flatMap(idsOf(request), (ids) => Effect.forEach(ids, (id) => send(request, id)))
      : Effect.map(send(request), (answer) => [answer])
})

/** Differences that are meant, by slug, `request path` pattern -> reason. */
const allowed: { readonly [slug: string]: { readonly [pattern: string]: string } } = exceptions

const matches = (pattern: string, subject: string) =>
  new RegExp(`^${pattern.replace(/[.[\]{}()$+?^|/]/g, "\\$&").replaceAll("*", ".*")}$`).test(subject)

for (const [slug, shapes] of Object.entries(recordings)) {
  const how = requests[slug]
  describe(`the simulator of ${slug}`, () => {
    it.effect("answers in the shape that real accounts do, apart from the exceptions", () =>
      Effect.gen(function* () {
        if (how === undefined) return yield* Effect.dieMessage(`${slug} has no requests`)
        const answersTo = yield* accountOf(slug, how)
        const patterns = Object.keys(allowed[slug] ?? {})
        const used = new Set<string>()
        const found: Array<string> = []
        for (const [request, shape] of Object.entries(shapes)) {
          const differences = differencesOf(
            shapeOf(yield* answersTo(request)),
            readShape(shape),
            recordsIn(how, request)
          )
          for (const [path, difference] of differences) {
            const subject = `${request} ${path}`
            const pattern = patterns.find((one) => matches(one, subject))
            if (pattern === undefined) found.push(`${subject}: ${difference}`)
            else used.add(pattern)
          }
        }
        for (const pattern of patterns) {
          if (!used.has(pattern))
            found.push(`exceptions.json: nothing needs the exception ${pattern} of ${slug} any more`)
        }
        assert.strictEqual(found.length, 0, `${slug} differs from recorded answers:\n${found.join("\n")}\n`)
      }).pipe(Effect.provide(world))
    )
  })
}
