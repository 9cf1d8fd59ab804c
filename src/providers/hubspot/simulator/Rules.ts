import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import type { Field, Rule } from "../../simulation/table/Kind.ts"
import { iso } from "./Answers.ts"
import type { Pipeline } from "./Setup.ts"
import { partsOf } from "./Values.ts"

// Changes that HubSpot makes by itself when values change.

const isChanged = (code: string, before: Doc = {}, after: Doc) => (before[code] ?? null) !== (after[code] ?? null)

/** Options after a semicolon are added to those there are. */
export const adds = (fields: ReadonlyArray<Field & { readonly fieldType: string }>): Rule => {
  const many = fields.filter(({ fieldType }) => fieldType === "checkbox")
  return ({ after, before = {}, given }) => {
    const added = many.flatMap(({ code }) => {
      if (!String(given[code] ?? "").startsWith(";")) return []
      const all = [...new Set([...partsOf(before[code]), ...partsOf(given[code])])]
      return [[code, all.length === 0 ? null : all.join(";")]]
    })
    return Either.right({ ...after, ...Object.fromEntries(added) })
  }
}

export const assigns: Rule = ({ account, after, before }) =>
  Either.right(
    isChanged("hubspot_owner_id", before, after) ? { ...after, hubspot_owner_assigneddate: iso(account.now) } : after
  )

/** The pipelines of a type, and the properties that hold a record's pipeline and stage. */
export interface Staged {
  readonly pipelines: ReadonlyArray<Pipeline>
  readonly pipeline: string
  readonly stage: string
}

/** A stage is one of its pipeline; the first pipeline and its first stage where none is given. */
export const staging =
  (staged: Staged): Rule =>
  ({ after }) => {
    const refuse = (path: string, given: unknown, allowed: ReadonlyArray<{ readonly id: string }>) =>
      Either.left([{ path, complaint: { is: "choice", choices: allowed.map(({ id }) => id) }, given } as const])
    const pipelineId = after[staged.pipeline] ?? staged.pipelines[0]?.id
    const pipeline = staged.pipelines.find(({ id }) => id === pipelineId)
    if (pipeline === undefined) return refuse(staged.pipeline, pipelineId, staged.pipelines)
    const stageId = after[staged.stage] ?? pipeline.stages[0]?.id
    return pipeline.stages.some(({ id }) => id === stageId)
      ? Either.right({ ...after, [staged.pipeline]: pipelineId, [staged.stage]: stageId })
      : refuse(staged.stage, stageId, pipeline.stages)
  }

/** A company's domain follows from its website where there is none, and the other way round. */
export const addresses: Rule = ({ after, before }) => {
  const { domain = null, website = null } = after
  if (domain === null && website !== null && isChanged("website", before, after)) {
    const host = String(website)
      .replace(/^https?:\/\//, "")
      .replace(/^www\./, "")
      .replace(/[/?#].*$/, "")
    return Either.right({ ...after, domain: host })
  }
  const isWebsite = website === null && domain !== null && isChanged("domain", before, after)
  return Either.right(isWebsite ? { ...after, website: domain } : after)
}

export const completes: Rule = ({ account, after, before }) => {
  if (!isChanged("hs_task_status", before, after)) return Either.right(after)
  const isCompleted = after.hs_task_status === "COMPLETED"
  return Either.right({ ...after, hs_task_completion_date: isCompleted ? iso(account.now) : null })
}

/** A meeting is at the time when it starts. */
export const starts: Rule = ({ after }) =>
  Either.right({ ...after, hs_timestamp: after.hs_timestamp ?? after.hs_meeting_start_time ?? null })
