import { Either, Option, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, failure, invalid, listed, missing, ok, pagingIn, route } from "./Answers.ts"
import { idOf, parentOf } from "./Lookup.ts"
import { bot, type Comment, comments, freshId, idIn, type Parent, users, userView } from "./Tables.ts"
import { richText } from "./Values.ts"
import { commentView } from "./Views.ts"

// People, and what they say of pages and blocks: https://developers.notion.com/reference/comment-object

const userOf = (account: Account, given: string) => {
  const found = users.get(account, idIn(given))
  return found === undefined ? missing("user", given) : Either.right(ok(userView(found)))
}

const commentOf = (request: SimulatedRequest, account: Account): Answered<Comment> => {
  const found = comments.get(account, idIn(idOf(request)))
  return found === undefined ? missing("comment", idOf(request)) : Either.right(found)
}

const Place = Schema.Union(
  Schema.Struct({ type: Schema.optional(Schema.Literal("page_id")), page_id: Schema.String }),
  Schema.Struct({ type: Schema.optional(Schema.Literal("block_id")), block_id: Schema.String })
)

const Said = { rich_text: Schema.Unknown }

const NewComment = Schema.Union(
  Schema.Struct({ ...Said, parent: Place }),
  Schema.Struct({ ...Said, discussion_id: Schema.String })
)

const textIn = ({ rich_text }: { readonly rich_text: unknown }): Answered<Comment["text"]> =>
  Option.match(
    Option.filter(richText(rich_text), (text) => text.length > 0),
    {
      onNone: () => invalid("body failed validation: body.rich_text should be valid."),
      onSome: (text) => Either.right(text)
    }
  )

/** Where a new comment goes: below a page or block in a discussion of its own, or into one that there is. */
const threadOf = (
  account: Account,
  given: typeof NewComment.Type
): Answered<{ readonly parent: Parent; readonly discussion: string }> => {
  if ("parent" in given) {
    const id = "page_id" in given.parent ? given.parent.page_id : given.parent.block_id
    return Either.map(parentOf(account, id), (parent) => ({ parent, discussion: freshId(account) }))
  }
  const first = comments.all(account).find(({ discussion }) => discussion === idIn(given.discussion_id))
  return first === undefined
    ? missing("discussion", given.discussion_id)
    : Either.right({ parent: first.parent, discussion: first.discussion })
}

/** A comment that this integration may change. */
const ownComment = (request: SimulatedRequest, account: Account): Answered<Comment> =>
  Either.filterOrLeft(
    commentOf(request, account),
    ({ author }) => author === bot,
    () => failure(403, "restricted_resource", "Only comments of this integration can be changed.")
  )

const pagingNames = ["page_size", "start_cursor"]

export const talkRoutes: ReadonlyArray<Route> = [
  route("GET", "/users/me", (_, account) => userOf(account, bot)),
  route("GET", "/users/:id", (request, account) => userOf(account, idOf(request))),
  route(
    "GET",
    "/users",
    (request, account) =>
      Either.flatMap(pagingIn(request), (page) => listed(users.all(account), page, "user", userView)),
    pagingNames
  ),
  route(
    "GET",
    "/comments",
    (request, account) =>
      Either.gen(function* () {
        const { id } = yield* parentOf(account, request.query.get("block_id") ?? "")
        const all = comments
          .all(account)
          .filter(({ parent }) => parent.id === id)
          .sort((a, b) => a.place - b.place)
        return yield* listed(all, yield* pagingIn(request), "comment", commentView)
      }),
    ["block_id", ...pagingNames]
  ),
  route("GET", "/comments/:id", (request, account) =>
    Either.map(commentOf(request, account), (comment) => ok(commentView(comment)))
  ),
  route("POST", "/comments", (request, account) =>
    Either.gen(function* () {
      const given = yield* bodyOf(NewComment, request)
      const text = yield* textIn(given)
      const where = yield* threadOf(account, given)
      const id = freshId(account)
      const made = {
        id,
        ...where,
        place: account.nextId(),
        created: account.now,
        edited: account.now,
        author: bot,
        text
      }
      comments.put(account, id, made)
      return ok(commentView(made))
    })
  ),
  route("PATCH", "/comments/:id", (request, account) =>
    Either.gen(function* () {
      const text = yield* textIn(yield* bodyOf(Schema.Struct(Said), request))
      const changed = { ...(yield* ownComment(request, account)), text, edited: account.now }
      comments.put(account, changed.id, changed)
      return ok(commentView(changed))
    })
  ),
  route("DELETE", "/comments/:id", (request, account) =>
    Either.map(ownComment(request, account), (comment) => {
      comments.remove(account, comment.id)
      return ok(commentView(comment))
    })
  )
]
