import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type Approval, ApprovalStatus, Decision } from "../../approvals/Api.ts"
import { Approvals } from "../../approvals/Approvals.ts"
import { readable } from "../../approvals/Readable.ts"
import { NotFound } from "../../platform/Errors.ts"
import { html } from "../Html.ts"
import { empty, field, filters, form, pages, select, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { permitted, visits } from "../Visits.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({
  status: Schema.optional(ApprovalStatus),
  before: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)))
}).annotations(strict)

const pageSize = 50

const states = {
  pending: "Waiting",
  approved: "Approved",
  refused: "Refused",
  used: "Done",
  expired: "Too late"
} as const satisfies { readonly [status in ApprovalStatus]: string }

const deciders = { end_user: "by the end user", organisation: "by the organisation" } as const

const decisionForm = (visit: Visit, { id, title }: Approval) =>
  form(
    visit,
    `/approvals/${id}/decide`,
    html`<button type="submit" class="button small" name="decision" value="approve" aria-label="Approve once: ${title}">
        Approve once
      </button>
      <button type="submit" class="button small quiet" name="decision" value="refuse" aria-label="Refuse ${title}">
        Refuse
      </button>`,
    "inline row-actions"
  )

const rowOf = (visit: Visit, approval: Approval) => [
  time(approval.createdAt),
  html`<span class="name">${approval.title}</span> <code>${approval.tool}</code>`,
  html`<code class="arguments">${readable(approval.arguments)}</code>`,
  html`<a href="${visit.root}/end-users?search=${encodeURIComponent(approval.endUserId)}">${approval.endUserId}</a> ${
      approval.provider !== null &&
      html`<span class="note">${approval.provider} <code>${approval.connectionId}</code></span>`
    }`,
  html`${states[approval.status]}
  ${approval.decidedBy !== null && html`<span class="note">${deciders[approval.decidedBy]}</span>`}`,
  approval.status === "pending" && decisionForm(visit, approval)
]

type Found = Effect.Effect.Success<ReturnType<Approvals["Type"]["newest"]>>

const listView = (visit: Visit, { before, status }: typeof Query.Type, found: Found) => html`
  <h1>Approvals</h1>
  <p class="lede">
    Calls of agents to which somebody has to agree. Approved, the identical call runs once when the agent makes it again
    within 15 minutes.
  </p>
  ${filters(
    `${visit.root}/approvals`,
    field({
      name: "status",
      label: "State",
      control: (own) => select(own, [["", "Any state"], ...Object.entries(states)], status)
    })
  )}
  ${
    found.length === 0
      ? empty("There are none", "Calls that wait for consent, and what became of them, show up here for 30 days.")
      : table(
          "Approvals",
          ["Time", "Tool", "Arguments", "End user", "State", ""],
          found.slice(0, pageSize).map((approval) => rowOf(visit, approval))
        )
  }
  ${pages(
    `${visit.root}/approvals`,
    { status },
    before !== undefined && {},
    found.length > pageSize && { before: found[pageSize - 1]?.position }
  )}
`

/** Calls that agents wait for, and decisions of the organisation. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const approvals = yield* Approvals
    const { action, page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/approvals",
        page(Query, (visit, query) =>
          Effect.gen(function* () {
            const found = yield* approvals.newest(visit.session.caller, {
              status: query.status,
              after: query.before,
              take: pageSize + 1
            })
            return { title: "Approvals", section: "/approvals" as const, main: listView(visit, query, found) }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/approvals/:id/decide",
        action(Schema.Struct({ decision: Decision }).annotations(strict), (visit, { decision }) =>
          Effect.gen(function* () {
            yield* permitted(visit, "admin")
            const id = yield* Schema.decodeUnknown(Schema.UUID)(visit.params["id"]).pipe(
              Effect.orElseFail(
                () => new NotFound({ code: "APPROVAL_NOT_FOUND", message: "There is no such approval." })
              )
            )
            const decided = yield* approvals.decide(visit.session.caller, id.toLowerCase(), decision, "organisation")
            return {
              to: "/approvals",
              notice: {
                kind: "done" as const,
                text: `${decided.title} of ${decided.endUserId} is ${decided.status}.`
              }
            }
          })
        )
      )
    ]
  })
)
