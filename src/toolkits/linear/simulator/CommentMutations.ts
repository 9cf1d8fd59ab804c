import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import type { Answered } from "./Answers.ts"
import type { Resolve } from "./Execute.ts"
import type { Fields } from "./Fields.ts"
import { inputOf, refuse, textAt } from "./Inputs.ts"
import { type Comment, comments, freshId, held, issueOf, issues, me } from "./Tables.ts"

// Mutations of comments: https://linear.app/developers/graphql

const bodyIn = (input: Doc): Answered<string> => {
  const body = textAt(input, "body") ?? ""
  return body.trim() === "" ? refuse("body should not be empty") : Either.right(body)
}

const commentCreate: Resolve = (_, args, account) =>
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
      updatedAt: account.now,
      editedAt: null
    }
    comments.put(account, made.id, made)
    issues.put(account, issue.id, { ...issue, updatedAt: account.now })
    return { success: true, lastSyncId: account.now, comment: made }
  })

/** A comment that the connected user may change. */
const ownComment = (account: Account, id: unknown): Answered<Comment> =>
  Either.filterOrLeft(
    held(comments, account, id, "Comment"),
    ({ user }) => user === me,
    () => ({
      message: "Forbidden",
      code: "FORBIDDEN",
      type: "forbidden",
      status: 403,
      words: "You can only edit your own comments."
    })
  )

const commentUpdate: Resolve = (_, args, account) =>
  Either.gen(function* () {
    const comment = yield* ownComment(account, args["id"])
    const body = yield* bodyIn(inputOf(args))
    const editedAt = args["skipEditedAt"] === true ? comment.editedAt : account.now
    const changed = { ...comment, body, editedAt, updatedAt: account.now }
    comments.put(account, changed.id, changed)
    return { success: true, lastSyncId: account.now, comment: changed }
  })

const commentDelete: Resolve = (_, args, account) =>
  Either.map(ownComment(account, args["id"]), ({ id }) => {
    comments.remove(account, id)
    return { success: true, lastSyncId: account.now, entityId: id }
  })

export const commentMutations: Fields = {
  commentCreate: { type: "CommentPayload", args: { input: "CommentCreateInput!" }, resolve: commentCreate },
  commentUpdate: {
    type: "CommentPayload",
    args: { id: "String!", input: "CommentUpdateInput!", skipEditedAt: "Boolean" },
    resolve: commentUpdate
  },
  commentDelete: { type: "DeletePayload", args: { id: "String!" }, resolve: commentDelete }
}
