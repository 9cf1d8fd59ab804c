import { Context, Effect, Layer, Schema } from "effect"
import { ConnectSessions, connectUrlOf } from "../connections/ConnectSessions.ts"
import { Integrations } from "../connections/Integrations.ts"
import { reachable } from "../connections/Sandbox.ts"
import * as Address from "../platform/Address.ts"
import { Forbidden, NotFound, Unprocessable } from "../platform/Errors.ts"
import { includes } from "../tenancy/Scopes.ts"
import { tool } from "../toolkits/Tool.ts"
import type { RouterTool } from "./RouterTool.ts"
import { nameLimit, sought } from "./ToolCatalogue.ts"
import type { Session } from "./ToolGate.ts"

/** The router tool by which an agent sees what is connected, and has an end user connect what is not. */
export class ConnectionManager extends Context.Tag("tributary/agent/ConnectionManager")<
  ConnectionManager,
  { readonly tool: RouterTool }
>() {
  static readonly layer = Layer.effect(
    ConnectionManager,
    Effect.gen(function* () {
      const sessions = yield* ConnectSessions
      const integrations = yield* Integrations
      const address = yield* Address.publicUrl

      const states = ({ connections, toolkits }: Session, only: string | undefined) =>
        Effect.map(connections, (held) =>
          toolkits
            .filter(({ slug }) => only === undefined || slug === only)
            .flatMap(({ providers, slug }) => {
              const own = held.filter(({ provider }) => providers.includes(provider))
              return own.length === 0
                ? [{ toolkit: slug, status: "not_connected" }]
                : own.map(({ accountName, id, provider, status }) => ({
                    toolkit: slug,
                    provider,
                    status,
                    account: accountName,
                    connection_id: id
                  }))
            })
        )

      /** A session to renew the one connection that needs it, else to add one; and what can be connected in it. */
      const connect = Effect.fnUntraced(function* (
        { agent, connections }: Session,
        endUserId: string,
        slugs: ReadonlyArray<string>
      ) {
        const stale = (yield* connections).filter(
          ({ provider, status }) => slugs.includes(provider) && status === "needs_reauth"
        )
        const [only, ...others] = stale
        if (only !== undefined && others.length === 0) {
          return { ...(yield* sessions.reconnect(agent.caller, only.id, true)), connects: [only.provider] }
        }
        // those of a category that the sandbox lacks are left out, as long as it has one
        const there = yield* Effect.filter(slugs, (slug) => {
          const integration = integrations.get(slug)
          return integration === undefined
            ? Effect.succeed(false)
            : Effect.isSuccess(reachable(agent.caller.environment, integration))
        })
        const connects = there.length > 0 ? there : slugs
        const made = yield* sessions.create(agent.caller, { endUserId, integrations: connects, once: true })
        return { ...made, connects }
      })

      const manage: RouterTool = tool({
        name: "manage_connections",
        title: "Manage connections",
        description:
          "What the end user has connected (list, or status of one toolkit), and how to connect more: connect gives a connect_url, which is good once, for half an hour, and says what it connects. Show both to the end user, who opens it; then go on.",
        hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
        input: Schema.Struct({
          action: Schema.Literal("list", "status", "connect").annotations({ description: "What to do" }),
          toolkit: Schema.optional(
            sought(nameLimit).annotations({
              description: "Which toolkit; status and connect need it"
            })
          )
        }),
        run: (session: Session, { action, toolkit }) =>
          Effect.gen(function* () {
            const { agent, toolkits } = session
            const known = toolkits.find(({ slug }) => slug === toolkit)
            if (known === undefined && (toolkit !== undefined || action !== "list")) {
              const slugs = toolkits.map(({ slug }) => slug).join(", ")
              return yield* new Unprocessable({ errors: { toolkit: `must be one of ${slugs}` } })
            }
            if (action !== "connect" || known === undefined) return { connections: yield* states(session, toolkit) }
            if (!includes(agent.caller.scopes, "connect")) {
              return yield* new Forbidden({
                code: "FORBIDDEN",
                message: "This API key lacks the scope connect, which connect links need."
              })
            }
            if (agent.endUser === undefined) {
              return yield* new NotFound({
                code: "END_USER_NOT_FOUND",
                message:
                  "The request names no end user: the client has to send X-End-User-Id, or ?end_user_id= in the address."
              })
            }
            const made = yield* connect(session, agent.endUser, known.providers)
            return {
              connections: [
                {
                  toolkit: known.slug,
                  status: "waiting_for_the_end_user",
                  connects: made.connects.map((slug) => integrations.get(slug)?.name ?? slug),
                  end_user: agent.endUser,
                  connect_url: connectUrlOf(made, address),
                  use: "Good once, for this end user alone: do not pass it to anybody else.",
                  expires_at: made.expiresAt
                }
              ]
            }
          })
      })

      return { tool: manage }
    })
  )
}
