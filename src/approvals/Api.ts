import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const saying = (message: string) => ({ message: () => ({ message, override: true as const }) })

const text = (description: string) => Schema.String.annotations({ description })

export const ApprovalStatus = Schema.Literal("pending", "approved", "refused", "used", "expired").annotations({
  ...saying("must be pending, approved, refused, used or expired"),
  identifier: "ApprovalStatus",
  description:
    "pending: nobody has decided; approved: the call may run once, until `expiresAt`; refused: it may not; used: it ran; expired: nobody decided in time, or it did not run in time"
})
export type ApprovalStatus = typeof ApprovalStatus.Type

/** A call of a tool that does not run unless somebody agrees. */
export const Approval = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Id of the approval" }),
  status: ApprovalStatus,
  tool: text("Name of the tool"),
  title: text("Name of the tool, for people"),
  arguments: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "What it is called with: the approval is for exactly this"
  }),
  connectionId: Schema.NullOr(Schema.UUID).annotations({ description: "The connection that it is called with" }),
  provider: Schema.NullOr(Schema.String).annotations({ description: "Slug of the connection's provider or toolkit" }),
  workspaceId: Schema.UUID.annotations({ description: "The workspace that it is called in" }),
  endUserId: text("Your own id of the end user for whom it is called"),
  approvalUrl: text(
    "The page on which the end user decides: for them only. It asks your sign-in address who they are; where there is none, whoever has the link decides"
  ),
  decidedBy: Schema.NullOr(
    Schema.Literal("end_user", "organisation").annotations({
      identifier: "ApprovalDecider",
      description: "end_user: on the page; organisation: by the API or the console"
    })
  ).annotations({ description: "Who decided; null: nobody has" }),
  createdAt: text("When the call was made first: ISO 8601 date-time"),
  decidedAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time" }),
  expiresAt: text(
    "Until when it can be decided, a day from `createdAt`, or until when the decision holds, 15 minutes from `decidedAt`: ISO 8601 date-time"
  )
}).annotations({ identifier: "Approval", description: "A call of a tool that does not run unless somebody agrees" })
export type Approval = typeof Approval.Type

/** A decision on a call. */
export const Decision = Schema.Literal("approve", "refuse").annotations({
  ...saying("must be approve or refuse"),
  identifier: "ApprovalDecisionKind",
  description: "approve: the identical call then runs once within 15 minutes; refuse: it does not run for as long"
})
export type Decision = typeof Decision.Type

export const NewDecision = Schema.Struct({ decision: Decision }).annotations({
  ...strict,
  identifier: "ApprovalDecision",
  description: "A decision on a call"
})

const Path = Schema.Struct({
  id: Schema.UUID.annotations({ ...saying("must be the UUID of an approval"), description: "UUID of an approval" })
})

/** Calls of tools to which somebody has to agree. */
export class ApprovalsApi extends HttpApiGroup.make("approvals")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/approvals")
      .setUrlParams(
        Schema.Struct({
          ...pageQuery,
          status: Schema.optional(ApprovalStatus.annotations({ description: "Only those of this status" }))
        }).annotations(strict)
      )
      .addSuccess(Page(Approval))
      .annotate(OpenApi.Summary, "List approvals")
      .annotate(
        OpenApi.Description,
        "Calls of agents in the key's environment to which somebody has to agree, or had to, newest first; kept for 30 days."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/approvals/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, Approval))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get an approval")
      .annotate(OpenApi.Description, "That of an event `approval.requested`, with the arguments of its call.")
  )
  .add(
    HttpApiEndpoint.post("decide", "/approvals/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .setPayload(NewDecision)
      .addSuccess(Envelope(200, Approval))
      .addError(wires.NotFound)
      .addError(wires.Conflict)
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Decide on a call")
      .annotate(
        OpenApi.Description,
        "In place of the end user. One decision counts, the first; `409` when there is one, or when it comes too late. The agent has to make the call again."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "approvals")
  .annotate(OpenApi.Description, "Calls of agents to which somebody has to agree.") {}
