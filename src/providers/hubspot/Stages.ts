import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { DealStatus, Pipeline, Placing } from "../../mapping/Stages.ts"
import { is, isNot } from "./Clauses.ts"
import type { Groups } from "./Search.ts"

/**
 * Where a deal stands: its pipeline, its stage there, and the status that follows from the stage.
 * https://developers.hubspot.com/docs/guides/api/crm/pipelines
 */

/** Every account has this pipeline; it can be renamed, its id stays. */
const defaultId = "default"

export const isDefault = (pipeline: Native): boolean => pipeline.id === defaultId

/** A closed stage with probability 1 wins a deal, any other closed stage loses it. */
export const statusOfStage = (stage: Native): DealStatus => {
  const closed = getPath(stage, "metadata.isClosed")
  const probability = Number(getPath(stage, "metadata.probability") ?? NaN)
  if (String(closed ?? (probability === 0 || probability === 1)) !== "true") return "OPEN"
  return probability === 1 ? "WON" : "LOST"
}

const statusOfDeal = (deal: Native): DealStatus => {
  const is = (property: string) => String(getPath(deal, `properties.${property}`)) === "true"
  return is("hs_is_closed_won") ? "WON" : is("hs_is_closed") ? "LOST" : "OPEN"
}

/** The same as a search says it. */
export const inStatus: { readonly [S in DealStatus]: Groups } = {
  OPEN: isNot("hs_is_closed", "true"),
  WON: is("hs_is_closed_won", "true"),
  LOST: isNot("hs_is_closed_won", "true").map((group) => [...is("hs_is_closed", "true").flat(), ...group])
}

const byOrder = (a: Native, b: Native) => Number(a.displayOrder) - Number(b.displayOrder)

/** A pipeline with its stages in their order. */
export const ordered = (pipeline: Native): Native => ({
  ...pipeline,
  stages: natives(pipeline.stages).toSorted(byOrder)
})

/** HubSpot wants the pipeline said beside the stage. */
export const placing: Placing<Pipeline> = {
  native: {
    pipeline: ["properties.pipeline"],
    stage: ["properties.dealstage"],
    status: ["properties.hs_is_closed_won", "properties.hs_is_closed", "properties.dealstage", "properties.pipeline"]
  },
  lookup: "pipelines",
  isRequired: true,
  pipelines: (loaded) =>
    natives(loaded).map((one) => ({
      id: String(one.id),
      name: String(one.label),
      isDefault: isDefault(one),
      stages: natives(one.stages)
        .filter(({ archived }) => archived !== true)
        .map((stage) => ({ id: String(stage.id), name: String(stage.label), status: statusOfStage(stage) }))
    })),
  standing: (deal) => ({
    pipeline: getPath(deal, "properties.pipeline"),
    stage: getPath(deal, "properties.dealstage"),
    status: statusOfDeal(deal)
  }),
  write: ({ set }, pipeline, stage) => {
    set("properties.pipeline", pipeline.id)
    set("properties.dealstage", stage.id)
  }
}
