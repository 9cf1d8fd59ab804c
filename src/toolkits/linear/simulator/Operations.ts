import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, fail, invalid, notFound } from "./Answers.ts"
import { type Args, type Field, scalar, type Schema } from "./Execute.ts"
import { filterInputs } from "./Filters.ts"
import {
  type Comment,
  comments,
  cycles,
  freshId,
  held,
  type Issue,
  issueOf,
  issues,
  labels,
  me,
  type Project,
  projects,
  projectStatuses,
  relations,
  states,
  teams,
  users
} from "./Tables.ts"
import { roots, types } from "./Types.ts"

// Queries of single records and mutations: https://linear.app/developers/graphql

const issueInput = {
  title: "String",
  description: "String",
  assigneeId: "String",
  stateId: "String",
  priority: "Int",
  labelIds: "[String!]",
  projectId: "String",
  cycleId: "String",
  parentId: "String",
  estimate: "Int",
  dueDate: "TimelessDate"
}

const projectInput = {
  name: "String",
  description: "String",
  content: "String",
  leadId: "String",
  statusId: "String",
  priority: "Int",
  startDate: "TimelessDate",
  targetDate: "TimelessDate",
  teamIds: "[String!]"
}

const inputs: Schema["inputs"] = {
  ...filterInputs,
  IssueCreateInput: { ...issueInput, teamId: "String!" },
  IssueUpdateInput: { ...issueInput, teamId: "String", addedLabelIds: "[String!]", removedLabelIds: "[String!]" },
  CommentCreateInput: { issueId: "String", body: "String", parentId: "String" },
  CommentUpdateInput: { body: "String" },
  ProjectCreateInput: { ...projectInput, name: "String!", teamIds: "[String!]!" },
  ProjectUpdateInput: projectInput,
  IssueRelationCreateInput: { issueId: "String!", relatedIssueId: "String!", type: "IssueRelationType!" }
}

// what an input says --------------------------------------------------------------------------------------------------------

const inputOf = ({ input }: Args): Doc => (typeof input === "object" && input !== null ? { ...input } : {})

const textAt = (input: Doc, name: string): string | undefined => {
  const value = input[name]
  return typeof value === "string" ? value : undefined
}

const textsAt = (input: Doc, name: string): ReadonlyArray<string> | undefined => {
  const value = input[name]
  return Array.isArray(value) ? value.map(String) : undefined
}

const numberAt = (input: Doc, name: string): number | undefined => {
  const value = input[name]
  return typeof value === "number" ? value : undefined
}

/** What an input makes of a member that may be taken away: as it is when nothing is said, null, or a value that is checked. */
const changed = <A>(
  input: Doc,
  name: string,
  present: A | null,
  read: (value: unknown) => Answered<A>
): Answered<A | null> => {
  const value = input[name]
  if (value === undefined) return Either.right(present)
  return value === null ? Either.right(null) : read(value)
}

const refuse = (words: string) => fail(invalid("Argument Validation Error", words))

const readNumber = (value: unknown): Answered<number> => Either.right(Number(value))
const readText = (value: unknown): Answered<string> => Either.right(String(value))

const checkedLabels = (account: Account, issue: Issue, ids: ReadonlyArray<string>): Answered<ReadonlyArray<string>> =>
  Either.all(
    [...new Set(ids)].map((id) =>
      Either.flatMap(held(labels, account, id, "IssueLabel"), ({ team }) =>
        team === null || team === issue.team ? Either.right(id) : refuse("labelIds must be of the issue's team")
      )
    )
  )

/** When an issue was done, by the state it comes to. */
const completedAt = (account: Account, issue: Issue, state: string): number | null => {
  if (states.get(account, state)?.type !== "completed") return null
  return issue.completedAt ?? account.now
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
      completedAt: completedAt(account, issue, state),
      updatedAt: account.now
    }
  })

const issueCreate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.gen(function* () {
    const input = inputOf(args)
    const team = yield* held(teams, account, input["teamId"], "Team")
    const start = states
      .all(account)
      .filter((one) => one.team === team.id && one.type === "backlog")
      .at(0)
    const blank: Issue = {
      id: freshId(account),
      team: team.id,
      number: Math.max(0, ...issues.all(account).flatMap((one) => (one.team === team.id ? [one.number] : []))) + 1,
      title: "",
      description: null,
      state: start?.id ?? "",
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
      completedAt: null,
      archivedAt: null
    }
    const made = yield* written(account, blank, input)
    issues.put(account, made.id, made)
    return { success: true, lastSyncId: account.now, issue: made }
  })

const issueUpdate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.gen(function* () {
    const issue = yield* issueOf(account, args["id"])
    const changed = yield* written(account, issue, inputOf(args))
    issues.put(account, changed.id, changed)
    return { success: true, lastSyncId: account.now, issue: changed }
  })

const issueDelete = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.map(issueOf(account, args["id"]), (issue) => {
    issues.put(account, issue.id, { ...issue, archivedAt: account.now, updatedAt: account.now })
    return { success: true, lastSyncId: account.now, entity: issue }
  })

const bodyIn = (input: Doc): Answered<string> => {
  const body = textAt(input, "body") ?? ""
  return body.trim() === "" ? refuse("body should not be empty") : Either.right(body)
}

const commentCreate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.gen(function* () {
    const input = inputOf(args)
    const issue = yield* issueOf(account, input["issueId"])
    const body = yield* bodyIn(input)
    const above = input["parentId"]
    const parent = typeof above === "string" ? yield* held(comments, account, above, "Comment") : undefined
    if (parent !== undefined && parent.issue !== issue.id)
      return yield* refuse("parentId must be a comment of the issue")
    const made: Comment = {
      id: freshId(account),
      issue: issue.id,
      user: me,
      body,
      parent: parent?.id ?? null,
      createdAt: account.now,
      updatedAt: account.now
    }
    comments.put(account, made.id, made)
    issues.put(account, issue.id, { ...issue, updatedAt: account.now })
    return { success: true, lastSyncId: account.now, comment: made }
  })

const commentUpdate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.gen(function* () {
    const comment = yield* held(comments, account, args["id"], "Comment")
    const body = yield* bodyIn(inputOf(args))
    if (comment.user !== me) {
      return yield* fail({
        message: "Forbidden",
        code: "FORBIDDEN",
        type: "forbidden",
        status: 403,
        words: "You can only edit your own comments."
      })
    }
    const changed = { ...comment, body, updatedAt: account.now }
    comments.put(account, changed.id, changed)
    return { success: true, lastSyncId: account.now, comment: changed }
  })

const writtenProject = (account: Account, project: Project, input: Doc): Answered<Project> =>
  Either.gen(function* () {
    const name = textAt(input, "name") ?? project.name
    if (name.trim() === "") return yield* refuse("name should not be empty")
    const wanted = textsAt(input, "teamIds") ?? project.teams
    if (wanted.length === 0) return yield* refuse("teamIds should not be empty")
    const status = textAt(input, "statusId") ?? project.status
    if (!projectStatuses.some(({ id }) => id === status)) return yield* fail(notFound("ProjectStatus"))
    const description = textAt(input, "description") ?? project.description
    if (description.length > 255) return yield* refuse("description must be shorter than or equal to 255 characters")
    const lead = (id: unknown) => Either.map(held(users, account, id, "User"), (user) => user.id)
    return {
      ...project,
      name,
      status,
      description,
      priority: numberAt(input, "priority") ?? project.priority,
      content: yield* changed(input, "content", project.content, readText),
      lead: yield* changed(input, "leadId", project.lead, lead),
      teams: (yield* Either.all(wanted.map((id) => held(teams, account, id, "Team")))).map(({ id }) => id),
      startDate: yield* changed(input, "startDate", project.startDate, readText),
      targetDate: yield* changed(input, "targetDate", project.targetDate, readText),
      updatedAt: account.now
    }
  })

const putProject = (account: Account, project: Project): Doc => {
  projects.put(account, project.id, project)
  return { success: true, lastSyncId: account.now, project }
}

const projectCreate = (_: Doc, args: Args, account: Account): Answered<Doc> => {
  const blank: Project = {
    id: freshId(account),
    name: "",
    description: "",
    content: null,
    status: projectStatuses[0].id,
    priority: 0,
    lead: null,
    teams: [],
    startDate: null,
    targetDate: null,
    createdAt: account.now,
    updatedAt: account.now
  }
  return Either.map(writtenProject(account, blank, inputOf(args)), (made) => putProject(account, made))
}

const projectUpdate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
  Either.gen(function* () {
    const project = yield* held(projects, account, args["id"], "Project")
    return putProject(account, yield* writtenProject(account, project, inputOf(args)))
  })

const issueRelationCreate = (_: Doc, args: Args, account: Account): Answered<Doc> =>
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
      createdAt: account.now
    }
    relations.put(account, made.id, made)
    return { success: true, lastSyncId: account.now, issueRelation: made }
  })

// the schema ----------------------------------------------------------------------------------------------------------------

const named = (type: string, find: (account: Account, id: unknown) => Answered<Doc>): Field => ({
  type,
  args: { id: "String!" },
  resolve: (_, { id }, account) => find(account, id)
})

const payload = (name: string, type: string): { readonly [field: string]: Field } => ({
  success: scalar(({ success }) => success),
  lastSyncId: scalar(({ lastSyncId }) => lastSyncId),
  [name]: { type, resolve: (source) => Either.right(source[name]) }
})

/** Linear's schema, as far as it is known here. */
export const schema: Schema = {
  inputs,
  types: {
    ...types,
    IssuePayload: payload("issue", "Issue"),
    IssueArchivePayload: payload("entity", "Issue"),
    CommentPayload: payload("comment", "Comment"),
    ProjectPayload: payload("project", "Project"),
    IssueRelationPayload: payload("issueRelation", "IssueRelation"),
    Query: {
      ...roots,
      viewer: { type: "User", resolve: (_, __, account) => held(users, account, me, "User") },
      organization: { type: "Organization", resolve: () => Either.right({}) },
      issue: named("Issue", issueOf),
      comment: {
        type: "Comment",
        args: { id: "String" },
        resolve: (_, { id }, account) => held(comments, account, id, "Comment")
      },
      project: named("Project", (account, id) => held(projects, account, id, "Project")),
      team: named("Team", (account, id) => held(teams, account, id, "Team"))
    },
    Mutation: {
      issueCreate: { type: "IssuePayload", args: { input: "IssueCreateInput!" }, resolve: issueCreate },
      issueUpdate: { type: "IssuePayload", args: { id: "String!", input: "IssueUpdateInput!" }, resolve: issueUpdate },
      issueDelete: { type: "IssueArchivePayload", args: { id: "String!" }, resolve: issueDelete },
      commentCreate: { type: "CommentPayload", args: { input: "CommentCreateInput!" }, resolve: commentCreate },
      commentUpdate: {
        type: "CommentPayload",
        args: { id: "String!", input: "CommentUpdateInput!" },
        resolve: commentUpdate
      },
      projectCreate: { type: "ProjectPayload", args: { input: "ProjectCreateInput!" }, resolve: projectCreate },
      projectUpdate: {
        type: "ProjectPayload",
        args: { id: "String!", input: "ProjectUpdateInput!" },
        resolve: projectUpdate
      },
      issueRelationCreate: {
        type: "IssueRelationPayload",
        args: { input: "IssueRelationCreateInput!" },
        resolve: issueRelationCreate
      }
    }
  }
}
