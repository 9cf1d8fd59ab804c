import { Either, Predicate } from "effect"
import type { Account } from "../../simulation/Account.ts"
import type { Complaint } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import { stamp } from "./Answers.ts"
import { activityTypes, pipelines, stages, timeZoneOf } from "./Settings.ts"

const own = (words: string): Complaint => ({ is: "own", words })

const refuse = (path: string, complaint: Complaint) => Either.left([{ path, complaint }])

/**
 * A name is split at its last space, unless its parts come with it; or it is made of its parts, which come together and not
 * both empty. A new person has a name: https://github.com/pipedrive/client-nodejs/blob/master/src/versions/v2/models/add-person-request.ts
 */
export const nameRules: Rule = ({ after, before, given }) => {
  const { first_name: first, last_name: last } = given
  if (before === undefined && given.name === undefined) return refuse("name", { is: "required" })
  if (given.name !== undefined && (first === undefined || last === undefined)) {
    const words = String(given.name).trim().split(/\s+/)
    return Either.right({
      ...after,
      first_name: words.slice(0, Math.max(1, words.length - 1)).join(" "),
      last_name: words.length > 1 ? words.at(-1) : null
    })
  }
  if (first === undefined && last === undefined) return Either.right(after)
  if (first === undefined || last === undefined) {
    return refuse(first === undefined ? "first_name" : "last_name", { is: "required" })
  }
  const name = [first, last].filter((part) => part !== null && part !== "").join(" ")
  return name === "" ? refuse("first_name", { is: "empty" }) : Either.right({ ...after, name })
}

/** The stage says the pipeline; a pipeline alone means its first stage. */
export const stageRules: Rule = ({ account, after, before, given }) => {
  if (given.stage_id === undefined && given.pipeline_id === undefined && before !== undefined)
    return Either.right(after)
  const pipelineId = given.pipeline_id ?? (given.stage_id === undefined ? pipelines[0]?.id : undefined)
  if (pipelineId !== undefined && !pipelines.some(({ id }) => id === pipelineId)) {
    return refuse("pipeline_id", { is: "absent" })
  }
  const staysIn = given.stage_id === undefined && before?.pipeline_id === pipelineId
  const stage = stages.find(({ id, pipeline_id }) =>
    staysIn
      ? id === before?.stage_id
      : given.stage_id === undefined
        ? pipeline_id === pipelineId
        : id === given.stage_id
  )
  if (stage === undefined) return refuse("stage_id", { is: "absent" })
  if (pipelineId !== undefined && stage.pipeline_id !== pipelineId) {
    return refuse("stage_id", own(`does not belong to pipeline ${String(pipelineId)}`))
  }
  return Either.right({
    ...after,
    stage_id: stage.id,
    pipeline_id: stage.pipeline_id,
    stage_change_time:
      before === undefined ? null : before.stage_id === stage.id ? before.stage_change_time : stamp(account.now)
  })
}

/** The day of a time in the account's time zone. */
const dayOf = (account: Account, time: unknown) =>
  typeof time === "string"
    ? new Intl.DateTimeFormat("en-CA", { timeZone: timeZoneOf(account) }).format(new Date(time))
    : null

/** Fields that only a deal that is won, lost or either may have. */
const closing = { won_time: ["won"], lost_time: ["lost"], lost_reason: ["lost"], close_time: ["won", "lost"] }

export const statusRules: Rule = ({ account, after, before, given }) => {
  const status = String(after.status)
  for (const [code, allowed] of Object.entries(closing)) {
    if ((given[code] ?? null) !== null && !allowed.includes(status)) {
      return refuse(code, own(`can only be set when the status of the deal is ${allowed.join(" or ")}`))
    }
  }
  const now = stamp(account.now)
  const changed = status !== (before?.status ?? "open")
  const kept = (code: string) => (changed ? undefined : after[code])
  const closed = given.close_time ?? given.won_time ?? given.lost_time ?? kept("close_time") ?? now
  const close_time = status === "open" ? null : closed
  const won_time = status === "won" ? (given.won_time ?? kept("won_time") ?? close_time) : null
  const lost_time = status === "lost" ? (given.lost_time ?? kept("lost_time") ?? close_time) : null
  return Either.right({
    ...after,
    close_time,
    won_time,
    lost_time,
    lost_reason: status === "lost" ? after.lost_reason : null,
    local_close_date: dayOf(account, close_time),
    local_won_date: dayOf(account, won_time),
    local_lost_date: dayOf(account, lost_time)
  })
}

/** Archived deals are not edited: https://developers.pipedrive.com/changelog */
export const archiveRules: Rule = ({ account, after, before, given }) => {
  if (before?.is_archived === true && after.is_archived === true && Object.keys(given).length > 0) {
    return refuse("is_archived", own("is true: an archived deal cannot be edited"))
  }
  if (given.is_deleted === true) return refuse("is_deleted", own("cannot be set to true; use DELETE"))
  const archivedAt = given.archive_time ?? before?.archive_time ?? stamp(account.now)
  return Either.right({
    ...after,
    archive_time: after.is_archived === true ? archivedAt : null,
    // a deal without a value is worth nothing
    value: after.value ?? 0
  })
}

export const activityRules: Rule = ({ account, after, before }) => {
  const participants: ReadonlyArray<unknown> = Array.isArray(after.participants) ? after.participants : []
  const primary = participants.filter(Predicate.isRecord).find((one) => one.primary === true)
  return Either.right({
    ...after,
    subject: after.subject ?? activityTypes.find(({ key_string }) => key_string === after.type)?.name,
    person_id: primary?.person_id ?? null,
    marked_as_done_time:
      after.done !== true ? null : before?.done === true ? before.marked_as_done_time : stamp(account.now)
  })
}
