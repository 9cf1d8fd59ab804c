import { HttpClientRequest } from "@effect/platform"
import { assert } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"

/** Answers, read as a client without types reads them. */
export type Json = ReturnType<typeof JSON.parse>

const base = "https://api.xero.com"
const accounting = "/api.xro/2.0"
const form = "application/x-www-form-urlencoded"
const basic = `Basic ${Buffer.from("id:secret").toString("base64")}`

/** A connected organisation at a morning in November. */
export const session = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T09:00:00Z"))
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "liffey")
  const tenant = simulator.values?.("liffey").tenantId ?? assert.fail("no tenant")
  const send = (request: HttpClientRequest.HttpClientRequest, headers: { readonly [name: string]: string } = {}) =>
    http
      .execute(
        request.pipe(
          HttpClientRequest.setHeaders({
            authorization: `Bearer ${tokens.accessToken}`,
            "xero-tenant-id": tenant,
            ...headers
          })
        )
      )
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => ({
            status: response.status,
            headers: response.headers,
            body: /^[[{]/.test(text) ? JSON.parse(text) : text
          }))
        )
      )
  const call = (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: Json,
    headers?: { readonly [name: string]: string }
  ) => {
    const request = HttpClientRequest.make(method)(`${base}${path.startsWith("/") ? path : `${accounting}/${path}`}`)
    return send(body === undefined ? request : HttpClientRequest.bodyUnsafeJson(request, body), headers)
  }
  const get = (path: string, headers?: { readonly [name: string]: string }) => call("GET", path, undefined, headers)
  /** The members of an answer that must succeed. */
  const list = (path: string) =>
    Effect.map(get(path), ({ body, status }): ReadonlyArray<Json> => {
      assert.strictEqual(status, 200, JSON.stringify(body))
      return body[path.split(/[/?]/)[0] ?? ""]
    })
  /** The one record that a write must answer. */
  const save = (method: "PUT" | "POST", path: string, body: Json) =>
    Effect.map(call(method, path, body), (reply): Json => {
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      return reply.body[path.split(/[/?]/)[0] ?? ""][0]
    })
  const token = (path: string, body: string, authorization = basic) =>
    http
      .execute(
        HttpClientRequest.post(`https://identity.xero.com${path}`).pipe(
          HttpClientRequest.setHeader("authorization", authorization),
          HttpClientRequest.bodyText(body, form)
        )
      )
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => ({
            status: response.status,
            body: text === "" ? {} : JSON.parse(text)
          }))
        )
      )
  return { call, get, list, save, tenant, token, tokens }
})

export type Session = Effect.Effect.Success<typeof session>

export const inCompany = <A, E>(test: (session: Session) => Effect.Effect<A, E, SimulationStore | Faults>) =>
  Effect.flatMap(session, test).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))

/** The messages of a refused write. */
export const messages = (reply: { readonly status: number; readonly body: Json }): ReadonlyArray<string> => {
  assert.strictEqual(reply.status, 400, JSON.stringify(reply.body))
  assert.deepInclude(reply.body, { ErrorNumber: 10, Type: "ValidationException" })
  return reply.body.Elements.flatMap((one: Json) => one.ValidationErrors.map(({ Message }: Json) => Message))
}

export const line = { Description: "Work", Quantity: 2, UnitAmount: 50, AccountCode: "260", TaxType: "OUTPUT" }
export const sale = { Type: "ACCREC", Contact: { Name: "Ada" }, LineItems: [line] }

/** Rows of a report by their names: the amounts of the first column. */
export const amounts = (report: Json): { readonly [name: string]: number } =>
  Object.fromEntries(
    report.Rows.flatMap(({ Rows = [] }: Json) =>
      Rows.map(({ Cells }: Json) => [Cells[0].Value, Number(Cells[1].Value)])
    )
  )

export const reportOf = ({ get }: Session, path: string) =>
  Effect.map(get(`Reports/${path}`), ({ body }) => body.Reports[0])

/** Every journal there is. */
export const journals = ({ get }: Session) =>
  Effect.gen(function* () {
    const all: Array<Json> = []
    for (let more = true; more;) {
      const page = (yield* get(`Journals?offset=${all.at(-1)?.JournalNumber ?? 0}`)).body.Journals
      all.push(...page)
      more = page.length === 100
    }
    return all
  })

export const cents = (amount: number) => Math.round(amount * 100)

export const sumOf = (list: ReadonlyArray<number>) => cents(list.reduce((sum, one) => sum + one, 0))

export const accountId = ({ list }: Session, code: string) =>
  Effect.map(list(`Accounts?where=Code=="${code}"`), ([one]) => one.AccountID)
