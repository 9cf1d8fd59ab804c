import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered } from "./Answers.ts"
import type { Args, Resolve } from "./Execute.ts"
import type { Fields } from "./Fields.ts"
import { changed, dateAt, inputOf, numberAt, readNumber, readText, refuse, textAt, textsAt } from "./Inputs.ts"
import {
  cycles,
  freshId,
  held,
  type Issue,
  issueOf,
  issues,
  labels,
  me,
  projects,
  relations,
  startOf,
  states,
  teams,
  users
} from "./Tables.ts"

// Mutations of issues and of their relations: https://linear.app/developers/graphql

const checkedLabels = (account: Account, issue: Issue, ids: ReadonlyArray<string>): Answered<ReadonlyArray<string>> =>
  Either.all(
    [...new Set(ids)].map((id) =>
      Either.flatMap(held(labels, account, id, "IssueLabel"), ({ team }) =>
        team === null || team === issue.team ? Either.right(id) : refuse("labelIds must be of the issue's team")
      )
    )
  )

/** When an issue was begun and ended, by the state it comes to. */
const stampsOf = (account: Account, issue: Issue, state: string) => {
  const type = states.get(account, state)?.type
  const isOpen = type === "triage" || type === "backlog" || type === "unstarted"
  return {
    startedAt: isOpen ? null : (issue.startedAt ?? account.now),
    completedAt: type === "completed" ? (issue.completedAt ?? account.now) : null,
    canceledAt: type === "canceled" ? (issue.canceledAt ?? account.now) : null
  }
}

/** An issue as an input changes it. */
const written = (account: Account, issue: Issue, input: Doc): Answered<Issue> =>
  Either.gen(function* () {
    const priority = numberAt(input, "priority") ?? issue.priority
    if (priority < 0 || priority > 4) return yield* refuse("priority must be between 0 and 4")
    const title = textAt(input, "title") ?? issue.title
    if (title.trim() === "") return yield* refuse("title should not be empty")
    const state = textAt(input, "stateId") ?? issue.state
    if ((yield* held(states, account, state, "WorkflowState")).team !== issue.team) {
      return yield* refuse("stateId must be a state of the issue's team")
    }
    const wanted = (textsAt(input, "labelIds") ?? issue.labels)
      .concat(textsAt(input, "addedLabelIds") ?? [])
      .filter((id) => textsAt(input, "removedLabelIds")?.includes(id) !== true)
    const idIn =
      <A extends { readonly id: string }>(find: (id: unknown) => Answered<A>) =>
      (id: unknown) =>
        Either.map(find(id), (found) => found.id)
    const parent = yield* changed(
      input,
      "parentId",
      issue.parent,
      idIn((id) => issueOf(account, id))
    )
    if (parent === issue.id) return yield* refuse("parentId must be another issue")
    return {
      ...issue,
      title,
      state,
      priority,
      parent,
      labels: yield* checkedLabels(account, issue, wanted),
      description: yield* changed(input, "description", issue.description, readText),
      assignee: yield* changed(
        input,
        "assigneeId",
        issue.assignee,
        idIn((id) => held(users, account, id, "User"))
      ),
      project: yield* changed(
        input,
        "projectId",
        issue.project,
        idIn((id) => held(projects, account, id, "Project"))
      ),
      cycle: yield* changed(
        input,
        "cycleId",
        issue.cycle,
        idIn((id) => held(cycles, account, id, "Cycle"))
      ),
      estimate: yield* changed(input, "estimate", issue.estimate, readNumber),
      dueDate: yield* changed(input, "dueDate", issue.dueDate, readText),
      ...stampsOf(account, issue, state),
      updatedAt: account.now
    }
  })

const issueCreate: Resolve = (_, args, account) =>
  Either.gen(function* () {
    const input = inputOf(args)
    const team = yield* held(teams, account, input["teamId"], "Team")
    const blank: Issue = {
      id: freshId(account),
      team: team.id,
      number: Math.max(0, ...issues.all(account).flatMap((one) => (one.team === team.id ? [one.number] : []))) + 1,
      title: "",
      description: null,
      state: startOf(account, team.id)?.id ?? "",
      priority: 0,
      assignee: null,
      creator: me,
      labels: [],
      project: null,
      cycle: null,
      parent: null,
      estimate: null,
      dueDate: null,
      createdAt: account.now,
      updatedAt: account.now,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
      archivedAt: null,
      trashed: false
    }
    const made = yield* written(account, blank, input)
    issues.put(account, made.id, made)
    return { success: true, lastSyncId: account.now, issue: made }
  })

const issueUpdate: Resolve = (_, args, account) =>
  Either.gen(function* () {
    const issue = yield* issueOf(account, args["id"])
    const changed = yield* written(account, issue, inputOf(args))
    issues.put(account, changed.id, changed)
    return { success: true, lastSyncId: account.now, issue: changed }
  })

type Shelved = Pick<Issue, "archivedAt" | "trashed">

/** Puts an issue into the archive or the trash, or takes it out again. */
const shelve = (account: Account, args: Args, how: Shelved): Answered<Doc> =>
  Either.map(issueOf(account, args["id"]), (issue) => {
    const entity = { ...issue, ...how, updatedAt: account.now }
    issues.put(account, issue.id, entity)
    return { success: true, lastSyncId: account.now, entity }
  })

const issueArchive: Resolve = (_, args, account) =>
  shelve(account, args, { archivedAt: account.now, trashed: args["trash"] === true })

const issueUnarchive: Resolve = (_, args, account) => shelve(account, args, { archivedAt: null, trashed: false })

/** Keeps a deleted issue in the trash, unless it is to be gone for good. */
const issueDelete: Resolve = (_, args, account) =>
  args["permanentlyDelete"] === true
    ? Either.map(issueOf(account, args["id"]), (entity) => {
        issues.remove(account, entity.id)
        return { success: true, lastSyncId: account.now, entity }
      })
    : shelve(account, args, { archivedAt: account.now, trashed: true })

const issueRelationCreate: Resolve = (_, args, account) =>
  Either.gen(function* () {
    const input = inputOf(args)
    const issue = yield* issueOf(account, input["issueId"])
    const related = yield* issueOf(account, input["relatedIssueId"])
    if (issue.id === related.id) return yield* refuse("relatedIssueId must be another issue")
    const made = {
      id: freshId(account),
      type: textAt(input, "type") ?? "related",
      issue: issue.id,
      related: related.id,
      createdAt: dateAt(args, "overrideCreatedAt") ?? account.now
    }
    relations.put(account, made.id, made)
    return { success: true, lastSyncId: account.now, issueRelation: made }
  })

export const issueMutations: Fields = {
  issueCreate: { type: "IssuePayload", args: { input: "IssueCreateInput!" }, resolve: issueCreate },
  issueUpdate: { type: "IssuePayload", args: { id: "String!", input: "IssueUpdateInput!" }, resolve: issueUpdate },
  issueArchive: { type: "IssueArchivePayload", args: { id: "String!", trash: "Boolean" }, resolve: issueArchive },
  issueUnarchive: { type: "IssueArchivePayload", args: { id: "String!" }, resolve: issueUnarchive },
  issueDelete: {
    type: "IssueArchivePayload",
    args: { id: "String!", permanentlyDelete: "Boolean" },
    resolve: issueDelete
  },
  issueRelationCreate: {
    type: "IssueRelationPayload",
    args: { input: "IssueRelationCreateInput!", overrideCreatedAt: "DateTime" },
    resolve: issueRelationCreate
  }
}
