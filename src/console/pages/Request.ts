import { HttpLayerRouter } from "@effect/platform"
import { Config, Effect, Option } from "effect"
import { Integrations } from "../../connections/Integrations.ts"
import { NoQuery } from "../../platform/ApiErrors.ts"
import { errorCodes } from "../../platform/ErrorCodes.ts"
import { NotFound } from "../../platform/Errors.ts"
import type { UpstreamCall } from "../../platform/RequestNotes.ts"
import type { StoredRequest } from "../../requests/LoggedRequest.ts"
import { RequestLog } from "../../requests/RequestLog.ts"
import { stretch } from "../Charts.ts"
import { html, type Part } from "../Html.ts"
import { identifier, linkedIdentifier, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"
import { shortened, statusOf } from "./Requests.ts"

/** `TRACE_URL`: where a trace is looked at, with `{traceId}` in it; none: traces are not linked. */
const traceUrl = Config.string().pipe(
  Config.validate({
    message: "Expected an http:// or https:// address with {traceId} in it: http://localhost:16686/trace/{traceId}",
    validation: (address) => /^https?:\/\//.test(address) && address.includes("{traceId}") && URL.canParse(address)
  }),
  Config.nested("TRACE_URL"),
  Config.option
)

const meanings = new Map<string, string>(Object.entries(errorCodes))

const outcomes = { timeout: "No answer in time", unreachable: "No connection" } as const

const outcomeOf = ({ outcome, status }: UpstreamCall) => {
  if (outcome !== "answered") return html`<span class="state bad">${outcomes[outcome]}</span>`
  // a database answers without a status
  return status === null ? html`<span class="state">Answered</span>` : statusOf(status)
}

const callsOf = (visit: Visit, { calls, callsMade, milliseconds }: StoredRequest, nameOf: (slug: string) => string) => {
  if (callsMade === 0) return html`<p class="lede">No provider was called for it.</p>`
  const whole = Math.max(milliseconds, ...calls.map((call) => call.after + call.milliseconds))
  return html`
    ${table(
      "Calls to providers",
      ["After", "Call", "Answer", "Took", "In the request", "Connection"],
      calls.map((call) => [
        `${call.after} ms`,
        html`<span class="name">${nameOf(call.provider)}</span>
          <code class="note"><b>${call.method}</b> ${call.operation}</code>`,
        outcomeOf(call),
        `${call.milliseconds} ms`,
        stretch(call.after, call.milliseconds, whole),
        linkedIdentifier(call.connection, "connection", aboutLink(visit, call.connection))
      ])
    )}
    ${
      callsMade > calls.length &&
      html`<p class="note">The first ${calls.length} of ${callsMade} calls are kept one by one.</p>`
    }
  `
}

const aboutLink = (visit: Visit, text: string) => `${visit.root}/requests?about=${encodeURIComponent(text)}`

const view = (visit: Visit, one: StoredRequest, nameOf: (slug: string) => string, traces: Option.Option<string>) => {
  const linked = (text: string, label: string) => linkedIdentifier(text, label, aboutLink(visit, text))
  const listed = (slug: string) => html`<a href="${visit.root}/connections?provider=${slug}">${nameOf(slug)}</a> `
  const facts: ReadonlyArray<readonly [name: string, value: Part]> = [
    ["Time", time(one.at.getTime())],
    ["Answered after", `${one.milliseconds} ms`],
    ["End user", one.endUser !== null && linked(one.endUser, "end user")],
    ["Providers", one.providers.length > 0 && one.providers.map(listed)],
    ["Connections", one.connections.length > 0 && one.connections.map((id) => linked(id, "connection"))],
    ["Resource", one.resource],
    ["Record", one.record !== null && linked(one.record, "record")],
    ["Idempotency key", one.idempotencyKey !== null && identifier(one.idempotencyKey, "idempotency key")],
    ["API key", one.keyName === null ? `${one.keyPrefix ?? one.key}…` : `${one.keyName} (${one.keyPrefix ?? ""}…)`],
    ["Request id", linked(one.requestId, "request id")],
    [
      "Trace",
      one.traceId !== null &&
        Option.match(traces, {
          onNone: () => identifier(one.traceId ?? "", "trace id"),
          onSome: (address) =>
            linkedIdentifier(one.traceId ?? "", "trace id", address.replaceAll("{traceId}", one.traceId ?? ""))
        })
    ]
  ]
  const meaning = one.code === null ? undefined : meanings.get(one.code)
  return html`
    <p class="note"><a href="${visit.root}/requests">Requests</a></p>
    <h1><code>${one.method} ${shortened(one.route)}</code></h1>
    <p>${statusOf(one.status)}</p>
    ${
      (one.status >= 400 || one.code !== null) &&
      html`<div class="panel failure">
        <p class="name">
          ${
            one.code === null
              ? "The provider's own answer was passed on."
              : html`<a href="${aboutLink(visit, one.code)}"><code>${one.code}</code></a>`
          }
        </p>
        ${one.message !== null && html`<p>${one.message}</p>`}
        ${meaning !== undefined && html`<p class="note">The code means: ${meaning}.</p>`}
      </div>`
    }
    <h2>About it</h2>
    <dl class="panel facts">
      ${facts.map(
        ([name, value]) =>
          value !== false &&
          value !== null &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`
      )}
    </dl>
    <h2>Calls to providers</h2>
    ${callsOf(visit, one, nameOf)}
  `
}

/** A request of the log, with all that is kept of it. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const log = yield* RequestLog
    const integrations = yield* Integrations
    const traces = yield* traceUrl
    const { page } = yield* visits

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/requests/:id",
        page(NoQuery, (visit) =>
          Effect.gen(function* () {
            const found = yield* log.row(visit.session.caller, visit.params["id"] ?? "")
            if (Option.isNone(found)) {
              return yield* new NotFound({
                code: "REQUEST_NOT_FOUND",
                message: "There is no such request in the log of this environment, or it is too old."
              })
            }
            const one = found.value
            return {
              title: `${one.method} ${shortened(one.route)}`,
              section: "/requests" as const,
              main: view(visit, one, (slug) => integrations.get(slug)?.name ?? slug, traces)
            }
          })
        )
      )
    ]
  })
)
