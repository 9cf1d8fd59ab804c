import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { filters as wanted, Outcome, outcomes, type ToolCallRecord } from "../../audit/Api.ts"
import { ToolCalls } from "../../audit/ToolCalls.ts"
import { Position } from "../../platform/NewestFirst.ts"
import { duration } from "../Charts.ts"
import { html } from "../Html.ts"
import { empty, field, filters, icon, pages, select, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const { endUserId, tool, workspaceId } = wanted
const Query = Schema.Struct({
  outcome: Schema.optional(Outcome),
  tool,
  endUserId,
  workspaceId,
  before: Schema.optional(Position)
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const pageSize = 50

const inWords = (outcome: string) => {
  const words = outcome.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const choices = [["", "Any outcome"] as const, ...outcomes.map((one) => [one, inWords(one)] as const)]

const outcomeOf = ({ decision, outcome }: ToolCallRecord) =>
  outcome === "ok"
    ? html`<span class="state good">${icon("check")} OK</span>`
    : html`<span class="state ${decision === "allowed" ? "bad" : "warn"}">${icon("warning")} ${inWords(outcome)}</span>`

const listView = (
  visit: Visit,
  { before, ...query }: typeof Query.Type,
  found: ReadonlyArray<ToolCallRecord & { readonly position: string }>
) => {
  const own = `${visit.root}/tool-calls`
  const isFiltered = before !== undefined || Object.values(query).some((one) => one !== undefined)
  return html`
    <h1>Tool calls</h1>
    <p class="lede">What agents called in the last 90 days, newest first, refused and pending calls too.</p>
    ${filters(own, [
      field({
        name: "outcome",
        label: "Outcome",
        control: (attributes) => select(attributes, choices, query.outcome)
      }),
      field({
        name: "tool",
        label: "Tool",
        control: (attributes) => html`<input ${attributes} value="${query.tool}" />`
      }),
      field({
        name: "endUserId",
        label: "End user",
        control: (attributes) => html`<input ${attributes} value="${query.endUserId}" />`
      }),
      field({
        name: "workspaceId",
        label: "Workspace",
        control: (attributes) => html`<input ${attributes} value="${query.workspaceId}" />`
      })
    ])}
    ${
      found.length === 0
        ? isFiltered
          ? empty("No call is like that", html`<a href="${own}">Show all tool calls</a>`)
          : empty(
              "No tool was called yet",
              html`Give an agent the address of a workspace, which <code>POST /mcp/workspaces</code> makes, and what it
                calls shows up here.`
            )
        : table(
            "Tool calls",
            ["Time", "Tool", "Outcome", "End user", "Duration", "Trace"],
            found
              .slice(0, pageSize)
              .map((one) => [
                time(one.at),
                html`<code class="route"><b>${one.tool}</b></code>
                  <span class="note"
                    >in ${one.workspaceName},
                    ${one.via === "mcp" ? "over MCP" : "in chat"}${
                      one.client !== null && html`, by ${one.client}`
                    }</span
                  >`,
                outcomeOf(one),
                one.endUserId === null
                  ? html`<span class="note">–</span>`
                  : html`<a href="${visit.root}/end-users?search=${encodeURIComponent(one.endUserId)}"
                      >${one.endUserId}</a
                    >`,
                html`<span class="latency">${one.milliseconds} ms ${duration(one.milliseconds)}</span>`,
                html`<code class="id" title="Trace id ${one.traceId ?? "unknown"}">${one.traceId ?? "–"}</code>
                  <code class="id soft" title="Request id ${one.requestId}">${one.requestId}</code>`
              ])
          )
    }
    ${pages(own, query, before !== undefined && {}, found.length > pageSize && { before: found[pageSize - 1]?.position })}
  `
}

/** Shows the calls of tools in the session's organisation and environment. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const calls = yield* ToolCalls
    const { page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/tool-calls",
        page(Query, (visit, { before, ...query }) =>
          Effect.map(calls.list(visit.session.caller, { ...query, after: before, take: pageSize + 1 }), (found) => ({
            title: "Tool calls",
            section: "/tool-calls" as const,
            main: listView(visit, { before, ...query }, found)
          }))
        )
      )
    ]
  })
)
