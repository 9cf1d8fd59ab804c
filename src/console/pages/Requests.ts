import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { Integrations } from "../../connections/Integrations.ts"
import { basePath } from "../../platform/Paths.ts"
import { type RequestFilters, StatusFilter, type StoredRequest } from "../../requests/LoggedRequest.ts"
import { RequestLog, type RequestPosition } from "../../requests/RequestLog.ts"
import { duration } from "../Charts.ts"
import { html } from "../Html.ts"
import { empty, field, filters, icon, pages, providerFilter, select, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const Query = Schema.Struct({
  about: Schema.optional(Schema.Trim.pipe(Schema.maxLength(1024))),
  status: Schema.optional(StatusFilter),
  provider: Schema.optional(Schema.String),
  before: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,15}-\d{1,18}$/)))
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })
type Query = typeof Query.Type

const pageSize = 50

const statuses = [
  ["", "Any status"],
  ["ok", "Succeeded"],
  ["failed", "Failed"],
  ["4xx", "4xx"],
  ["5xx", "5xx"]
] as const

/** A route without what all begin with. */
export const shortened = (route: string) => (route.startsWith(`${basePath}/`) ? route.slice(basePath.length) : route)

export const statusOf = (status: number) =>
  status < 400
    ? html`<span class="state good">${icon("check")} ${status}</span>`
    : html`<span class="state ${status < 500 ? "warn" : "bad"}">${icon("warning")} ${status}</span>`

const none = html`<span class="note">–</span>`

const rowOf = (visit: Visit, one: StoredRequest, nameOf: (slug: string) => string) => [
  time(one.at.getTime()),
  html`<a class="route" href="${visit.root}/requests/${one.id}"
      ><code><b>${one.method}</b> ${shortened(one.route)}</code></a
    >
    <span class="note">with ${one.keyName ?? `${one.keyPrefix ?? one.key}…`}</span>`,
  html`${statusOf(one.status)} ${one.code !== null && html`<code class="note">${one.code}</code>`}`,
  one.endUser === null ? none : html`<span class="data">${one.endUser}</span>`,
  one.providers.length === 0 ? none : one.providers.map(nameOf).join(", "),
  html`<span class="latency">${one.milliseconds} ms ${duration(one.milliseconds)}</span>`
]

const listView = (
  visit: Visit,
  { about, before, provider, status }: Query,
  found: ReadonlyArray<StoredRequest>,
  integrations: Integrations["Type"]
) => {
  const nameOf = (slug: string) => integrations.get(slug)?.name ?? slug
  const shown = found.slice(0, pageSize)
  const last = found.length > pageSize ? shown.at(-1) : undefined
  return html`
    <h1>Requests</h1>
    <p class="lede">
      What was asked of the API with keys of this environment, newest first. Open one to see why it failed. No query, no
      header and no body is kept.
    </p>
    ${filters(`${visit.root}/requests`, [
      field({
        name: "about",
        label: "About",
        control: (own) =>
          html`<input
            ${own}
            type="search"
            value="${about}"
            placeholder="End user, code, or an id"
            autocomplete="off"
            spellcheck="false"
          />`
      }),
      field({ name: "status", label: "Status", control: (own) => select(own, statuses, status) }),
      providerFilter(integrations.all(), provider)
    ])}
    ${
      shown.length === 0
        ? about === undefined && provider === undefined && status === undefined && before === undefined
          ? empty("No requests yet", html`Send one to the API with a key of this environment, and it shows up here.`)
          : empty(
              "No request is like that",
              html`"About" finds the whole id of an end user, a request, a record or a connection, and codes such as
                CONNECTION_NEEDS_REAUTH. <a href="${visit.root}/requests">Show all requests</a>`
            )
        : table(
            "Requests",
            ["Time", "Request", "Status", "End user", "Provider", "Latency"],
            shown.map((one) => rowOf(visit, one, nameOf))
          )
    }
    ${pages(
      `${visit.root}/requests`,
      { about, provider, status },
      before !== undefined && {},
      last !== undefined && { before: `${last.at.getTime()}-${last.id}` }
    )}
  `
}

const positionIn = (before: string): RequestPosition => {
  const [at = "", id = ""] = before.split("-")
  return { at: Number(at), id }
}

const filtersOf = ({ about, provider, status }: Query): RequestFilters => ({
  about: about === "" ? undefined : about,
  provider,
  status
})

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
        page(Query, (visit, query) => {
          const after = query.before === undefined ? undefined : positionIn(query.before)
          return Effect.map(
            log.list(visit.session.caller, filtersOf(query), { after, take: pageSize + 1 }),
            (found) => ({
              title: "Requests",
              section: "/requests" as const,
              main: listView(visit, query, found, integrations)
            })
          )
        })
      )
    ]
  })
)
