import { type Entries, staysAsItIs } from "./Entries.ts"
import type { ComputedEntry, Encoding, Native } from "./Mapping.ts"

/** Where deals stand: in a stage of a pipeline, from which the status follows. */

export type DealStatus = "OPEN" | "WON" | "LOST"

interface Named {
  readonly id: string
  readonly name: string
}

interface Stage extends Named {
  readonly status: DealStatus
  /** No deal is put there unless a body names it. */
  readonly isRetired?: boolean
}

/** A pipeline with its stages in their order. */
export interface Pipeline extends Named {
  readonly isDefault: boolean
  readonly stages: ReadonlyArray<Stage>
}

/** Where one deal stands, by ids; null of what is gone. */
export type Standing = { readonly [name in "pipeline" | "stage" | "status"]: unknown }

/** How a provider holds it. */
export interface Placing<P extends Pipeline> {
  /** The native fields behind each; a provider with one pipeline for all deals writes none. */
  readonly native: { readonly pipeline?: ReadonlyArray<string> } & {
    readonly [name in "stage" | "status"]: ReadonlyArray<string>
  }
  /** Lookup with the pipelines. */
  readonly lookup: string
  /** Reading a deal needs the lookup too. */
  readonly readsLookup?: boolean
  /** A new deal has to have a stage; absent: the provider finds one by itself. */
  readonly isRequired?: boolean
  readonly pipelines: (loaded: unknown) => ReadonlyArray<P>
  readonly standing: (deal: Native, loaded: unknown) => Standing
  readonly write: (encoding: Encoding, pipeline: P, stage: P["stages"][number]) => void
}

const listed = (all: ReadonlyArray<Named>) => all.map(({ id, name }) => `${id} (${name})`).join(", ")

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)

/**
 * The pipeline and the stage that pipeline, stage and status of a body come to; undefined where the deal stays where it
 * is. A stage without a pipeline is one of the deal's own pipeline, or else of the first that has it. Without a stage, the
 * deal goes to the first one of its (or the given, or the default) pipeline that has the wanted status.
 */
const stageOf = <P extends Pipeline>(
  { isRequired, lookup, native, pipelines, standing }: Placing<P>,
  { body, current, lookups, prefix, refuse, warn }: Encoding
): { readonly pipeline: P; readonly stage: P["stages"][number] } | undefined => {
  const all = pipelines(lookups[lookup])
  const before = current === undefined ? undefined : standing(current.record, lookups[lookup])
  for (const name of ["pipeline", "stage", "status"] as const) {
    const isCleared = native[name] !== undefined && (body[name] === null || body[name] === "")
    if (isCleared && (before?.[name] ?? null) !== null) warn(prefix + name, "CHANGED", staysAsItIs)
  }
  const pipelineId = native.pipeline === undefined ? undefined : textOf(body.pipeline)
  const [stageId, status] = [textOf(body.stage), textOf(body.status)]
  const isNothing = pipelineId === undefined && stageId === undefined && status === undefined
  if (isNothing && (before !== undefined || isRequired !== true)) return undefined

  const contradict = (its: unknown, name: string) => {
    if (status !== undefined && status !== its) {
      refuse(`${prefix}status`, `is ${String(its)} in the stage ${name}; leave one of the two out`)
    }
  }
  const isHome = pipelineId === undefined || pipelineId === before?.pipeline
  // a stage in which deals stand may be out of use
  if (isHome && stageId !== undefined && stageId === before?.stage) {
    contradict(before.status, stageId)
    return undefined
  }
  const stageIn = (one: P | undefined) => one?.stages.find(({ id }) => id === stageId)
  const home = all.find(({ id }) => id === before?.pipeline)
  const standard = all.find(({ isDefault }) => isDefault) ?? all[0]
  const pipeline =
    pipelineId !== undefined
      ? all.find(({ id }) => id === pipelineId)
      : stageId === undefined
        ? (home ?? standard)
        : [home, standard, ...all].find((one) => stageIn(one) !== undefined)
  if (pipeline === undefined) {
    if (pipelineId !== undefined) refuse(`${prefix}pipeline`, `must be a pipeline: ${listed(all)}`)
    else refuse(`${prefix}stage`, `must be a stage of a pipeline: ${listed(all.flatMap(({ stages }) => stages))}`)
    return undefined
  }
  if (stageId !== undefined) {
    const stage = stageIn(pipeline)
    if (stage === undefined) refuse(`${prefix}stage`, `must be a stage of this pipeline: ${listed(pipeline.stages)}`)
    else contradict(stage.status, stage.name)
    return stage && { pipeline, stage }
  }
  const wanted = status ?? before?.status ?? "OPEN"
  const stays = pipeline.id === before?.pipeline
  if (stays && wanted === before?.status) return undefined
  const inUse = pipeline.stages.filter(({ isRetired }) => isRetired !== true)
  const found = inUse.find((stage) => stage.status === wanted)
  if (found === undefined && status !== undefined) {
    warn(`${prefix}status`, "STATUS_NOT_REACHED", "no stage of the pipeline has it")
  }
  const stage = found ?? (stays ? undefined : inUse[0])
  if (before === undefined && isRequired === true) {
    if (stage === undefined) refuse(`${prefix}stage`, "is required, and the pipeline has no stages")
    else warn(`${prefix}stage`, "CHANGED", `is required; without one it is ${stage.id} (${stage.name})`)
  }
  return stage && { pipeline, stage }
}

/** Pipeline, stage and status of a deal. Each of them writes what they come to together. */
export const placed = <P extends Pipeline>(
  of: Entries<"pipeline" | "stage" | "status">,
  placing: Placing<P>
): ReadonlyArray<ComputedEntry<"pipeline" | "stage" | "status">> => {
  const { isRequired, lookup, native, readsLookup, standing, write } = placing
  const entry = (canonical: "pipeline" | "stage" | "status", natives: ReadonlyArray<string>) =>
    of.computed({
      canonical,
      native: natives,
      ...(readsLookup === true ? { lookups: [lookup] } : {}),
      encodeLookups: [lookup],
      ...(canonical === "stage" && isRequired === true ? { fills: true } : {}),
      needsCurrent: true,
      decode: ({ record, ...bundle }) =>
        standing(record, readsLookup === true ? bundle.lookups?.[lookup] : undefined)[canonical],
      encode: (_, encoding) => {
        const found = stageOf(placing, encoding)
        if (found !== undefined) write(encoding, found.pipeline, found.stage)
      }
    })
  return [
    ...(native.pipeline === undefined ? [] : [entry("pipeline", native.pipeline)]),
    entry("stage", native.stage),
    entry("status", native.status)
  ]
}
