import { Cause, Clock, Context, Effect, Either, Exit, Layer, Schema } from "effect"
import type { Decision, Outcome as Ended } from "../audit/Api.ts"
import { ToolCalls } from "../audit/ToolCalls.ts"
import type { Connection } from "../connections/Connection.ts"
import { Connections } from "../connections/Connections.ts"
import * as Deadline from "../platform/Deadline.ts"
import { type ApiError, GatewayTimeout, InternalError, isApiError, Unprocessable } from "../platform/Errors.ts"
import { finishing } from "../platform/Finishing.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { Idempotency } from "../records/Idempotency.ts"
import { toApiError } from "../records/ProviderFailures.ts"
import { requestLimit } from "../tenancy/Authentication.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import type { JsonObject } from "../toolkits/Tool.ts"
import type { Workspace } from "./Api.ts"
import { choose, readArguments } from "./ConnectionChoice.ts"
import { nameLimit, type Offer, plainName, ToolCatalogue, type ToolkitFacts } from "./ToolCatalogue.ts"
import { failureOf, refuse, ToolFailure } from "./ToolFailure.ts"
import { type Untrusted, untrusted } from "./Untrusted.ts"

/** For whom an agent works in one request, and what the request narrows its tools to. */
export interface Agent {
  readonly caller: Caller
  readonly workspace: Workspace
  readonly via: "mcp" | "chat"
  /** The organisation's own name for the end user; without one nothing is connected. */
  readonly endUser: string | undefined
  /** UUID of the only connection to use. */
  readonly connection: string | undefined
  /** Only tools that change nothing. */
  readonly readOnly: boolean
  /** Only tools of these names; undefined: all of the workspace's. */
  readonly only: ReadonlySet<string> | undefined
  readonly idempotencyKey: string | undefined
}

/** How a call of a tool ended. */
export type Outcome =
  | { readonly tool: string; readonly ok: true; readonly output: Untrusted }
  | { readonly tool: string; readonly ok: false; readonly error: ToolFailure }

/** One request's way to the tools: what is counted for each request is counted here. */
export interface Session {
  readonly agent: Agent
  readonly toolkits: ReadonlyArray<ToolkitFacts>
  /** What it may call, by name. */
  readonly tools: ReadonlyArray<Offer>
  /** One of those, by its name written in any way. */
  readonly find: (name: string) => Offer | undefined
  /** Names of those that fit a request in plain words, best first. */
  readonly search: (query: string, limit: number, isWanted?: (offer: Offer) => boolean) => ReadonlyArray<Offer>
  /** The end user's connections to what the workspace exposes. */
  readonly connections: Effect.Effect<ReadonlyArray<Connection>>
  /** Never fails: what goes wrong is the outcome. `readOnly`: a tool that changes something is refused. */
  readonly call: (name: string, args: unknown, readOnly: boolean) => Effect.Effect<Outcome>
  /** Notes calls that do not run: their user is asked about them first, or declined them. */
  readonly withheld: (
    calls: ReadonlyArray<{ readonly tool: string; readonly arguments: unknown }>,
    outcome: "approval_required" | "declined"
  ) => Effect.Effect<void>
}

/** The tools that lead to others: they are no tools of a workspace. */
export const routerNames: ReadonlySet<string> = new Set([
  "execute_read_tools",
  "execute_tools",
  "get_tool_schemas",
  "manage_connections",
  "search_tools"
])

/** Calls of tools in one request, and how many of them run at a time. */
export const callLimit = 20
export const callsAtATime = 5

/** Seconds that a call of a tool may take. */
const callTime = 60

/**
 * The one way to the tools, for the tool runtime and for chat, direct or through a router tool: what is not in the
 * workspace, not of the end user, or not asked for in the right way does not happen, and every call is noted.
 */
export class ToolGate extends Context.Tag("tributary/agent/ToolGate")<
  ToolGate,
  { readonly open: (agent: Agent) => Effect.Effect<Session> }
>() {
  static readonly layer = Layer.effect(
    ToolGate,
    Effect.gen(function* () {
      const catalogue = yield* ToolCatalogue
      const connections = yield* Connections
      const idempotency = yield* Idempotency
      const limiter = yield* RateLimiter
      const calls = yield* ToolCalls
      const limit = yield* requestLimit
      const policy: Policy = { name: "tool-calls", limit, window: "1 minute" }

      const open = Effect.fn("ToolGate.open")(function* (agent: Agent) {
        const { caller, endUser, workspace } = agent
        const exposed = ({ slug }: ToolkitFacts) =>
          workspace.toolkitFilter.length === 0 || workspace.toolkitFilter.includes(slug)
        const isAllowed = (offer: Offer) =>
          exposed(offer.toolkit) &&
          (!agent.readOnly || offer.hints.readOnly) &&
          (agent.only === undefined || agent.only.has(offer.name))
        const toolkits = catalogue.toolkits().filter(exposed)
        const tools = catalogue.tools().filter(isAllowed)
        const byName = new Map(tools.map((offer) => [offer.name, offer]))
        const running = yield* Effect.makeSemaphore(callsAtATime)
        let counted = 0

        const held = endUser === undefined ? Effect.succeed(undefined) : connections.ofEndUser(caller, endUser)

        const search: Session["search"] = (query, limit, isWanted = () => true) =>
          catalogue
            .index()
            .search(query, limit, (name) => {
              const offer = byName.get(name)
              return offer !== undefined && isWanted(offer)
            })
            .flatMap((name) => byName.get(name) ?? [])

        const permitted = (name: string, count: number, readOnly: boolean): Either.Either<Offer, ToolFailure> => {
          const offer = catalogue.find(name)
          if (count > callLimit) {
            return refuse("not_permitted", `One request may call ${callLimit} tools; call the rest in the next.`)
          }
          if (offer === undefined && routerNames.has(plainName(name))) {
            return refuse("not_permitted", `${plainName(name)} is called by itself, not within another tool.`)
          }
          if (name.length > nameLimit) {
            return refuse(
              "unknown_tool",
              `The name of a tool has at most ${nameLimit} characters. search_tools finds tools.`
            )
          }
          if (offer === undefined) {
            const did_you_mean = search(name.replaceAll(/[_.-]+/g, " "), 3).map((one) => one.name)
            return refuse("unknown_tool", `There is no tool ${name}. search_tools finds tools.`, { did_you_mean })
          }
          if (!exposed(offer.toolkit)) {
            return refuse("not_permitted", `${offer.toolkit.slug} is not among the integrations of this workspace.`)
          }
          if (readOnly && !offer.hints.readOnly) {
            return refuse("write_not_allowed", `${offer.name} changes something: call it with execute_tools.`)
          }
          return isAllowed(offer)
            ? Either.right(offer)
            : refuse("not_permitted", `${offer.name} is not among the tools that this request is narrowed to.`)
        }

        const withinLimit = Effect.gen(function* () {
          if (limit === 0 || endUser === undefined) return
          const key = `${caller.organisation}/${caller.environment}/${endUser}`
          const { allowed, retryAfter } = yield* limiter.take(key, policy)
          if (!allowed) {
            return yield* refuse("rate_limited", "Too many tool calls for this end user.", {
              retry_after: Math.ceil(retryAfter)
            })
          }
        })

        /** The call itself, within its time. */
        const run = (offer: Offer, at: Connection | undefined, args: JsonObject, count: number) => {
          const { readOnly } = offer.hints
          const late = new GatewayTimeout({
            message: `${offer.name} did not end within ${callTime} seconds.${readOnly ? "" : " What it changes may still take effect: look before calling it again."}`
          })
          const called = answered(offer, at, args, count)
          // what was sent is finished, also when its caller was told that time is up
          return Effect.flatMap(Deadline.after(callTime), (deadline) =>
            (readOnly ? called : finishing(called)).pipe(
              Effect.locally(Deadline.current, deadline),
              Effect.timeoutFail({ duration: `${callTime} seconds`, onTimeout: () => late })
            )
          )
        }

        /** Runs a tool, under the call's idempotency key where it is a write that has one. */
        const answered = (offer: Offer, at: Connection | undefined, args: JsonObject, count: number) => {
          const subject = { caller, endUser: endUser ?? "", connection: at?.id }
          const key =
            agent.idempotencyKey === undefined || offer.hints.readOnly ? undefined : `${agent.idempotencyKey}:${count}`
          const call = offer.call({ ...subject, at, idempotencyKey: key }, args).pipe(
            Effect.mapError((error): ApiError =>
              error._tag === "InvalidArguments"
                ? new Unprocessable({ errors: error.errors })
                : error._tag === "ProviderError"
                  ? toApiError(error)
                  : error
            ),
            Effect.catchAllDefect((defect) =>
              isApiError(defect)
                ? Effect.fail(defect)
                : Effect.zipRight(
                    Effect.logError("a tool failed unexpectedly", defect),
                    Effect.fail(new InternalError())
                  )
            )
          )
          if (key === undefined) return call
          const attempt = {
            subject,
            key,
            method: "TOOL",
            path: `${workspace.id}/${offer.name}`,
            content: JSON.stringify([at?.id, args]),
            repeats: offer.hints.idempotent
          }
          return idempotency
            .once(
              attempt,
              Effect.map(call, (body) => ({ status: 200, body })),
              (error) => Effect.succeed({ status: error.status, body: failureOf(error, offer.toolkit.slug) })
            )
            .pipe(
              Effect.flatMap(({ body, status }) =>
                status >= 400 && isFailure(body) ? Effect.fail(body) : Effect.succeed(body)
              )
            )
        }

        const note = ({ answer = null, args, at, decision, milliseconds = 0, offer, outcome, tool }: Noted) =>
          calls.note({
            caller,
            workspace: workspace.id,
            via: agent.via,
            endUser,
            connection: at?.id,
            toolkit: offer?.toolkit.slug,
            tool: offer?.name ?? tool,
            args,
            decision,
            outcome,
            approval: undefined,
            milliseconds,
            content: workspace.keepContentDays > 0 ? { arguments: cut(args), answer } : undefined
          })

        const call: Session["call"] = (name, args, readOnly) =>
          Effect.gen(function* () {
            const started = yield* Clock.currentTimeMillis
            // what is too long for a name is not told back
            const called = name.length > nameLimit ? "(not a name)" : name
            const count = ++counted
            const seen: { offer?: Offer; at?: Connection | undefined; allowed: boolean } = { allowed: false }

            const attempt = Effect.gen(function* () {
              const offer = (seen.offer = yield* permitted(name, count, readOnly))
              yield* withinLimit
              seen.allowed = true
              const { choice, own } = yield* readArguments(offer, args)
              const at = (seen.at = yield* choose(offer, choice, agent, yield* held))
              const answer = yield* run(offer, at, own, count).pipe(
                Effect.mapError((error) => (isApiError(error) ? explained(error, offer) : error))
              )
              return yield* Either.mapLeft(
                untrusted(offer.toolkit.slug, answer, offer.verbatim === true),
                (): ToolFailure => ({
                  code: "too_large",
                  message: `The answer of ${offer.name} does not fit, however it is shortened. Ask for less.`
                })
              )
            }).pipe(
              Effect.match({
                onFailure: (error): Outcome => ({ tool: seen.offer?.name ?? called, ok: false, error }),
                onSuccess: (output): Outcome => ({ tool: seen.offer?.name ?? called, ok: true, output })
              }),
              Effect.onExit((exit) =>
                Effect.gen(function* () {
                  const outcome = endOf(exit)
                  if (outcome !== "ok") yield* Effect.annotateCurrentSpan("error.type", outcome)
                  yield* note({
                    ...seen,
                    tool: called,
                    args,
                    decision: seen.allowed ? "allowed" : "denied",
                    outcome,
                    answer: exit._tag === "Failure" ? null : exit.value.ok ? exit.value.output : exit.value.error,
                    milliseconds: (yield* Clock.currentTimeMillis) - started
                  })
                })
              ),
              spanOf(catalogue.find(name)?.name ?? "unknown", workspace.id)
            )
            // a write that has begun is finished, whether its caller waits for it or not
            const isWrite = catalogue.find(name)?.hints.readOnly === false
            return yield* running.withPermits(1)(isWrite ? finishing(attempt) : attempt)
          })

        return {
          agent,
          toolkits,
          tools,
          find: (name) => byName.get(plainName(name)),
          search,
          connections: Effect.map(held, (all) =>
            (all ?? []).filter(
              ({ id, provider }) =>
                toolkits.some(({ providers }) => providers.includes(provider)) &&
                (agent.connection === undefined || agent.connection === id)
            )
          ),
          call,
          withheld: (planned, outcome) =>
            Effect.forEach(
              planned,
              ({ arguments: args, tool }) =>
                note({
                  offer: catalogue.find(tool),
                  tool,
                  args,
                  decision: outcome === "declined" ? "denied" : "pending",
                  outcome
                }),
              { discard: true }
            )
        } satisfies Session
      })

      return { open }
    })
  )
}

/** What the audit is told of one call. */
interface Noted {
  readonly offer?: Offer | undefined
  readonly at?: Connection | undefined
  /** As it was called. */
  readonly tool: string
  readonly args: unknown
  readonly decision: Decision
  readonly outcome: Ended
  /** Absent: none. */
  readonly answer?: unknown
  readonly milliseconds?: number
}

const endOf = (exit: Exit.Exit<Outcome>): Ended => {
  if (Exit.isSuccess(exit)) return exit.value.ok ? "ok" : exit.value.error.code
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "internal_error"
}

/** Arguments as they are kept; those of any size are cut to fit as answers are. */
const cut = (args: unknown) =>
  Either.match(untrusted("", args, true), { onLeft: () => null, onRight: ({ content }) => content })

/** The span of a call of a tool, by OpenTelemetry's names (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/#execute-tool-span). */
export const spanOf = (tool: string, workspace: string) =>
  Effect.withSpan(`execute_tool ${tool}`, {
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "extension",
      "gen_ai.agent.id": workspace
    }
  })

const isFailure = Schema.is(ToolFailure)

/** A refusal of the arguments comes with what they should be. */
const explained = (error: ApiError, offer: Offer): ToolFailure => {
  const failure = failureOf(error, offer.toolkit.slug)
  return failure.code === "invalid_arguments" ? { ...failure, input_schema: offer.inputSchema() } : failure
}
