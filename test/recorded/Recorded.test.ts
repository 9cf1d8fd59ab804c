import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, TestClock } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import type { Simulator } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/Simulators.ts"
import { openAccount, recordsIn } from "./Ask.ts"
import exceptions from "./exceptions.json" with { type: "json" }
import { crmRequests } from "./requests/Crm.ts"
import { ledgerRequests } from "./requests/Ledgers.ts"
import { toolkitRequests } from "./requests/Toolkits.ts"
import { differencesOf, poolRecords, readShape, shapeOf } from "./Shape.ts"
import unserved from "./unserved.json" with { type: "json" }

const requests = { ...crmRequests, ...ledgerRequests, ...toolkitRequests }

type Reasons = { readonly [slug: string]: { readonly [of: string]: string } }

const folder = new URL("shapes/", import.meta.url)

/** Members of answers of real accounts by request, recorded by others: names and kinds, no values. */
const StoredShapes = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) })
)

const readShapes = (slug: string) => {
  const stored = Schema.decodeSync(StoredShapes)(readFileSync(new URL(`${slug}.json`, folder), "utf8"))
  return new Map(Object.entries(stored).map(([request, shape]) => [request, readShape(shape)]))
}

/** Moment of the simulated accounts, after the dates in the requests. */
const now = Date.parse("2026-07-01T09:30:15Z")

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

/** Differences that are meant, by slug, `request path` pattern -> reason. */
const allowed: Reasons = exceptions

/** Requests that a simulator does not serve, by slug, request -> reason. */
const leftOut: Reasons = unserved

const matches = (pattern: string, subject: string) =>
  new RegExp(`^${pattern.replace(/[.[\]{}()$+?^|/]/g, "\\$&").replaceAll("*", ".*")}$`).test(subject)

/**
 * Reads come first, so that they show the sample data, and deletions last, those of parts before those of what they are in. Xero
 * changes with POST what PUT created.
 */
const turns = ["GET", "PATCH", "PUT", "POST", "DELETE"]
const turnOf = (request: string, first: ReadonlyArray<string> = []) =>
  first.includes(request) ? -1 : turns.findIndex((method) => request.startsWith(`${method} `))

const inTurn = (requests: ReadonlyArray<string>, first?: ReadonlyArray<string>) =>
  requests.toSorted(
    (a, b) => turnOf(a, first) - turnOf(b, first) || (a.startsWith("DELETE ") ? b.length - a.length : 0)
  )

/** Whether a route has the very path of a request: names where the request has names. */
const hasRoute = ({ routes }: Simulator, request: string) => {
  const [method, path = ""] = request.split(" ")
  const stepsOf = (address: string) => address.split("/").filter((step) => step !== "")
  const isName = (step: string) => /^\{\w+\}$|^:/.test(step)
  return routes.some((route) => {
    const [asked, served] = [stepsOf(path), stepsOf(route.path)]
    const isSame = (step: string, i: number) => step === served[i] || (isName(step) && isName(served[i] ?? ""))
    return route.method === method && asked.length === served.length && asked.every(isSame)
  })
}

const slugs = readdirSync(folder).map((file) => file.replace(/\.json$/, ""))

for (const slug of slugs) {
  describe(`the simulator of ${slug}`, () => {
    it.effect("answers in the shape that real accounts do, apart from the exceptions", () =>
      Effect.gen(function* () {
        const how = requests[slug]
        const source = simulators.find((one) => one.slug === slug)
        if (how === undefined || source === undefined) return assert.fail(`${slug} has no requests or no simulator`)
        yield* TestClock.setTime(now)
        const simulator = yield* source.load
        const answersTo = yield* openAccount(simulator, how)
        const patterns = Object.keys(allowed[slug] ?? {})
        const used = new Set<string>()
        const found: Array<string> = []
        const shapes = poolRecords(readShapes(slug), how.alike ?? [])
        for (const request of inTurn([...shapes.keys()], how.first)) {
          const shape = shapes.get(request) ?? {}
          const answers = yield* Effect.either(answersTo(request, shape))
          const differences =
            answers._tag === "Left"
              ? new Map([["(refused)", String(answers.left)]])
              : differencesOf(shapeOf(answers.right), shape, recordsIn(how, request))
          for (const [path, difference] of differences) {
            const subject = `${request} ${path}`
            const needed = patterns.filter((one) => matches(one, subject))
            if (needed.length === 0) found.push(`${subject}: ${difference}`)
            for (const pattern of needed) used.add(pattern)
          }
        }
        for (const pattern of patterns) {
          if (!used.has(pattern))
            found.push(`exceptions.json: nothing needs the exception ${pattern} of ${slug} any more`)
        }
        for (const request of Object.keys(leftOut[slug] ?? {})) {
          if (hasRoute(simulator, request)) found.push(`unserved.json: the simulator of ${slug} serves ${request}`)
        }
        assert.strictEqual(found.length, 0, `${slug} differs from recorded answers:\n${found.join("\n")}\n`)
      }).pipe(Effect.provide(world))
    )
  })
}
