import { HttpLayerRouter } from "@effect/platform"
import { Effect } from "effect"
import type { Health } from "../../connections/ConnectionRows.ts"
import { Connections } from "../../connections/Connections.ts"
import { Integrations } from "../../connections/Integrations.ts"
import { NoQuery } from "../../platform/ApiErrors.ts"
import type { Figures, LastHour } from "../../requests/LoggedRequest.ts"
import { RequestLog } from "../../requests/RequestLog.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { chart, shares } from "../Charts.ts"
import { html } from "../Html.ts"
import { empty, icon } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const percent = (part: number, whole: number) =>
  `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1).replace(/\.0$/, "")} %`

const milliseconds = (value: number | null) => (value === null ? "–" : `${Math.round(value)} ms`)

const shareOf = (part: (figures: Figures) => number) => (figures: Figures) =>
  figures.requests === 0 ? 0 : (part(figures) / figures.requests) * 100

const charts = ({ minutes, total }: LastHour) => {
  const busiest = Math.max(...minutes.map(({ requests }) => requests))
  const share = percent(total.refused + total.failed, total.requests)
  return html`
    <div class="charts">
      ${chart({
        title: "Requests",
        figure: html`${total.requests} <span class="note">in the last hour</span>`,
        summary: `${total.requests} requests in the last hour, at most ${busiest} in a minute`,
        kind: "bars",
        least: 5,
        unit: (value) => `${value} a minute`,
        series: [{ label: "Requests", look: "first", values: minutes.map(({ requests }) => requests) }]
      })}
      ${chart({
        title: "Share of errors",
        figure: html`${share} <span class="note">of ${total.requests} in the last hour</span>`,
        summary: `${share} of the requests failed: ${total.refused} with 4xx, ${total.failed} with 5xx`,
        kind: "bars",
        least: 10,
        unit: (value) => `${value} %`,
        series: [
          { label: `4xx: ${total.refused}`, look: "first", values: minutes.map(shareOf(({ refused }) => refused)) },
          { label: `5xx: ${total.failed}`, look: "second", values: minutes.map(shareOf(({ failed }) => failed)) }
        ]
      })}
      ${chart({
        title: "Time to answer",
        figure: html`${milliseconds(total.p50)} <span class="note">p50, and p95 ${milliseconds(total.p95)}</span>`,
        summary: `Half of the requests were answered within ${milliseconds(total.p50)}, 95 % within ${milliseconds(total.p95)}`,
        kind: "lines",
        least: 10,
        unit: (value) => `${value} ms`,
        series: [
          {
            label: `p50: half within ${milliseconds(total.p50)}`,
            look: "first",
            values: minutes.map(({ p50 }) => p50)
          },
          {
            label: `p95: 95 % within ${milliseconds(total.p95)}`,
            look: "second",
            values: minutes.map(({ p95 }) => p95)
          }
        ]
      })}
    </div>
  `
}

const healthOf = ({ root }: Visit, health: ReadonlyArray<Health>, nameOf: (slug: string) => string) => {
  const slugs = [...new Set(health.map(({ provider }) => provider))]
  const countOf = (slug: string, status: Health["status"]) =>
    health.find((one) => one.provider === slug && one.status === status)?.count ?? 0
  return html`
    <ul class="panel health">
      ${slugs.map((slug) => {
        const ending = health.find((one) => one.provider === slug && one.status === "active")?.ending ?? 0
        const [active, stale] = [countOf(slug, "active"), countOf(slug, "needs_reauth")]
        return html`
          <li>
            <a class="name" href="${root}/connections?provider=${encodeURIComponent(slug)}">${nameOf(slug)}</a>
            ${shares([
              { look: "good", count: active },
              { look: "warn", count: stale }
            ])}
            <span class="counts">
              <span class="state good">${icon("check")} ${active} active</span>
              ${
                ending > 0 &&
                html`<a
                  class="state warn"
                  href="${root}/connections?provider=${encodeURIComponent(slug)}&amp;status=active"
                  >${icon("warning")} ${ending} end${ending === 1 ? "s" : ""} within a week</a
                >`
              }
              ${
                stale > 0 &&
                html`<a
                  class="state warn"
                  href="${root}/connections?provider=${encodeURIComponent(slug)}&amp;status=needs_reauth"
                  >${icon("warning")} ${stale} to reconnect</a
                >`
              }
            </span>
          </li>
        `
      })}
    </ul>
  `
}

/** Tells of webhooks that were disabled, which nobody would notice otherwise. */
const disabledOf = ({ root }: Visit, count: number) =>
  count > 0 &&
  html`<p>
    <a class="state warn" href="${root}/webhooks"
      >${icon("warning")} ${count} webhook${count === 1 ? " was" : "s were"} disabled: no attempt to deliver
      succeeded</a
    >
  </p>`

/** How the last hour went, and how the connections are. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const log = yield* RequestLog
    const connections = yield* Connections
    const integrations = yield* Integrations
    const webhooks = yield* Webhooks
    const { page } = yield* visits

    return [
      HttpLayerRouter.route(
        "GET",
        "/console",
        page(NoQuery, (visit) =>
          Effect.gen(function* () {
            const lastHour = yield* log.lastHour(visit.session.caller)
            const health = yield* connections.health(visit.session.caller)
            return {
              title: "Overview",
              section: "" as const,
              main: html`
                <h1>Overview</h1>
                ${charts(lastHour)}
                ${
                  lastHour.total.requests === 0 &&
                  html`<p class="lede">
                    No requests came in the last hour. Send one with an API key; the
                    <a href="${visit.root.replace(/console$/, "docs")}">documentation</a> has them all.
                  </p>`
                }
                ${disabledOf(visit, yield* webhooks.disabled(visit.session.caller))}
                <h2>Connections</h2>
                ${
                  health.length === 0
                    ? empty(
                        "Nobody has connected anything yet",
                        html`Make a connect link for one of your <a href="${visit.root}/end-users">end users</a>.`
                      )
                    : healthOf(visit, health, (slug) => integrations.get(slug)?.name ?? slug)
                }
              `
            }
          })
        )
      )
    ]
  })
)
