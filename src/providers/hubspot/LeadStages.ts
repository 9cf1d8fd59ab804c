import { staysAsItIs } from "../../mapping/Entries.ts"
import { type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { type Clause, exact } from "../Filtering.ts"
import { isIn, isNotIn } from "./Clauses.ts"
import { anything, type Groups } from "./Search.ts"

/**
 * Where a lead stands. Nothing but id and label tells what a stage of a lead pipeline means: the stages of an account's
 * first pipeline have ids that say it, those of further pipelines have numbers and start with the usual labels.
 * https://developers.hubspot.com/docs/guides/api/crm/objects/leads
 */

const stageProperty = "hs_pipeline_stage"

type Status = "OPEN" | "QUALIFIED" | "UNQUALIFIED"

const meaning: { readonly [word: string]: Status } = {
  "qualified-stage-id": "QUALIFIED",
  "unqualified-stage-id": "UNQUALIFIED",
  qualified: "QUALIFIED",
  unqualified: "UNQUALIFIED",
  disqualified: "UNQUALIFIED"
}

const statusOfStage = ({ id, label }: Native): Status =>
  meaning[String(id)] ?? meaning[String(label).toLowerCase()] ?? "OPEN"

export const statusOfLead = (lead: Native, pipelines: unknown): Status => {
  const id = getPath(lead, `properties.${stageProperty}`)
  const stage = natives(pipelines)
    .flatMap((pipeline) => natives(pipeline.stages))
    .find((one) => one.id === id)
  return stage === undefined ? "OPEN" : statusOfStage(stage)
}

/** The same as a search says it, of the pipelines that there are: a lead that is in no stage of another meaning is open. */
export const inLeadStatus = (pipelines: unknown): Clause<Groups> =>
  exact(({ values }) => {
    const stages = natives(pipelines).flatMap((pipeline) => natives(pipeline.stages))
    const idsOf = (is: (status: Status) => boolean) =>
      stages.flatMap((stage) => {
        const status = statusOfStage(stage)
        return status !== "OPEN" && is(status) ? [String(stage.id)] : []
      })
    if (!values.includes("OPEN")) {
      const meant = idsOf((status) => values.includes(status))
      return meant.length === 0 ? null : isIn(stageProperty, meant)
    }
    const others = idsOf((status) => !values.includes(status))
    return others.length === 0 ? anything : isNotIn(stageProperty, others)
  })

/**
 * Moves a lead to the first stage of its (or the first) pipeline that has the wanted status, unless it stands in one. To
 * HubSpot a lead that is closed is not qualified. Where no stage has the status, the lead stays where it is.
 */
export const placeLead = (value: unknown, { body, current, lookups, prefix, set, warn }: Encoding): void => {
  const path = `${prefix}status`
  if (value === null) {
    if (body.status === null) warn(path, "CHANGED", staysAsItIs)
    return
  }
  const wanted = value === "CLOSED" ? "UNQUALIFIED" : value
  if (wanted !== value) warn(path, "STATUS_NOT_REACHED", `is held as ${String(wanted)}`)
  const pipelines = natives(lookups.lead_pipelines)
  if (current !== undefined && statusOfLead(current.record, pipelines) === wanted) return
  const before = getPath(current?.record, "properties.hs_pipeline")
  const pipeline = pipelines.find(({ id }) => id === before) ?? pipelines[0]
  const stage = natives(pipeline?.stages).find((one) => one.archived !== true && statusOfStage(one) === wanted)
  if (pipeline === undefined || stage === undefined) {
    return warn(path, "STATUS_NOT_REACHED", "no stage of the lead's pipeline has it")
  }
  set("properties.hs_pipeline", pipeline.id)
  set(`properties.${stageProperty}`, stage.id)
}
