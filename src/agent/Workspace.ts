import { Schema } from "effect"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { holdsAtMost, modelName, promptText, saying, strict } from "./TextLimits.ts"

/** The calls of tools to which somebody has to agree. */
export const Confirm = Schema.Literal("never", "destructive", "writes").annotations({
  ...saying("must be never, destructive or writes"),
  identifier: "Confirm",
  description:
    "The calls to which somebody has to agree before they run. destructive: those that change or remove something; writes: all that do not only read; never: none. Who is asked is the user of a client that can show the question, else whoever opens the link in the answer, or the organisation (`/approvals`)"
})
export type Confirm = typeof Confirm.Type

const patterns = (description: string) => Schema.Array(Schema.String).annotations({ description })

/** Most days for which contents are kept: as long as the calls themselves. */
const mostDays = 90

const wholeDays = saying(`must be a whole number from 0 to ${mostDays}`)
const KeepContentDays = Schema.Int.annotations(wholeDays).pipe(
  Schema.between(0, mostDays, {
    ...wholeDays,
    jsonSchema: {
      type: "integer",
      minimum: 0,
      maximum: mostDays,
      description:
        "Days for which arguments and answers of tool calls are kept, encrypted, for GET /tool-calls/{id}; 0: not at all, and what was kept is erased within the hour"
    }
  })
)

/** The tools of a workspace, by patterns of their names. */
const ToolPatterns = Schema.Struct({
  allow: patterns("Only these tools, by name or by pattern: in crm_*, * stands for any characters"),
  deny: patterns("Not these tools, whatever allows them")
}).annotations({ identifier: "ToolPatterns", description: "Which tools of its integrations it exposes" })
export type ToolPatterns = typeof ToolPatterns.Type

/** A tool server: what an agent may use. */
export const Workspace = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Stands in the address of its tool server" }),
  name: Schema.String.annotations({ description: "For people" }),
  mode: Schema.Literal("router").annotations({ description: "router: agents find its tools by searching for them" }),
  environment: Environment,
  toolkitFilter: Schema.Array(Schema.String).annotations({
    description: "Slugs of the integrations it exposes; empty: all of them"
  }),
  status: Schema.Literal("active", "archived").annotations({
    identifier: "WorkspaceStatus",
    description: "archived: it is gone for every call"
  }),
  readOnly: Schema.Boolean.annotations({ description: "Whether it exposes only tools that change nothing" }),
  tools: ToolPatterns,
  confirm: Confirm,
  instructions: Schema.NullOr(Schema.String).annotations({
    description: "What its agents are told: by chat in front of the rules, by MCP behind the server's own instructions"
  }),
  model: Schema.NullOr(Schema.String).annotations({
    description: "Which model answers in its chat, by its provider's name; null: the operator's (`LLM_MODEL`)"
  }),
  keepContentDays: KeepContentDays,
  createdAt: Schema.String.annotations({ description: "ISO 8601 date-time" }),
  updatedAt: Schema.String.annotations({ description: "ISO 8601 date-time" })
}).annotations({ identifier: "Workspace", description: "A tool server: what an agent may use" })
export type Workspace = typeof Workspace.Type

const name = Schema.String.annotations(saying("must be text of 1 to 100 characters")).pipe(
  Schema.filter((text) => text !== "" && holdsAtMost(100)(text), {
    ...saying("must be 1 to 100 characters"),
    jsonSchema: { type: "string", minLength: 1, maxLength: 100, description: "For people" }
  })
)

const integrations = Schema.Array(Schema.String.annotations(saying("must be the slug of an integration"))).pipe(
  Schema.maxItems(100, { message: () => ({ message: "must not have more than 100 slugs", override: false }) }),
  Schema.annotations({ description: "Slugs such as github, crm, accounting; [] means all of them" })
)

const givenPatterns = (description: string) =>
  Schema.Array(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(128)).annotations(
      saying("must be the name of a tool, or a pattern such as crm_*, of 1 to 128 characters")
    )
  ).pipe(
    Schema.maxItems(100, { message: () => ({ message: "must not have more than 100 patterns", override: false }) }),
    Schema.annotations({ description })
  )

const changeable = {
  integrations: Schema.optional(integrations),
  readOnly: Schema.optional(
    Schema.Boolean.annotations({
      ...saying("must be true or false"),
      description: "true: only tools that change nothing; false when absent"
    })
  ),
  tools: Schema.optional(
    Schema.Struct({
      allow: Schema.optional(
        givenPatterns("Only these tools, by name or by pattern (crm_*); all (*) when absent").pipe(
          Schema.minItems(1, {
            message: () => ({ message: 'must have one pattern at least: ["*"] allows all tools', override: false })
          })
        )
      ),
      deny: Schema.optional(givenPatterns("Not these tools, whatever allows them; none when absent"))
    }).annotations({ description: "Which tools of its integrations it exposes" })
  ),
  confirm: Schema.optional(Confirm),
  instructions: Schema.optional(
    Schema.NullOr(promptText).annotations({ description: "What its agents are told; null: nothing of its own" })
  ),
  model: Schema.optional(
    Schema.NullOr(modelName).annotations({
      description: "Which model answers in chat, one of `GET /mcp/models`; null: the operator's usual one"
    })
  ),
  keepContentDays: Schema.optional(KeepContentDays)
}

export const NewWorkspace = Schema.Struct({ name, ...changeable }).annotations({
  ...strict,
  identifier: "NewWorkspace",
  description: "A workspace to be made"
})

export const WorkspaceChanges = Schema.Struct({ name: Schema.optional(name), ...changeable }).annotations({
  ...strict,
  identifier: "WorkspaceChanges",
  description: "What is to change of a workspace"
})
