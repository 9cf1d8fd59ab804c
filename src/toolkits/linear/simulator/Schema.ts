import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import type { Table } from "../../../providers/simulation/Table.ts"
import { type Answered, fail, notFound } from "./Answers.ts"
import { commentMutations } from "./CommentMutations.ts"
import type { Field, Resolve, Schema } from "./Execute.ts"
import { type Fields, plain } from "./Fields.ts"
import { inputs } from "./Inputs.ts"
import { issueMutations } from "./IssueMutations.ts"
import { projectMutations } from "./ProjectMutations.ts"
import {
  comments,
  cycles,
  held,
  issueOf,
  labels,
  me,
  projects,
  projectStatuses,
  relations,
  states,
  teams,
  users
} from "./Tables.ts"
import { roots, types } from "./Types.ts"
import { unions } from "./Unused.ts"

const named = (type: string, find: (account: Account, id: unknown) => Answered<Doc>): Field => ({
  type,
  args: { id: "String!" },
  resolve: (_, { id }, account) => find(account, id)
})

/** A query of one record by its id. */
const one = (type: string, records: Pick<Table<Doc>, "get">) =>
  named(type, (account, id) => held(records, account, id, type))

const done = { success: plain("success"), lastSyncId: plain("lastSyncId") }

const payload = (name: string, type: string): Fields => ({ ...done, [name]: { ...plain(name), type } })

/** A comment by its id, or by the beginning of it, which its address has. */
const commentOf: Resolve = (_, { hash, id }, account) => {
  const found = comments
    .all(account)
    .find((comment) => comment.id === id || (typeof hash === "string" && comment.id.startsWith(hash)))
  return found === undefined ? fail(notFound("Comment")) : Either.right(found)
}

/** Linear's schema, as far as it is known here. */
export const schema: Schema = {
  inputs,
  unions,
  types: {
    ...types,
    IssuePayload: payload("issue", "Issue"),
    IssueArchivePayload: payload("entity", "Issue"),
    CommentPayload: payload("comment", "Comment"),
    ProjectPayload: payload("project", "Project"),
    IssueRelationPayload: payload("issueRelation", "IssueRelation"),
    DeletePayload: { ...done, entityId: plain("entityId") },
    Query: {
      ...roots,
      viewer: { type: "User", resolve: (_, __, account) => held(users, account, me, "User") },
      // as old as its first member
      organization: { type: "Organization", resolve: (_, __, account) => held(users, account, me, "User") },
      issue: named("Issue", issueOf),
      comment: { type: "Comment", args: { id: "String", hash: "String" }, resolve: commentOf },
      user: one("User", users),
      team: one("Team", teams),
      project: one("Project", projects),
      cycle: one("Cycle", cycles),
      workflowState: one("WorkflowState", states),
      issueLabel: one("IssueLabel", labels),
      issueRelation: one("IssueRelation", relations),
      projectStatus: named("ProjectStatus", (_, id) => {
        const found = projectStatuses.find((status) => status.id === id)
        return found === undefined ? fail(notFound("ProjectStatus")) : Either.right(found)
      })
    },
    Mutation: { ...issueMutations, ...commentMutations, ...projectMutations }
  }
}
