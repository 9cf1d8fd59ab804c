import { HttpClientRequest } from "@effect/platform"
import { assert } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { simulator } from "../../../src/providers/netsuite/simulator/NetSuiteSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"
import { accountHeader } from "../../../src/providers/Transport.ts"

/** Answers, read as a client without types reads them. */
export type Json = ReturnType<typeof JSON.parse>

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: Json
}

const transient = { prefer: "transient" }

const base = "https://7.suitetalk.api.netsuite.com/services/rest"

/** A connected account at a morning in November. */
const session = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T18:00:00Z"))
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "halcyon")
  const execute = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<Answer, unknown> =>
    http.execute(request).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({
          status: response.status,
          headers: response.headers,
          body: text === "" ? {} : JSON.parse(text)
        }))
      )
    )
  const send = (request: HttpClientRequest.HttpClientRequest, headers: { readonly [name: string]: string } = {}) =>
    execute(HttpClientRequest.setHeaders(request, { authorization: `Bearer ${tokens.accessToken}`, ...headers }))
  const get = (path: string, headers?: { readonly [name: string]: string }) =>
    send(HttpClientRequest.get(`${base}/record/v1/${path}`), headers)
  const write = (
    method: "POST" | "PATCH" | "PUT",
    path: string,
    body: Json,
    headers?: { readonly [name: string]: string }
  ) =>
    send(
      HttpClientRequest.make(method)(`${base}/record/v1/${path}`).pipe(HttpClientRequest.bodyUnsafeJson(body)),
      headers
    )
  const remove = (path: string) => send(HttpClientRequest.del(`${base}/record/v1/${path}`))
  const query = (q: string, page = "", headers: { readonly [name: string]: string } = transient) =>
    send(
      HttpClientRequest.post(`${base}/query/v1/suiteql${page}`).pipe(HttpClientRequest.bodyUnsafeJson({ q })),
      headers
    )
  /** The rows of a query that must succeed. */
  const rows = (q: string) =>
    Effect.map(query(q), ({ body, status }): ReadonlyArray<Json> => {
      assert.strictEqual(status, 200, JSON.stringify(body))
      return body.items
    })
  const first = (q: string) => Effect.map(rows(`${q} FETCH FIRST 1 ROWS ONLY`), ([row]): Json => row ?? assert.fail(q))
  /** The id of a record that must be created. */
  const create = (type: string, body: Json) =>
    Effect.map(write("POST", type, body), ({ body, headers, status }): string => {
      assert.strictEqual(status, 204, JSON.stringify(body))
      assert.match(headers.location ?? "", /\/services\/rest\/record\/v1\/\w+\/\d+$/)
      return headers.location?.split("/").at(-1) ?? ""
    })
  const update = (path: string, body: Json) =>
    Effect.map(write("PATCH", path, body), (reply) => {
      assert.strictEqual(reply.status, 204, JSON.stringify(reply.body))
    })
  /** A record that must exist, with all that is in it. */
  const read = (type: string, id: string) =>
    Effect.map(get(`${type}/${id}?expandSubResources=true`), ({ body, status }): Json => {
      assert.strictEqual(status, 200, JSON.stringify(body))
      return body
    })
  const token = (body: string, headers: { readonly [name: string]: string } = {}, path = "token") =>
    execute(
      HttpClientRequest.post(`${base}/auth/oauth2/v1/${path}`).pipe(
        HttpClientRequest.setHeader("authorization", `Basic ${Buffer.from("id:secret").toString("base64")}`),
        HttpClientRequest.bodyText(body, "application/x-www-form-urlencoded"),
        HttpClientRequest.setHeaders(headers)
      )
    )
  /** The code that consent to the client "id" brings. */
  const consent = Effect.map(
    execute(
      HttpClientRequest.post("https://7.app.netsuite.com/app/login/oauth2/authorize.nl").pipe(
        HttpClientRequest.setUrlParams({
          response_type: "code",
          client_id: "id",
          redirect_uri: "https://app.example/back",
          scope: "rest_webservices"
        }),
        HttpClientRequest.setHeader(accountHeader, "halcyon"),
        HttpClientRequest.bodyText("decision=allow", "application/x-www-form-urlencoded")
      )
    ),
    ({ headers }) => new URL(headers.location ?? "").searchParams.get("code") ?? assert.fail("no code")
  )
  return { get, write, remove, query, rows, first, create, update, read, token, tokens, consent }
})

export type Session = Effect.Effect.Success<typeof session>

export const inAccount = <A, E>(test: (session: Session) => Effect.Effect<A, E, SimulationStore | Faults>) =>
  Effect.flatMap(session, test).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))

/** The one error of a refused request. */
export const problem = (reply: Answer, status: number, code: string): Json => {
  assert.strictEqual(reply.status, status, JSON.stringify(reply.body))
  assert.strictEqual(reply.body.status, status)
  assert.match(reply.headers["content-type"] ?? "", /type=error/)
  const [detail, ...more] = reply.body["o:errorDetails"]
  assert.deepStrictEqual(more, [])
  assert.strictEqual(detail["o:errorCode"], code)
  return detail
}
