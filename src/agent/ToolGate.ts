import { Clock, Context, Effect, Either, Layer, Schema } from "effect"
import { Approvals } from "../approvals/Approvals.ts"
import { ToolCalls } from "../audit/ToolCalls.ts"
import type { Connection } from "../connections/Connection.ts"
import { Connections } from "../connections/Connections.ts"
import * as Deadline from "../platform/Deadline.ts"
import {
  type ApiError,
  Forbidden,
  GatewayTimeout,
  InternalError,
  isApiError,
  Unprocessable
} from "../platform/Errors.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { Idempotency } from "../records/Idempotency.ts"
import { toApiError } from "../records/ProviderFailures.ts"
import { requestLimit } from "../tenancy/Authentication.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import type { JsonObject } from "../toolkits/Tool.ts"
import { choose, readArguments } from "./ConnectionChoice.ts"
import { executorOf, fitting, needsConsent, type Reach, strictest } from "./ConfirmationPolicy.ts"
import type { Narrowing } from "./Narrowing.ts"
import { nameLimit, type Offer, plainName, ToolCatalogue, type ToolkitFacts } from "./ToolCatalogue.ts"
import { endOf, noting, type Outcome, type Seen, spanOf } from "./ToolNotes.ts"
import { failureOf, invalidArguments, refuse, ToolFailure, unagreed } from "./ToolFailure.ts"
import { untrusted } from "./Untrusted.ts"
import type { Confirm, Workspace } from "./Workspace.ts"

/** The caller and end user that an agent works for in one request, and how the request narrows its workspace. */
export interface Agent extends Narrowing {
  readonly caller: Caller
  readonly workspace: Workspace
  readonly via: "mcp" | "chat"
  /** The organisation's own id of the end user; without one nothing is connected. */
  readonly endUser: string | undefined
  /** Calls that need somebody's consent, besides those that the workspace names. */
  readonly confirm: Confirm
  readonly idempotencyKey: string | undefined
}

/** One request's access to the tools, with everything that is counted for each request. */
export interface Session {
  readonly agent: Agent
  /** The workspace or the request allows only tools that change nothing. */
  readonly readOnly: boolean
  readonly toolkits: ReadonlyArray<ToolkitFacts>
  /** The tools it may call, by name. */
  readonly tools: ReadonlyArray<Offer>
  /** Finds one of those by its name, however it is spelled. */
  readonly find: (name: string) => Offer | undefined
  /** The tools that fit a request in plain words, best first. */
  readonly search: (query: string, limit: number, isWanted?: (offer: Offer) => boolean) => ReadonlyArray<Offer>
  /** The end user's connections to what the workspace exposes. */
  readonly connections: Effect.Effect<ReadonlyArray<Connection>>
  /** Whether a call runs only with somebody's consent. */
  readonly asks: (name: string, reach: Reach) => boolean
  /** Never fails: failures are outcomes. A tool that does more than `reach` is refused. */
  readonly call: (name: string, args: unknown, reach: Reach) => Effect.Effect<Outcome>
  /** The same session for a call that the client's user has agreed to. */
  readonly consented: () => Session
  /** Notes calls that do not run: the user is asked first, or declined them, or the consent is not valid. */
  readonly withheld: (
    calls: ReadonlyArray<{ readonly tool: string; readonly arguments: unknown }>,
    outcome: "approval_required" | "declined" | "not_permitted"
  ) => Effect.Effect<void>
}

/** Names of the router tools, which are no tools of a workspace. */
export const routerNames: ReadonlySet<string> = new Set([
  "execute_destructive_tools",
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
 * The only way to the tools, for the tool runtime and for chat, direct or through a router tool. Calls do not run that are
 * not in the workspace, not the end user's, not agreed to, or not valid; every call is noted.
 */
export class ToolGate extends Context.Tag("tributary/agent/ToolGate")<
  ToolGate,
  { readonly open: (agent: Agent) => Effect.Effect<Session> }
>() {
  static readonly layer = Layer.effect(
    ToolGate,
    Effect.gen(function* () {
      const catalogue = yield* ToolCatalogue
      const approvals = yield* Approvals
      const connections = yield* Connections
      const idempotency = yield* Idempotency
      const limiter = yield* RateLimiter
      const calls = yield* ToolCalls
      const limit = yield* requestLimit
      const policy: Policy = { name: "tool-calls", limit, window: "1 minute" }

      const open = Effect.fn("ToolGate.open")(function* (agent: Agent) {
        const { caller, endUser, workspace } = agent
        const readOnly = workspace.readOnly || agent.readOnly
        const confirm = strictest(workspace.confirm, agent.confirm)
        const isAllowedName = fitting(workspace.tools.allow)
        const isDeniedName = fitting(workspace.tools.deny)
        const narrowings = agent.only.map(fitting)
        const isNarrowedTo = (name: string) => narrowings.every((fits) => fits(name))
        const exposed = ({ slug }: ToolkitFacts) =>
          workspace.toolkitFilter.length === 0 || workspace.toolkitFilter.includes(slug)
        const isOfWorkspace = ({ hints, name, toolkit }: Offer) =>
          exposed(toolkit) && isAllowedName(name) && !isDeniedName(name) && (!workspace.readOnly || hints.readOnly)
        const isAllowed = (offer: Offer) =>
          isOfWorkspace(offer) && (!readOnly || offer.hints.readOnly) && isNarrowedTo(offer.name)
        // in chat the user is asked in any case, whichever executor a model chose
        const isWithin = ({ destructive, readOnly }: Offer["hints"], reach: Reach) =>
          readOnly || reach === "destroys" || (reach === "writes" && (!destructive || agent.via === "chat"))
        const find = (name: string) => byName.get(plainName(name))
        const toolkits = catalogue.toolkits().filter(exposed)
        const tools = catalogue.tools().filter(isAllowed)
        const byName = new Map(tools.map((offer) => [offer.name, offer]))
        const running = yield* Effect.makeSemaphore(callsAtATime)
        let counted = 0

        const note = noting(calls, agent)
        const held = endUser === undefined ? Effect.succeed(undefined) : connections.ofEndUser(caller, endUser)

        const search: Session["search"] = (query, limit, isWanted = () => true) =>
          catalogue
            .index()
            .search(query, limit, (name) => {
              const offer = byName.get(name)
              return offer !== undefined && isWanted(offer)
            })
            .flatMap((name) => byName.get(name) ?? [])

        const permitted = (name: string, count: number, reach: Reach): Either.Either<Offer, ToolFailure> => {
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
          if (!isOfWorkspace(offer)) {
            return refuse("not_permitted", `${offer.name} is not among the tools that this workspace exposes.`)
          }
          if (!isAllowed(offer)) {
            return refuse("not_permitted", `${offer.name} is not among the tools that this request is narrowed to.`)
          }
          if (isWithin(offer.hints, reach)) return Either.right(offer)
          const does = offer.hints.destructive ? "changes or removes what is there" : "changes something"
          return refuse("write_not_allowed", `${offer.name} ${does}: call it with ${executorOf(offer.hints)}.`)
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

        /**
         * Uses up the consent to a call whose client can ask nobody, or says how to get it. Nobody is asked about arguments
         * that do not fit.
         */
        const agreed = (seen: Seen, offer: Offer, at: Connection | undefined, args: JsonObject) =>
          Effect.gen(function* () {
            const { name, title } = offer
            yield* Either.mapLeft(offer.check(args), (error) => invalidArguments(error, offer.inputSchema()))
            const standing = yield* approvals.stand({
              tenant: caller,
              workspace: workspace.id,
              endUser: endUser ?? "",
              connection: at,
              tool: name,
              title,
              args
            })
            if ("id" in standing) seen.approval = standing.id
            if (standing.kind === "agreed") return
            seen.decision = standing.kind === "asked" ? "pending" : "denied"
            return yield* unagreed(name, standing)
          })

        /** The call itself, within its time. */
        const run = (
          offer: Offer,
          at: Connection | undefined,
          args: JsonObject,
          count: number,
          consent: Effect.Effect<void, ToolFailure>
        ) => {
          const { readOnly } = offer.hints
          const late = new GatewayTimeout({
            message: `${offer.name} did not end within ${callTime} seconds.${readOnly ? "" : " What it changes may still take effect: look before calling it again."}`
          })
          const called = answered(offer, at, args, count, consent)
          // a call that was sent finishes, even after its caller was answered that time is up
          return Effect.flatMap(Deadline.after(callTime), (deadline) =>
            (readOnly ? called : runToCompletion(called)).pipe(
              Effect.locally(Deadline.current, deadline),
              Effect.timeoutFail({ duration: `${callTime} seconds`, onTimeout: () => late })
            )
          )
        }

        /**
         * Runs a tool, under the call's idempotency key where it is a write that has one: a repeat needs no consent, since
         * it gets the stored answer and does not run again.
         */
        const answered = (
          offer: Offer,
          at: Connection | undefined,
          args: JsonObject,
          count: number,
          consent: Effect.Effect<void, ToolFailure>
        ) => {
          const subject = { caller, endUser: endUser ?? "", connection: at?.id }
          const key =
            agent.idempotencyKey === undefined || offer.hints.readOnly ? undefined : `${agent.idempotencyKey}:${count}`
          let without: ToolFailure | undefined
          const consented = Effect.mapError(consent, (failure) => {
            without = failure
            return new Forbidden({ code: "FORBIDDEN", message: failure.message })
          })
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
            ),
            (run) => Effect.zipRight(consented, run)
          )
          const told = (error: ApiError | ToolFailure) => without ?? error
          if (key === undefined) return Effect.mapError(call, told)
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
              ),
              Effect.mapError(told)
            )
        }

        const callWith =
          (isConsented: boolean): Session["call"] =>
          (name, args, reach) =>
            Effect.gen(function* () {
              const started = yield* Clock.currentTimeMillis
              // text too long for a name is not echoed
              const called = name.length > nameLimit ? "(not a name)" : name
              const count = ++counted
              const seen: Seen = { offer: catalogue.find(name), decision: "denied" }

              const attempt = Effect.gen(function* () {
                const offer = yield* permitted(name, count, reach)
                yield* withinLimit
                seen.decision = "allowed"
                const { choice, own } = yield* readArguments(offer, args)
                const at = (seen.at = yield* choose(offer, choice, agent, yield* held))
                const consent =
                  isConsented || !needsConsent(confirm, offer.hints) ? Effect.void : agreed(seen, offer, at, own)
                const answer = yield* run(offer, at, own, count, consent).pipe(
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
              return yield* running.withPermits(1)(isWrite ? runToCompletion(attempt) : attempt)
            })

        const sessionOf = (isConsented: boolean): Session => ({
          agent,
          readOnly,
          toolkits,
          tools,
          find,
          search,
          connections: Effect.map(held, (all) =>
            (all ?? []).filter(
              ({ id, provider }) =>
                toolkits.some(({ providers }) => providers.includes(provider)) &&
                (agent.connection === undefined || agent.connection === id)
            )
          ),
          asks: (name, reach) => {
            const offer = find(name)
            return offer !== undefined && isWithin(offer.hints, reach) && needsConsent(confirm, offer.hints)
          },
          call: callWith(isConsented),
          consented: () => sessionOf(true),
          withheld: (planned, outcome) =>
            Effect.forEach(
              planned,
              ({ arguments: args, tool }) =>
                note({
                  offer: catalogue.find(tool),
                  tool,
                  args,
                  decision: outcome === "approval_required" ? "pending" : "denied",
                  outcome
                }),
              { discard: true }
            )
        })
        return sessionOf(false)
      })

      return { open }
    })
  )
}

const isFailure = Schema.is(ToolFailure)

/** Adds the expected arguments to a refusal of them. */
const explained = (error: ApiError, offer: Offer): ToolFailure => {
  const failure = failureOf(error, offer.toolkit.slug)
  return failure.code === "invalid_arguments" ? { ...failure, input_schema: offer.inputSchema() } : failure
}
