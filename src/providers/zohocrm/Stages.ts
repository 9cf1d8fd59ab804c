import { Effect } from "effect"
import { type Encoding, type Native, natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Lookup } from "../ProviderAdapter.ts"
import { staysAsItIs } from "./Common.ts"
import { settings } from "./Fields.ts"

/**
 * Where a deal stands: its pipeline and its stage there, both by name, and the status that follows from the stage. The
 * same stage may be in several pipelines.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-pipelines.html
 */

/** Id of the one pipeline of an account that has none set up; its stages are the values of the field. */
const defaultId = "default"

const bySequence = (a: Native, b: Native) => Number(a.sequence_number) - Number(b.sequence_number)

const indexed = (all: ReadonlyArray<Native>): ReadonlyArray<Native> => all.map((one, index) => ({ ...one, index }))

/** Pipelines and their stages with their positions: sequence numbers start anywhere. */
const withIndex = (pipelines: ReadonlyArray<Native>): ReadonlyArray<Native> =>
  indexed(pipelines).map((one) => ({ ...one, maps: indexed(natives(one.maps).toSorted(bySequence)) }))

/** Every pipeline of every layout of deals, with its stages in order. */
export const loadPipelines = (call: Caller, connection: ConnectionRef) => {
  const rows = settings(call, connection)
  return Effect.gen(function* () {
    const layouts = yield* rows("layouts", "layouts", { module: "Deals" })
    const found = yield* Effect.forEach(layouts, ({ id }) => rows("pipeline", "pipeline", { layout_id: String(id) }))
    const pipelines = found.flat()
    if (pipelines.length > 0) return withIndex(pipelines)
    const fields = yield* rows("fields", "fields", { module: "Deals" })
    const stages = natives(fields.find(({ api_name }) => api_name === "Stage")?.pick_list_values)
    // what stands for no stage
    const maps = stages.filter(({ actual_value }) => actual_value !== "-None-")
    return withIndex([{ id: defaultId, display_value: "Sales", default: true, maps }])
  })
}

export const pipelines = (call: Caller): Lookup => ({
  ttl: 600,
  load: (connection) => loadPipelines(call, connection)
})

const stagesOf = ({ maps }: Native) => natives(maps)

export const statusOfStage = ({ forecast_type }: Native): "OPEN" | "WON" | "LOST" => {
  if (forecast_type === "Closed Won") return "WON"
  return forecast_type === "Closed Lost" ? "LOST" : "OPEN"
}

const isNamed = (name: unknown) => (one: Native) => one.actual_value === name || one.display_value === name

/** The pipeline of a deal, of what `pipelines` loaded. */
export const pipelineOf = ({ Pipeline }: Native, loaded: unknown): Native | undefined => {
  const all = natives(loaded)
  return all.find(isNamed(Pipeline)) ?? all.find(({ id }) => id === defaultId)
}

/** The value that stages go by. */
export const stageOf = (deal: Native, loaded: unknown): unknown => {
  const pipeline = pipelineOf(deal, loaded)
  const stage = pipeline === undefined ? undefined : stagesOf(pipeline).find(isNamed(deal.Stage))
  return stage?.actual_value ?? deal.Stage
}

export const statusOfDeal = (deal: Native, loaded: unknown) => {
  // a stage that is in use no more may still be known elsewhere
  const pipeline = pipelineOf(deal, loaded)
  const stage = [...(pipeline === undefined ? [] : [pipeline]), ...natives(loaded)]
    .flatMap(stagesOf)
    .find(isNamed(deal.Stage))
  return stage === undefined ? null : statusOfStage(stage)
}

const listed = (all: ReadonlyArray<unknown>) => all.map(String).join(", ")

/**
 * Writes the pipeline and the stage that pipeline, stage and status of a body come to; each of the three entries calls
 * it, the outcome is the same. A stage without a pipeline stays in the deal's own, or else goes to the first that has
 * it. Without a stage, the deal goes to the first one of its (or the given) pipeline that has the wanted status, and
 * stays where it is when it has it already.
 */
export const place = (_: unknown, { body, current, lookups, prefix, refuse, set }: Encoding): void => {
  const all = natives(lookups.pipelines)
  const before = current === undefined ? undefined : pipelineOf(current.record, all)
  const held = current === undefined ? "OPEN" : statusOfDeal(current.record, all)
  for (const [name, value] of Object.entries({ pipeline: before?.id, stage: current?.record.Stage, status: held })) {
    // a deal whose stage is gone has none of them
    const isHeld = current !== undefined && value !== undefined && value !== null
    if (isHeld && body[name] === null) refuse(prefix + name, staysAsItIs)
  }
  const given = (name: string) => (typeof body[name] === "string" ? body[name] : undefined)
  const [pipelineId, stage, status] = ["pipeline", "stage", "status"].map(given)
  if (pipelineId === undefined && stage === undefined && status === undefined) return

  const has = (pipeline: Native | undefined) =>
    pipeline !== undefined &&
    (stage === undefined || stagesOf(pipeline).some(({ actual_value }) => actual_value === stage))
  const pipeline =
    pipelineId === undefined
      ? [before, all.find((one) => one.default === true), ...all].find(has)
      : all.find(({ id }) => id === pipelineId)
  if (pipeline === undefined) {
    if (pipelineId !== undefined) refuse(`${prefix}pipeline`, `must be a pipeline: ${listed(all.map(({ id }) => id))}`)
    else refuse(`${prefix}stage`, "must be a stage of a pipeline")
    return
  }
  const values = stagesOf(pipeline).map(({ actual_value }) => actual_value)
  if (!has(pipeline)) return refuse(`${prefix}stage`, `must be a stage of this pipeline: ${listed(values)}`)

  const stays = pipeline === before
  if (stage === undefined && stays && (status ?? held) === held) return
  const next =
    stage ??
    stagesOf(pipeline).find((one) => statusOfStage(one) === (status ?? held))?.actual_value ??
    (stays ? undefined : values[0])
  // no stage of this pipeline has the status: where the deal is, is closest
  if (next === undefined) return
  if (pipeline.id !== defaultId) set("Pipeline", pipeline.actual_value)
  set("Stage", next)
}
