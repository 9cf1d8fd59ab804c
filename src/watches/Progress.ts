import { Schema } from "effect"
import type { Wanted } from "../records/FilterParameters.ts"
import type { Intervals } from "./Intervals.ts"
import type { Plan } from "./Plan.ts"

const Time = Schema.Number.annotations({ description: "milliseconds since 1970" })

const Ahead = Schema.optionalWith(
  Schema.Number.annotations({ description: "milliseconds by which the service's clock was ahead of the provider's" }),
  { default: () => 0 }
)

/** A list that is being read: from a time of the provider's, and since when. */
const Run = Schema.Struct({ from: Time, started: Time, ahead: Ahead, cursor: Schema.NullOr(Schema.String) })

/** How far a resource of a connection was followed. */
export const Progress = Schema.Struct({
  since: Time,
  /** Changes up to then were told. */
  watermark: Time,
  /** At the watermark, and when the last sweep began. */
  ahead: Ahead,
  sweptAhead: Ahead,
  /** A list of changes that is being read. */
  changes: Schema.optionalWith(Run, { exact: true }),
  /** All that is there, or all that was deleted, is being read; `absent`: it was, and what it did not meet is looked at. */
  sweep: Schema.optionalWith(Schema.Struct({ ...Run.fields, kind: Schema.Literal("walk", "deletions", "absent") }), {
    exact: true
  }),
  /** When the last sweep began. */
  swept: Time,
  /** Number of the last walk. */
  round: Schema.Int,
  /** The first walk has not ended. */
  isFirst: Schema.Boolean,
  /** A whole walk is due, whatever else is told. */
  mustWalk: Schema.Boolean,
  /** Up to when calls were paid for by the time that passes. */
  paid: Time,
  /** Polls in a row that found nothing. */
  quiet: Schema.Int,
  /** Failures in a row. */
  failures: Schema.Int
})
export type Progress = typeof Progress.Type

export const begun = (since: number): Progress => ({
  since,
  watermark: since,
  ahead: 0,
  sweptAhead: 0,
  swept: since,
  round: 0,
  isFirst: true,
  mustWalk: true,
  paid: since,
  quiet: 0,
  failures: 0
})

/** The step that comes next. */
export type Step =
  | {
      readonly kind: "list"
      readonly of: "changes" | "walk" | "deletions"
      readonly wanted: Wanted
      readonly cursor: string | null
    }
  | { readonly kind: "absent" }

/** Which lists were read to their end in a turn. */
export interface Done {
  readonly changes: boolean
  readonly sweep: boolean
}

const iso = (time: number) => new Date(time).toISOString()
const day = 86_400_000

const modifiedSince = (from: number, isDeletedToo: boolean): Wanted => ({
  modified_after: iso(from),
  ...(isDeletedToo ? { include_deleted: "true" } : {})
})

/** The kind of sweep that is due; undefined: none. */
const dueSweep = (progress: Progress, plan: Plan, { sweep }: Intervals, now: number) => {
  if (plan.how === "walk" || progress.mustWalk) return "walk" as const
  if (sweep === null || now - progress.swept < sweep * 1000) return undefined
  return plan.deletions === undefined ? ("walk" as const) : ("deletions" as const)
}

/** The step that comes next, with the progress in which it is begun; undefined: nothing until the next poll. */
export const nextStep = (
  progress: Progress,
  plan: Plan,
  intervals: Intervals,
  done: Done,
  now: number
): { readonly step: Step; readonly progress: Progress } | undefined => {
  const { deletions, following, how } = plan
  const lag = following.lag * 1000
  if (how === "changes" && !done.changes) {
    const changes = progress.changes ?? {
      from: progress.watermark - progress.ahead - lag,
      started: now,
      ahead: 0,
      cursor: null
    }
    // an outage of the service, or of the connection, outlasted what the provider remembers
    const isForgotten = deletions !== undefined && changes.started - progress.watermark >= deletions.days * day
    const isDeletedToo = deletions !== undefined && deletions.told !== "whole"
    return {
      step: { kind: "list", of: "changes", wanted: modifiedSince(changes.from, isDeletedToo), cursor: changes.cursor },
      progress: { ...progress, changes, mustWalk: progress.mustWalk || isForgotten }
    }
  }
  if (done.sweep) return undefined
  if (progress.sweep?.kind === "absent") return { step: { kind: "absent" }, progress }
  const kind = progress.sweep?.kind ?? dueSweep(progress, plan, intervals, now)
  if (kind === undefined) return undefined
  const from = progress.swept - progress.sweptAhead - lag
  const sweep = progress.sweep ?? { kind, from, started: now, ahead: 0, cursor: null }
  const round = progress.sweep === undefined && kind === "walk" ? progress.round + 1 : progress.round
  const wanted = kind === "walk" ? {} : modifiedSince(sweep.from, true)
  return {
    step: { kind: "list", of: kind, wanted, cursor: sweep.cursor },
    progress: { ...progress, sweep, round }
  }
}

/** A list after a page of it. A clock that is behind the provider's only asks for more than is needed. */
const read = <R extends typeof Run.Type>(run: R, ahead: number): R =>
  run.cursor === null ? { ...run, ahead: Math.max(0, ahead) } : run

/**
 * After a page of a list; a null cursor is its end. `ahead`: milliseconds by which the service's clock is ahead of the
 * provider's, by whose stamps the next list is asked for.
 */
export const afterPage = (
  progress: Progress,
  of: "changes" | "walk" | "deletions",
  cursor: string | null,
  ahead = 0
): Progress => {
  const { changes, sweep, ...others } = progress
  if (of === "changes") {
    const kept = { ...others, ...(sweep === undefined ? {} : { sweep }) }
    if (changes === undefined) return progress
    const run = read(changes, ahead)
    return cursor === null
      ? { ...kept, watermark: run.started, ahead: run.ahead }
      : { ...kept, changes: { ...run, cursor } }
  }
  const kept = { ...others, ...(changes === undefined ? {} : { changes }) }
  if (sweep === undefined) return progress
  const run = read(sweep, ahead)
  if (cursor !== null) return { ...kept, sweep: { ...run, cursor } }
  return of === "walk"
    ? { ...kept, sweep: { ...run, kind: "absent", cursor: null } }
    : { ...kept, swept: run.started, sweptAhead: run.ahead }
}

/** After all that a walk did not meet was looked at. */
export const afterWalk = ({ sweep, ...progress }: Progress): Progress => ({
  ...progress,
  swept: sweep?.started ?? progress.swept,
  sweptAhead: sweep?.ahead ?? progress.sweptAhead,
  isFirst: false,
  mustWalk: false
})

/** Begins the lists again that are being read, since they do not go on. */
export const anew = ({ changes: _, sweep: __, ...progress }: Progress): Progress => progress
