import { type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"

/**
 * Where a deal stands: its pipeline, its stage there, and the status that follows from the stage.
 * https://developers.hubspot.com/docs/guides/api/crm/pipelines
 */

const stagesOf = (pipeline: Native) => natives(pipeline.stages).filter((stage) => stage.archived !== true)

/** Every account has this pipeline; it can be renamed, its id stays. */
const defaultId = "default"

export const isDefault = (pipeline: Native): boolean => pipeline.id === defaultId

/** A closed stage with probability 1 wins a deal, any other closed stage loses it. */
export const statusOfStage = (stage: Native): "OPEN" | "WON" | "LOST" => {
  const closed = getPath(stage, "metadata.isClosed")
  const probability = Number(getPath(stage, "metadata.probability") ?? NaN)
  if (String(closed ?? (probability === 0 || probability === 1)) !== "true") return "OPEN"
  return probability === 1 ? "WON" : "LOST"
}

export const statusOfDeal = (deal: Native): "OPEN" | "WON" | "LOST" => {
  const is = (property: string) => String(getPath(deal, `properties.${property}`)) === "true"
  return is("hs_is_closed_won") ? "WON" : is("hs_is_closed") ? "LOST" : "OPEN"
}

const byOrder = (a: Native, b: Native) => Number(a.displayOrder) - Number(b.displayOrder)

/** A pipeline with its stages in their order. */
export const ordered = (pipeline: Native): Native => ({
  ...pipeline,
  stages: natives(pipeline.stages).toSorted(byOrder)
})

const listed = (all: ReadonlyArray<Native>) => all.map(({ id }) => String(id)).join(", ")

/**
 * Writes the stage and the pipeline that pipeline, stage and status of a body come to; each of the three entries calls
 * it, the outcome is the same. A stage decides alone: HubSpot wants its pipeline said too, which the stage tells. Without
 * one, the deal goes to the first stage of its (or the given) pipeline that has the wanted status, and stays where it is
 * when it has it already.
 */
export const place = (_: unknown, { body, current, lookups, prefix, refuse, set }: Encoding): void => {
  for (const name of ["pipeline", "stage", "status"]) {
    if (body[name] === null || body[name] === "") {
      refuse(prefix + name, "cannot be cleared: a HubSpot deal always has one; leave it out to keep it")
    }
  }
  const given = (name: string) => (body[name] === undefined || body[name] === null ? undefined : String(body[name]))
  const all = natives(lookups.pipelines)
  const wantedPipeline = given("pipeline")
  const wantedStage = given("stage")
  const wantedStatus = given("status")
  if (wantedPipeline === undefined && wantedStage === undefined && wantedStatus === undefined) return

  const before = current === undefined ? undefined : getPath(current.record, "properties.pipeline")
  const pipeline = all.find((one) =>
    wantedPipeline === undefined && wantedStage !== undefined
      ? stagesOf(one).some(({ id }) => id === wantedStage)
      : one.id === (wantedPipeline ?? before ?? defaultId)
  )
  if (pipeline === undefined) {
    if (wantedPipeline !== undefined) refuse(`${prefix}pipeline`, `must be a deal pipeline: ${listed(all)}`)
    else if (wantedStage !== undefined)
      refuse(`${prefix}stage`, `must be a stage of a deal pipeline: ${listed(all.flatMap(stagesOf))}`)
    else refuse(`${prefix}status`, "cannot be written: the deal's pipeline is gone")
    return
  }
  const stages = stagesOf(pipeline)
  if (wantedStage !== undefined) {
    if (!stages.some(({ id }) => id === wantedStage)) {
      refuse(`${prefix}stage`, `must be a stage of pipeline ${String(pipeline.id)}: ${listed(stages)}`)
    }
    set("properties.pipeline", pipeline.id)
    set("properties.dealstage", wantedStage)
    return
  }
  const status = current === undefined ? "OPEN" : statusOfDeal(current.record)
  const stays = pipeline.id === before
  if (stays && (wantedStatus ?? status) === status) return
  const next =
    stages.find((stage) => statusOfStage(stage) === (wantedStatus ?? status)) ?? (stays ? undefined : stages[0])
  // no stage of this pipeline has the status: where the deal is, is closest
  if (next === undefined) return
  set("properties.pipeline", pipeline.id)
  set("properties.dealstage", next.id)
}
