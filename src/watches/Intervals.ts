import type { Environment } from "../tenancy/CurrentCaller.ts"
import type { Plan } from "./Plan.ts"

/** The share of a provider's calls that watches spend at most. */
export const share = 0.2

/** A whole list is walked so much less often than changes are asked for, and what is only missing from it less still. */
const walks = 10
const sweeps = 60

/** Polls in a row that found nothing, and how much longer the interval is from then on. */
const patience = [
  { quiet: 30, factor: 4 },
  { quiet: 10, factor: 2 }
] as const

/** The most that an interval is lengthened by. */
const longest = patience[0].factor

/** Load on a connection that a resource is watched of. */
export interface Load {
  readonly environment: Environment
  /** Seconds that the organisation wishes for. */
  readonly wish: number
  /** Resources watched of the connection. */
  readonly resources: number
  /** Connections to the provider that are watched by this service. */
  readonly connections: number
}

/** Seconds between polls. */
export interface Intervals {
  readonly poll: number
  /** Where nothing happens. */
  readonly idle: number
  /** Between looks for what was deleted, where polls do not tell it; null: they do. */
  readonly sweep: number | null
  /** Seconds that one call is worth. */
  readonly call: number
}

/** The intervals that a provider's limits allow; simulated ones have none. */
export const intervalsOf = (
  { calls, deletions, following: { limit }, how }: Plan,
  { connections, environment, resources, wish }: Load
): Intervals => {
  const sharers = resources * (limit.of === "application" ? connections : 1)
  const call = environment === "sandbox" ? 0 : (limit.seconds / limit.calls / share) * sharers
  const least = Math.max(wish, Math.ceil(calls * call))
  const poll = how === "walk" ? walks * least : least
  const isTold = how === "walk" || (deletions !== undefined && deletions.told !== "whole")
  return { poll, idle: longest * poll, sweep: isTold ? null : sweeps * poll, call }
}

/** Seconds until the next poll, after so many that found nothing. */
export const nextAfter = ({ poll }: Intervals, quiet: number) =>
  poll * (patience.find((step) => quiet >= step.quiet)?.factor ?? 1)

/** Polls ahead of the interval that may be spent at once, by early polls and long lists. */
export const ahead = 20
