import { Clock, Context, Effect, Either, Layer } from "effect"
import type { NewEvent } from "../events/Event.ts"
import { FieldMappings } from "../fieldmappings/FieldMappings.ts"
import * as Deadline from "../platform/Deadline.ts"
import { recordNotFoundCode } from "../platform/ErrorCodes.ts"
import { type ApiError, InternalError } from "../platform/Errors.ts"
import { counting, type Sent } from "../providers/base/CallCount.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { Subject } from "../records/Access.ts"
import { Identities } from "../records/Identities.ts"
import { type CanonicalRecord, mergeOf } from "../records/Presenter.ts"
import { Records } from "../records/Records.ts"
import { digester } from "./Digest.ts"
import { ahead, type Intervals, nextAfter } from "./Intervals.ts"
import type { Plan } from "./Plan.ts"
import { afterPage, afterWalk, anew, type Done, nextStep, type Progress } from "./Progress.ts"
import { asksWhenSeen, type Change, timeOf, type Verdict, verdict } from "./Verdict.ts"
import type { Claimed } from "./WatchedConnections.ts"
import { type LeaseLost, type Met, type Outcome, type State, WatchedResources } from "./WatchedResources.ts"

/** Records of a page, and records that are read by themselves at a time. */
const pageSize = 100
const atOnce = 20

/** Seconds that a step may take. */
const longest = 30

/** Pages of one resource in a turn, so that the others of the connection have theirs. */
const mostSteps = 20

/** Seconds until what its account may not do is tried again, and failures in a row after which a list is begun again. */
const rarely = 3600
const patience = 10

/** A watched resource of a connection that is polled. */
export interface Polled {
  readonly claimed: Claimed
  readonly adapter: ProviderAdapter
  readonly plan: Plan
  readonly intervals: Intervals
  /** Of the watch. */
  readonly key: Uint8Array
  /** When others have their turn, in milliseconds. */
  readonly until: number
}

/** A known record that is there no longer. */
interface Gone extends Met {
  /** The provider's id of the record that it was merged into. */
  readonly mergedInto?: string
}

/** Result of reading a step. */
interface Read {
  readonly records: ReadonlyArray<CanonicalRecord>
  readonly gone: ReadonlyArray<Gone>
  /** Known records of which nothing more is to be known. */
  readonly still: ReadonlyArray<Met>
  readonly progress: Progress
  /** Ids that were asked for. */
  readonly asked: ReadonlyArray<string>
  /** The list whose end was reached, if one's was. */
  readonly ends: "changes" | "walk" | "deletions" | "absent" | undefined
}

const whole = { fields: undefined, expand: undefined, includeRemoteData: false }

/** A failure that says nothing of other records, or that their list says as well. */
const isOfOne = ({ code, status }: ApiError) =>
  code === "RECORD_AMBIGUOUS" || status === 400 || status === 403 || status === 422

const mergedIntoOf = (error: ApiError) => (error._tag === "NotFound" ? error.mergedInto : undefined)

const goneInto = (known: Met, mergedInto: string | undefined): Gone =>
  mergedInto === undefined ? known : { ...known, mergedInto }

const uuidOf = (record: CanonicalRecord) => String(record.id).replace("urn:uuid:", "")

/** Polls one watched resource of a connection: reads what changed, tells it, and keeps how far it got, page by page. */
export class Poll extends Context.Tag("tributary/watches/Poll")<
  Poll,
  {
    /** As much as one turn allows; how many events it told. */
    readonly turn: (polled: Polled, state: State) => Effect.Effect<number, LeaseLost>
  }
>() {
  static readonly layer = Layer.effect(
    Poll,
    Effect.gen(function* () {
      const records = yield* Records
      const resources = yield* WatchedResources
      const fieldMappings = yield* FieldMappings
      const identities = yield* Identities

      const subjectOf = ({ connection, endUserId, environment, mappingRevision, organisation }: Claimed): Subject => ({
        caller: { organisation, environment, mappingRevision },
        endUser: endUserId,
        connection
      })

      /**
       * Reads records by id: those that exist, and the ids of those that do not, with the surviving record of a merge. Ambiguous
       * and forbidden records are skipped, so that one of them does not stop the others.
       */
      const each = Effect.fnUntraced(function* (polled: Polled, ids: ReadonlyArray<string>) {
        const { adapter, claimed, plan } = polled
        const there: Array<CanonicalRecord> = []
        const missing = new Map<string, string | undefined>()
        for (const id of ids) {
          const found = yield* Effect.either(
            records.get(subjectOf(claimed), plan.resource, { provider: adapter.slug, id }, whole)
          )
          if (Either.isRight(found)) there.push(found.right)
          else if (found.left.code === recordNotFoundCode(plan.resource.name)) missing.set(id, mergedIntoOf(found.left))
          else if (!isOfOne(found.left)) return yield* found.left
        }
        return { there, missing }
      })

      const ofList = Effect.fnUntraced(function* (
        { adapter, claimed, plan }: Polled,
        progress: Progress,
        sent: Sent,
        step: Extract<NonNullable<ReturnType<typeof nextStep>>["step"], { readonly kind: "list" }>
      ) {
        const { data, pagination } = yield* records.list(subjectOf(claimed), plan.resource, {
          provider: adapter.slug,
          cursor: step.cursor ?? undefined,
          limit: pageSize,
          wanted: step.wanted,
          ...whole
        })
        return {
          records: data,
          gone: [],
          still: [],
          asked: [],
          ends: pagination.cursor === null ? step.of : undefined,
          progress: afterPage(progress, step.of, pagination.cursor, sent.ahead)
        } satisfies Read
      })

      /** Looks at records that a walk did not meet. */
      const ofAbsent = Effect.fnUntraced(function* (polled: Polled, progress: Progress) {
        const { adapter, claimed, plan } = polled
        const resourceAdapter = adapter.resources[plan.resource.name]
        const isLookedFor = plan.isLoose && resourceAdapter?.get !== undefined
        const most = isLookedFor ? atOnce : pageSize
        const unmet = yield* resources.unmet(claimed, plan.name, progress.round, most)
        // ids of the service are of one record each, and known where several native types make up the resource
        const hasServiceIds =
          plan.resource.category === "accounting" || (resourceAdapter?.mapping.variants.length ?? 0) > 1
        const ids = new Map(unmet.map((one) => [hasServiceIds ? `urn:uuid:${one.id}` : one.remoteId, one]))
        const { missing, there } = isLookedFor
          ? yield* each(polled, [...ids.keys()])
          : { there: [], missing: new Map([...ids.keys()].map((id) => [id, undefined])) }
        const gone = [...missing].flatMap(([id, into]) => {
          const known = ids.get(id)
          return known === undefined ? [] : [goneInto(known, into)]
        })
        const goneIds = new Set(gone.map(({ id }) => id))
        const isEnd = unmet.length < most
        return {
          records: there,
          gone,
          still: unmet.filter(({ id }) => !goneIds.has(id)),
          asked: [],
          ends: isEnd ? "absent" : undefined,
          progress: isEnd ? afterWalk(progress) : progress
        } satisfies Read
      })

      /** Reads records by themselves that something is said to have happened to. */
      const ofIds = Effect.fnUntraced(function* (polled: Polled, progress: Progress, ids: ReadonlyArray<string>) {
        const { missing, there } = yield* each(polled, ids)
        const known = yield* resources.known(polled.claimed, polled.plan.name, "remote_id", [...missing.keys()])
        return {
          records: there,
          gone: known.filter(({ digest }) => digest !== null).map((one) => goneInto(one, missing.get(one.remoteId))),
          still: [],
          asked: ids,
          ends: undefined,
          progress
        } satisfies Read
      })

      const eventOf = (
        { adapter, claimed, plan }: Polled,
        change: Change,
        record: {
          readonly id: string
          readonly remoteId: string
          readonly modifiedAt: string | null
          readonly mergedInto?: string
        }
      ): NewEvent => ({
        type: `record.${change}`,
        data: {
          category: plan.resource.category,
          resource: plan.resource.name,
          provider: adapter.slug,
          connectionId: claimed.connection,
          endUserId: claimed.endUserId,
          id: `urn:uuid:${record.id}`,
          remote_id: record.remoteId,
          modified_at: record.modifiedAt,
          ...(record.mergedInto === undefined ? {} : { merged_into: record.mergedInto })
        }
      })

      /** Known records that were merged into others, as the records of a result say. */
      const mergedAway = Effect.fnUntraced(function* (
        { claimed, plan }: Polled,
        found: ReadonlyArray<CanonicalRecord>
      ) {
        const into = new Map(
          found.flatMap((record): ReadonlyArray<readonly [string, string]> => {
            const { absorbs = [], into } = mergeOf(record) ?? {}
            const id = String(record.remote_id)
            return [...absorbs.map((one) => [one, id] as const), ...(into === undefined ? [] : [[id, into] as const])]
          })
        )
        const known = yield* resources.known(claimed, plan.name, "remote_id", [...into.keys()])
        return known.filter(({ digest }) => digest !== null).map((one) => goneInto(one, into.get(one.remoteId)))
      })

      /** Holds a result against what is known. */
      const judged = Effect.fnUntraced(function* (polled: Polled, read: Read, { ahead = 0 }: Sent, now: number) {
        const { adapter, claimed, key, plan } = polled
        const resourceAdapter = adapter.resources[plan.resource.name]
        const mapping = yield* fieldMappings.compiled(subjectOf(claimed).caller, adapter, plan.resource)
        const merged = yield* mergedAway(polled, read.records)
        const gone = [...new Map([...read.gone, ...merged].map((one) => [one.id, one])).values()]
        const others = read.records.filter((record) => mergeOf(record)?.into === undefined)
        const byId = new Map(others.map((record) => [uuidOf(record), record]))
        const held = yield* resources.known(claimed, plan.name, "id", [...byId.keys()])
        const known = new Map(held.map((one) => [one.id, one]))
        const since = {
          // stamps are the provider's; less may be the time on the way
          since: read.progress.since - (ahead > plan.following.lag * 1000 ? ahead : 0),
          isFirst: read.progress.isFirst,
          isUndated: plan.deletions?.told === "undated",
          now
        }
        const met: Array<Met> = gone.map(({ id, remoteId }) => ({ id, remoteId, digest: null, modified: now }))
        const passed: Array<string> = read.still.map(({ id }) => id)
        const events: Array<NewEvent> = gone.map((one) => eventOf(polled, "deleted", { ...one, modifiedAt: null }))
        if (resourceAdapter === undefined || mapping === undefined) return { met, passed, events }
        const digestOf = digester(key, resourceAdapter, mapping)
        const seen = yield* identities.firstSeen(
          { ...claimed, id: claimed.connection },
          [...byId].flatMap(([id, record]) => (asksWhenSeen(record, known.get(id), since) ? [id] : []))
        )
        for (const [id, record] of byId) {
          const found: Verdict = verdict(record, digestOf, known.get(id), since, timeOf(seen.get(id)) ?? undefined)
          const remoteId = String(record.remote_id)
          if (found.known === undefined) passed.push(id)
          else met.push({ ...found.known, id, remoteId })
          if (found.tells !== undefined) {
            const isStated = record.remote_was_deleted === true || typeof record.remote_updated_at === "string"
            const modifiedAt = isStated && typeof record.modified_at === "string" ? record.modified_at : null
            events.push(eventOf(polled, found.tells, { id, remoteId, modifiedAt }))
          }
        }
        return { met, passed, events }
      })

      /** When it goes on: at once while lists are being read, as far as calls are paid for. */
      const timed = ({ intervals }: Polled, progress: Progress, isOver: boolean, now: number) => ({
        dueAt: Math.max(progress.paid, isOver ? now + nextAfter(intervals, progress.quiet) * 1000 : now),
        freeAt: progress.paid - ahead * intervals.poll * 1000
      })

      const paid = ({ intervals }: Polled, progress: Progress, calls: number, now: number): Progress => ({
        ...progress,
        paid: Math.max(progress.paid, now) + calls * intervals.call * 1000
      })

      const nothing = { met: [], passed: [], events: [], read: [] }

      /** A step that failed: when it is tried again. */
      const failed = (
        polled: Polled,
        progress: Progress,
        ids: ReadonlyArray<string>,
        calls: number,
        error: ApiError,
        now: number
      ): Outcome => {
        const failures = progress.failures + 1
        const isTransient = error.status === 429 || error.status >= 500 || error.status === 409
        const isStuck = error.code === "INVALID_CURSOR" || failures % patience === 0
        const kept = isStuck ? anew(progress) : progress
        const next = { ...paid(polled, kept, calls, now), failures }
        const told = "retryAfter" in error ? (error.retryAfter ?? 0) : 0
        const wait =
          error.code === "INVALID_CURSOR"
            ? 0
            : isTransient
              ? Math.min(rarely, polled.intervals.poll * 2 ** Math.min(failures - 1, 10))
              : Math.max(rarely, polled.intervals.poll)
        const dueAt = Math.max(now + Math.max(told, wait) * 1000, next.paid)
        // what is asked for by its id is found with the rest
        return { ...nothing, read: ids, progress: next, dueAt, freeAt: dueAt, error: error.code }
      }

      /** Reads what comes next, and what it means; undefined: nothing is left to do in this turn. */
      const step = Effect.fnUntraced(function* (polled: Polled, state: State, done: Done, told: number) {
        const { intervals, plan } = polled
        const next = nextStep(state.progress, plan, intervals, done, yield* Clock.currentTimeMillis)
        const ids = state.pokedIds.slice(0, atOnce)
        const progress = ids.length > 0 ? state.progress : next?.progress
        if (progress === undefined) return undefined
        const reads = (sent: Sent) =>
          ids.length > 0
            ? ofIds(polled, progress, ids)
            : next?.step.kind === "list"
              ? ofList(polled, progress, sent, next.step)
              : ofAbsent(polled, progress)
        const stepped = (sent: Sent) =>
          Effect.gen(function* () {
            const read: Read = yield* reads(sent)
            const now = yield* Clock.currentTimeMillis
            const found = yield* judged(polled, read, sent, now)
            const spent = paid(polled, { ...read.progress, failures: 0 }, sent.calls, now)
            const after = {
              changes: done.changes || read.ends === "changes",
              sweep: done.sweep || read.ends === "deletions" || read.ends === "absent"
            }
            const isOver =
              ids.length === state.pokedIds.length && nextStep(spent, plan, intervals, after, now) === undefined
            const isQuiet = told + found.events.length === 0
            const kept = { ...spent, quiet: isQuiet ? spent.quiet + (isOver ? 1 : 0) : 0 }
            const outcome: Outcome = {
              ...found,
              ...timed(polled, kept, isOver, now),
              progress: kept,
              read: read.asked,
              error: null
            }
            return { outcome, done: after }
          }).pipe(
            Effect.catchAllDefect((defect) =>
              Effect.zipRight(Effect.logError(`a poll of ${plan.name} broke`, defect), new InternalError())
            ),
            Effect.catchAll((error) =>
              Effect.map(Clock.currentTimeMillis, (now) => ({
                outcome: failed(polled, progress, ids, sent.calls, error, now),
                done
              }))
            )
          )
        return yield* Effect.locally(counting(stepped), Deadline.current, yield* Deadline.after(longest))
      })

      const turn = Effect.fn("Poll.turn")(function* (polled: Polled, begun: State) {
        const most = ahead * polled.intervals.poll * 1000
        let state = begun
        let done: Done = { changes: false, sweep: false }
        let told = 0
        for (let steps = 0; steps < mostSteps; steps += 1) {
          const stepped = yield* step(polled, state, done, told)
          if (stepped === undefined) break
          const { outcome } = stepped
          state = yield* resources.commit(polled.claimed, state, outcome)
          done = stepped.done
          told += outcome.events.length
          const now = yield* Clock.currentTimeMillis
          if (outcome.error !== null || outcome.progress.paid > now + most || now >= polled.until) break
        }
        return told
      })

      return Poll.of({ turn })
    })
  )
}
