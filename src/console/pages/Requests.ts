import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { Integrations } from "../../connections/Integrations.ts"
import { basePath } from "../../platform/Paths.ts"
import { duration } from "../Charts.ts"
import { html } from "../Html.ts"
import { empty, field, filters, icon, pages, providerFilter, select, table, time } from "../Parts.ts"
import { RequestLog, type RequestPage } from "../RequestLog.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const Query = Schema.Struct({
  status: Schema.optional(Schema.Literal("ok", "failed", "4xx", "5xx")),
  provider: Schema.optional(Schema.String),
  before: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)))
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const statuses = [
  ["", "Any status"],
  ["ok", "Succeeded"],
  ["failed", "Failed"],
  ["4xx", "4xx"],
  ["5xx", "5xx"]
] as const

/** A route without what all begin with. */
const shortened = (route: string) => (route.startsWith(`${basePath}/`) ? route.slice(basePath.length) : route)

const statusOf = (status: number) =>
  status < 400
    ? html`<span class="state good">${icon("check")} ${status}</span>`
    : html`<span class="state ${status < 500 ? "warn" : "bad"}">${icon("warning")} ${status}</span>`

const listView = (
  visit: Visit,
  { before, provider, status }: typeof Query.Type,
  { next, requests }: RequestPage,
  integrations: Integrations["Type"]
) => {
  const nameOf = (slug: string) => integrations.get(slug)?.name ?? slug
  return html`
    <h1>Requests</h1>
    <p class="lede">
      What was asked of the API in the last 7 days, newest first. Only what you see here is kept: no query, no header
      and no body.
    </p>
    ${filters(`${visit.root}/requests`, [
      field({ name: "status", label: "Status", control: (own) => select(own, statuses, status) }),
      providerFilter(integrations.all(), provider)
    ])}
    ${
      requests.length === 0
        ? provider === undefined && status === undefined && before === undefined
          ? empty("No requests yet", html`Send one to the API with a key of this environment, and it shows up here.`)
          : empty("No request is like that", html`<a href="${visit.root}/requests">Show all requests</a>`)
        : table(
            "Requests",
            ["Time", "Request", "Status", "Provider", "Latency", "Trace"],
            requests.map((one) => [
              time(one.at),
              html`<code class="route"><b>${one.method}</b> ${shortened(one.route)}</code>
                <span class="note">with ${one.keyPrefix ?? one.key}…</span>`,
              statusOf(one.status),
              one.providers.length === 0 ? html`<span class="note">–</span>` : one.providers.map(nameOf).join(", "),
              html`<span class="latency">${one.milliseconds} ms ${duration(one.milliseconds)}</span>`,
              html`<code class="id" title="Trace id ${one.traceId ?? "unknown"}">${one.traceId ?? "–"}</code>
                <code class="id soft" title="Request id ${one.requestId}">${one.requestId}</code>`
            ])
          )
    }
    ${pages(
      `${visit.root}/requests`,
      { provider, status },
      before !== undefined && {},
      next !== undefined && { before: next }
    )}
  `
}

/** The log of requests. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const log = yield* RequestLog
    const integrations = yield* Integrations
    const { page } = yield* visits

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/requests",
        page(Query, (visit, query) =>
          Effect.map(log.list(visit.session.caller, query), (found) => ({
            title: "Requests",
            section: "/requests" as const,
            main: listView(visit, query, found, integrations)
          }))
        )
      )
    ]
  })
)
