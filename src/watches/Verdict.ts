import type { CanonicalRecord } from "../records/Presenter.ts"
import { areComparable } from "./Digest.ts"

/** A record as it was met before. */
export interface Known {
  /** Null: it was deleted. */
  readonly digest: Buffer | null
  /** Milliseconds. */
  readonly modified: number | null
}

export type Change = "created" | "updated" | "deleted"

/** Meaning of a record that was met: the event to tell, and what is known of it from now on. */
export interface Verdict {
  readonly tells: Change | undefined
  /** Undefined: what is known stays. */
  readonly known: Known | undefined
}

/** Facts of the watch that decide. */
export interface Since {
  /** Milliseconds: what happened before is not told. */
  readonly since: number
  /** The first walk has not ended, so that a record may be there for long and not have been met. */
  readonly isFirst: boolean
  /** The provider does not say when a record was deleted. */
  readonly isUndated: boolean
  readonly now: number
}

export const timeOf = (stamp: unknown): number | null => {
  const time = typeof stamp === "string" ? Date.parse(stamp) : Number.NaN
  return Number.isNaN(time) ? null : time
}

const nothing: Verdict = { tells: undefined, known: undefined }

const ofDeleted = (record: CanonicalRecord, known: Known | undefined, { isUndated, now, since }: Since): Verdict => {
  if (known?.digest === null) return nothing
  const at = isUndated ? null : timeOf(record.modified_at)
  if (known === undefined && (at === null || at < since)) return nothing
  return { tells: "deleted", known: { digest: null, modified: at ?? now } }
}

/**
 * Whether a record that was not met before was created since the watch began. One whose provider does not say when is new if
 * it changed since, and this service had not seen it before; one without any stamp is new once all that were there have been
 * met.
 */
const isNew = (
  record: CanonicalRecord,
  modified: number | null,
  seen: number | undefined,
  { isFirst, since }: Since
) => {
  const created = timeOf(record.remote_created_at)
  if (created !== null) return created >= since
  if (modified === null) return !isFirst
  return modified >= since && (!isFirst || seen === undefined || seen >= since)
}

/** Whether it decides what a record means when this service saw it first. */
export const asksWhenSeen = (record: CanonicalRecord, known: Known | undefined, { isFirst }: Since) =>
  isFirst && known === undefined && timeOf(record.remote_created_at) === null

const ofUnknown = (record: CanonicalRecord, digest: Buffer, seen: number | undefined, watch: Since): Verdict => {
  const modified = timeOf(record.remote_updated_at)
  const isChanged = modified !== null && modified >= watch.since
  const tells = isNew(record, modified, seen, watch) ? "created" : isChanged ? "updated" : undefined
  return { tells, known: { digest, modified } }
}

/** Judges a record that a list gave, or that was read; `seen`: when this service saw it first, in milliseconds. */
export const verdict = (
  record: CanonicalRecord,
  digestOf: (record: CanonicalRecord) => Buffer,
  known: Known | undefined,
  since: Since,
  seen?: number
): Verdict => {
  if (record.remote_was_deleted === true) return ofDeleted(record, known, since)
  const digest = digestOf(record)
  if (known === undefined) return ofUnknown(record, digest, seen, since)
  const modified = timeOf(record.remote_updated_at)
  const next = { digest, modified }
  // one that was deleted is there again
  if (known.digest === null) return { tells: "created", known: next }
  if (known.digest.equals(digest)) return modified === known.modified ? nothing : { tells: undefined, known: next }
  // another mapping makes another record of it, which is no change of its own
  const isChanged = areComparable(known.digest, digest) || (modified !== null && modified !== known.modified)
  return { tells: isChanged ? "updated" : undefined, known: next }
}
