import { Effect } from "effect"
import { type Encoding, type Native, natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Lookup, Sought } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { type Clauses, exact } from "../Filtering.ts"
import { equals, oneOfValues, type Said, type Saying } from "./Criteria.ts"
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
    // without the entry that stands for no stage
    const maps = stages.filter(({ actual_value }) => actual_value !== "-None-")
    return withIndex([{ id: defaultId, display_value: "Sales", default: true, maps }])
  })
}

/**
 * Beside the pipelines of an account, an entry that is none: the stages of its pick list that are in no pipeline, where
 * deals may still stand, and whether deals have a field for the pipeline at all.
 */
const outside = "outside"

export const pipelines = (call: Caller): Lookup => ({
  ttl: 600,
  load: (connection) =>
    Effect.gen(function* () {
      const all = yield* loadPipelines(call, connection)
      const fields = yield* settings(call, connection)("fields", "fields", { module: "Deals" })
      const inUse = new Set(all.flatMap(({ maps }) => natives(maps)).map((stage) => stage.actual_value))
      const stages = natives(fields.find(({ api_name }) => api_name === "Stage")?.pick_list_values)
      return [
        ...all,
        {
          id: outside,
          maps: stages.filter(({ actual_value }) => !inUse.has(actual_value)),
          hasField: fields.some(({ api_name }) => api_name === "Pipeline")
        }
      ]
    })
})

const pipelinesIn = (loaded: unknown) => natives(loaded).filter(({ id }) => id !== outside)

const hasPipelineField = (loaded: unknown) => natives(loaded).every(({ hasField }) => hasField !== false)

const stagesOf = ({ maps }: Native) => natives(maps)

export const statusOfStage = ({ forecast_type }: Native): "OPEN" | "WON" | "LOST" => {
  if (forecast_type === "Closed Won") return "WON"
  return forecast_type === "Closed Lost" ? "LOST" : "OPEN"
}

const isNamed = (name: unknown) => (one: Native) => one.actual_value === name || one.display_value === name

/**
 * The pipeline of a deal, of what `pipelines` loaded. A deal that names none is in the only one, or in the only one that
 * has its stage: accounts that never set up a second pipeline have no such field.
 */
const pipelineOf = ({ Pipeline, Stage }: Native, loaded: unknown): Native | undefined => {
  const all = pipelinesIn(loaded)
  const [first, ...others] = all
  if (first?.id === defaultId) return first
  if (typeof Pipeline === "string" && Pipeline !== "") return all.find(isNamed(Pipeline))
  if (others.length === 0) return first
  const withStage = all.filter((one) => stagesOf(one).some(isNamed(Stage)))
  return withStage.length === 1 ? withStage[0] : undefined
}

/** The value that stages go by. */
const stageOf = (deal: Native, loaded: unknown): unknown => {
  const pipeline = pipelineOf(deal, loaded)
  const stage = pipeline === undefined ? undefined : stagesOf(pipeline).find(isNamed(deal.Stage))
  return stage?.actual_value ?? deal.Stage
}

/**
 * A deal is won or lost by the forecast type of its stage alone, so one whose stage the account no longer lists is open.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-pipelines.html
 */
const statusOfDeal = (deal: Native, loaded: unknown) => {
  // a stage that is in use no more may still be known elsewhere
  const pipeline = pipelineOf(deal, loaded)
  const known = [...(pipeline === undefined ? [] : [pipeline]), ...natives(loaded)].flatMap(stagesOf)
  const isKnowable = known.length > 0 && typeof deal.Stage === "string" && deal.Stage !== ""
  return isKnowable ? statusOfStage(known.find(isNamed(deal.Stage)) ?? {}) : null
}

const namesOf = ({ actual_value, display_value }: Native) =>
  [...new Set([actual_value, display_value])].filter((name) => typeof name === "string")

const ofStages = (stages: ReadonlyArray<Native>) => oneOfValues("Stage", [...new Set(stages.flatMap(namesOf))])

const place = ["Stage", "Pipeline"]

const isText = (a: unknown, b: unknown) => String(a).toLowerCase() === String(b).toLowerCase()

/**
 * Filters of deals by pipeline and stage. A query knows those by their names, so it finds all deals that may be meant.
 */
export const placeClauses = (
  load: (connection: ConnectionRef) => Effect.Effect<unknown, ProviderError>
): Clauses<Saying> => {
  const knowing = (say: (loaded: unknown, sought: Sought) => Said) =>
    exact<Saying>((sought) => (connection) => Effect.map(load(connection), (loaded) => say(loaded, sought)))
  const allStages = (loaded: unknown) => natives(loaded).flatMap(stagesOf)
  return {
    pipeline: knowing((loaded, { text }) => {
      const pipeline = pipelinesIn(loaded).find(({ id }) => id === text)
      if (pipeline === undefined) return { anyOf: [] }
      // all deals are in the one that stands for none
      if (text === defaultId) return {}
      const holds = (deal: Native) => pipelineOf(deal, loaded)?.id === text
      const checks = { fields: place, holds }
      return hasPipelineField(loaded)
        ? { anyOf: [...oneOfValues("Pipeline", namesOf(pipeline)), { coql: "Pipeline is null" }], checks }
        : { checks }
    }),
    stage: knowing((loaded, sought) => {
      const { text } = sought
      const plain = equals("Stage").say(sought)
      const itself = typeof plain === "function" ? undefined : plain?.anyOf
      const named = allStages(loaded).filter(({ actual_value }) => isText(actual_value, text))
      const holds = (deal: Native) => isText(stageOf(deal, loaded), text)
      return { anyOf: [...(itself ?? []), ...ofStages(named)], checks: { fields: place, holds } }
    }),
    status: knowing((loaded, { values }) => {
      const isMeant = (status: unknown) => values.some((value) => value === status)
      const holds = (deal: Native) => isMeant(statusOfDeal(deal, loaded))
      const checks = { fields: place, holds }
      const named = (wanted: boolean) =>
        ofStages(allStages(loaded).filter((stage) => isMeant(statusOfStage(stage)) === wanted))
      if (!isMeant("OPEN")) return { anyOf: named(true), checks }
      // stages that the account no longer lists are open too
      const others = named(false).map(({ coql }) => ({ coql: coql.replace(" in (", " not in (") }))
      return others.length > 1 ? { checks } : { anyOf: [...others, ...named(true)], checks }
    })
  }
}

/** A stage in more than one pipeline has the same name in each. */
export const placing = {
  native: { pipeline: ["Pipeline", "Stage"], stage: ["Stage", "Pipeline"], status: ["Stage", "Pipeline"] },
  lookup: "pipelines",
  readsLookup: true,
  isRequired: true,
  pipelines: (loaded: unknown) =>
    pipelinesIn(loaded).map((pipeline) => ({
      id: String(pipeline.id),
      name: String(pipeline.display_value),
      isDefault: pipeline.default === true,
      value: pipeline.actual_value,
      stages: stagesOf(pipeline).map((stage) => ({
        id: String(stage.actual_value),
        name: String(stage.display_value),
        status: statusOfStage(stage)
      }))
    })),
  standing: (deal: Native, loaded: unknown) => ({
    pipeline: pipelineOf(deal, loaded)?.id ?? null,
    stage: stageOf(deal, loaded),
    status: statusOfDeal(deal, loaded)
  }),
  write: (
    { lookups, set }: Encoding,
    pipeline: { readonly id: string; readonly value: unknown },
    stage: { readonly id: string }
  ) => {
    if (pipeline.id !== defaultId && hasPipelineField(lookups.pipelines)) set("Pipeline", pipeline.value)
    set("Stage", stage.id)
  }
}
