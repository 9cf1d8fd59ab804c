import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { EndUserId } from "../connections/Api.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const text = (description: string) => Schema.String.annotations({ description })

const moment = (description: string) => Schema.String.annotations({ description: `ISO 8601 date-time${description}` })

const said = (message: string) => ({ message: () => ({ message, override: true as const }) })

// ---------------------------------------------------------------------------------------------------------------------
// the sign-in address

export const SignInAddress = Schema.Struct({
  url: Schema.NullOr(Schema.String).annotations({
    description: "Page of your application that end users are sent to with `?challenge=…`; null: none"
  })
}).annotations({ identifier: "SignInAddress", description: "Where your application says who an end user is" })

export const NewSignInAddress = Schema.Struct({
  url: Schema.String.annotations({
    ...said("must be an https:// address"),
    description: "Page of your application, an `https://` address; in the sandbox also `http://` on your own machine"
  })
}).annotations({
  ...strict,
  identifier: "NewSignInAddress",
  description: "Where your application says who an end user is"
})

/** Where the organisation's own application says who an end user is, in the key's environment. */
export class SignInApi extends HttpApiGroup.make("signIn")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("get", "/settings/sign-in")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, SignInAddress))
      .annotate(OpenApi.Summary, "Get the sign-in address")
      .annotate(OpenApi.Description, "Of the environment of the API key.")
  )
  .add(
    HttpApiEndpoint.put("put", "/settings/sign-in")
      .setUrlParams(NoQuery)
      .setPayload(NewSignInAddress)
      .addSuccess(Envelope(200, SignInAddress))
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Set the sign-in address")
      .annotate(
        OpenApi.Description,
        "When a program such as Claude asks for access to a workspace, or an end user opens the link of an approval, their browser goes there with a `challenge`. Your page signs the user in, calls `POST /mcp/authorizations/{challenge}/accept` from its server and sends the browser to `redirectTo`."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/settings/sign-in")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, SignInAddress))
      .annotate(OpenApi.Summary, "Remove the sign-in address")
      .annotate(
        OpenApi.Description,
        "In production nobody can give programs access any more until there is another. Links of approvals are for whoever has them."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "sign-in address")
  .annotate(OpenApi.Description, "Where your application says who an end user is.") {}

// ---------------------------------------------------------------------------------------------------------------------
// authorizations under way

export const AuthorizationRecord = Schema.Struct({
  workspaceId: Schema.UUID.annotations({ description: "The workspace that it is about" }),
  client: Schema.NullOr(
    Schema.Struct({
      id: text("Its id: an `https://` address that it proved to be its own, or one that it was given"),
      name: text("What the program calls itself"),
      redirectHost: text("Host that it is answered at")
    })
  ).annotations({ description: "The program that asks for access; null where an approval is to be decided" }),
  scopes: Schema.Array(Schema.String).annotations({
    description: "What the program asks for: `tools:read`, `tools:write`; empty where there is none"
  }),
  approvalId: Schema.NullOr(Schema.UUID).annotations({
    description: "The approval whose link was opened, which only its own end user sees; null where a program asks"
  }),
  expiresAt: moment(": until then it can be answered")
}).annotations({
  identifier: "McpAuthorization",
  description: "A program asks for access, or a call of an agent for approval, and waits to hear who the end user is"
})

export const Acceptance = Schema.Struct({
  endUserId: EndUserId,
  displayName: Schema.optional(
    Schema.String.pipe(
      Schema.maxLength(255),
      Schema.annotations({
        ...said("must be text of at most 255 characters"),
        description: "The end user's name, for people"
      })
    )
  )
}).annotations({ ...strict, identifier: "McpAcceptance", description: "Who the end user is" })

export const Rejection = Schema.Struct({
  reason: Schema.optional(
    Schema.String.pipe(
      // the protocol allows no others in what goes to the program
      Schema.pattern(/^[ !#-[\]-~]{1,200}$/),
      Schema.annotations({
        ...said('must be 1 to 200 characters of ASCII, without " and \\'),
        description: "Why, for the program's user"
      })
    )
  )
}).annotations({ ...strict, identifier: "McpRejection", description: "That nobody is let in" })

const OnwardAddress = Schema.Struct({
  redirectTo: text("Send the browser there: it holds a verifier, which works once and only in the browser that began")
}).annotations({ identifier: "OnwardAddress", description: "Where the browser goes on" })

const ChallengePath = Schema.Struct({ challenge: text("From the query of the sign-in address") })

// ---------------------------------------------------------------------------------------------------------------------
// grants and tokens

export const GrantRecord = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Id of the grant" }),
  workspaceId: Schema.UUID.annotations({ description: "The workspace that it opens" }),
  workspaceName: text("The workspace's name"),
  endUserId: text("Your own id of the end user as whom it is used"),
  origin: Schema.Literal("host", "organisation").annotations({
    identifier: "GrantOrigin",
    description: "host: the end user gave it to a program of theirs; organisation: it was made with an API key"
  }),
  client: Schema.NullOr(
    Schema.Struct({ name: text("What the program calls itself"), redirectHost: text("Host that it is answered at") })
  ).annotations({ description: "The program; null for a token that was made with an API key" }),
  scopes: Schema.Array(Schema.String).annotations({
    description: "`tools:read`: tools that change nothing; `tools:write`: all of the workspace's"
  }),
  tools: Schema.NullOr(Schema.Array(Schema.String)).annotations({ description: "The only tools; null: all of them" }),
  createdAt: moment(""),
  lastUsedAt: Schema.NullOr(Schema.String).annotations({
    description: "ISO 8601 date-time, to the minute; null: it was not used"
  }),
  expiresAt: moment(""),
  revokedAt: Schema.NullOr(Schema.String).annotations({
    description: "ISO 8601 date-time; null: it was not ended before its time"
  })
}).annotations({ identifier: "McpGrant", description: "Leave to use a workspace as an end user" })

const GrantsQuery = Schema.Struct({
  ...pageQuery,
  endUserId: Schema.optional(text("Only those of this end user, by your own id"))
}).annotations(strict)

/** Most tools that a token names. */
const mostTools = 100

/** Seconds that a token lasts at most, and where nothing else is said. */
export const longestToken = 24 * 3600
export const usualToken = 3600

export const NewToken = Schema.Struct({
  endUserId: EndUserId,
  expiresIn: Schema.optional(
    Schema.Int.pipe(
      Schema.between(60, longestToken),
      Schema.annotations({
        ...said(`must be a whole number of seconds from 60 to ${longestToken}`),
        jsonSchema: {
          type: "integer",
          minimum: 60,
          maximum: longestToken,
          default: usualToken,
          description: "Seconds that it lasts"
        }
      })
    )
  ),
  readOnly: Schema.optional(Schema.Boolean.annotations({ description: "true: only tools that change nothing" })),
  tools: Schema.optional(
    Schema.NonEmptyArray(Schema.String).pipe(
      Schema.maxItems(mostTools),
      Schema.annotations({
        ...said(`must be a list of 1 to ${mostTools} names of tools; leave it out for all`),
        description: "The only tools that it calls; absent: all of the workspace's"
      })
    )
  )
}).annotations({ ...strict, identifier: "NewMcpToken", description: "A token for one end user" })

export const TokenRecord = Schema.Struct({
  token: text("The token, shown this once: send it as `Authorization: Bearer …`, without `X-End-User-Id`"),
  expiresAt: moment(""),
  grantId: Schema.UUID.annotations({ description: "Ends it: `DELETE /mcp/grants/{id}`" })
}).annotations({ identifier: "McpToken", description: "A token for one end user" })

/** Programs of end users: who they are asked for, what they were let do, and tokens for an organisation's own pages. */
export class McpAccessApi extends HttpApiGroup.make("mcpAccess")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("challenge", "/mcp/authorizations/:challenge")
      .setPath(ChallengePath)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, AuthorizationRecord))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get an authorization")
      .annotate(OpenApi.Description, "What your sign-in page is asked, as long as it was not answered.")
  )
  .add(
    HttpApiEndpoint.post("accept", "/mcp/authorizations/:challenge/accept")
      .setPath(ChallengePath)
      .setUrlParams(NoQuery)
      .setPayload(Acceptance)
      .addSuccess(Envelope(200, OnwardAddress))
      .addError(wires.NotFound)
      .addError(wires.Conflict)
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Accept an authorization")
      .annotate(
        OpenApi.Description,
        "Says who the end user in this browser is: call it only once they have signed in there. They are then asked for their consent, or see the call that waits for them; a call of another end user is not shown. 409 when it was answered before."
      )
  )
  .add(
    HttpApiEndpoint.post("reject", "/mcp/authorizations/:challenge/reject")
      .setPath(ChallengePath)
      .setUrlParams(NoQuery)
      .setPayload(Rejection)
      .addSuccess(Envelope(200, OnwardAddress))
      .addError(wires.NotFound)
      .addError(wires.Conflict)
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Reject an authorization")
      .annotate(
        OpenApi.Description,
        "The program is told that access was denied, or a call is not shown. 409 when it was answered before."
      )
  )
  .add(
    HttpApiEndpoint.get("grants", "/mcp/grants")
      .setUrlParams(GrantsQuery)
      .addSuccess(Page(GrantRecord))
      .annotate(OpenApi.Summary, "List grants")
      .annotate(
        OpenApi.Description,
        "Which programs may use which workspaces as which end users, newest first, for some time also those that ended; of the environment of the calling key."
      )
  )
  .add(
    HttpApiEndpoint.del("endGrant", "/mcp/grants/:id")
      .setPath(Schema.Struct({ id: text("UUID of the grant") }))
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, GrantRecord))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "End a grant")
      .annotate(
        OpenApi.Description,
        "With every token of it, on every instance within a second. Ending it again changes nothing."
      )
  )
  .add(
    HttpApiEndpoint.post("token", "/mcp/workspaces/:id/tokens")
      .setPath(
        Schema.Struct({
          id: Schema.UUID.annotations({
            ...said("must be the UUID of a workspace"),
            description: "UUID of a workspace"
          })
        })
      )
      .setUrlParams(NoQuery)
      .setPayload(NewToken)
      .addSuccess(Envelope(201, TokenRecord), { status: 201 })
      .addError(wires.NotFound)
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Create a token for an end user")
      .annotate(
        OpenApi.Description,
        "For a page of your own: it opens the workspace's tools and chat as this end user, and nothing else. It ends with its time, its grant, the end user, the workspace or the key that made it."
      )
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "access to workspaces")
  .annotate(
    OpenApi.Description,
    "Programs of end users, such as Claude or ChatGPT: who the end user is, what was granted, and tokens for your own pages."
  ) {}
