import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, failure, noContent, ok, route } from "./Answers.ts"
import { findIssue, freshId, type Link, links, linkTypes, noIssue } from "./Tables.ts"
import { linkTypeView, linkView } from "./Views.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const linkOf = ({ params }: SimulatedRequest, account: Account): Answered<Link> => {
  const found = links.get(account, params.link ?? "")
  return found === undefined
    ? Either.left(failure(404, [`No issue link with id '${params.link}' exists.`]))
    : Either.right(found)
}

const NewLink = Schema.Struct({
  type: Schema.Struct({ name: optional(Schema.String), id: optional(Schema.String) }),
  inwardIssue: Schema.Struct({ key: optional(Schema.String), id: optional(Schema.String) }),
  outwardIssue: Schema.Struct({ key: optional(Schema.String), id: optional(Schema.String) })
})

const create = route("POST", "/issueLink", (request, account) =>
  Either.gen(function* () {
    const { inwardIssue, outwardIssue, type } = yield* bodyOf(NewLink, request)
    const found = linkTypes.find(({ id, name }) => id === type.id || name.toLowerCase() === type.name?.toLowerCase())
    if (found === undefined) {
      return yield* Either.left(failure(404, [`No issue link type with name '${type.name ?? ""}' found.`]))
    }
    const [inward, outward] = [inwardIssue, outwardIssue].map(({ id, key }) => findIssue(account, key ?? id ?? ""))
    if (inward === undefined || outward === undefined) return yield* Either.left(noIssue)
    const id = freshId(account)
    links.put(account, id, { id, type: found.name, inward: inward.id, outward: outward.id })
    return { status: 201 }
  })
)

/** Links between issues, and their types. */
export const linkRoutes: ReadonlyArray<Route> = [
  create,
  route("GET", "/issueLink/:link", (request, account) =>
    Either.map(linkOf(request, account), (link) => ok(linkView(account, link)))
  ),
  route("DELETE", "/issueLink/:link", (request, account) =>
    Either.map(linkOf(request, account), ({ id }) => {
      links.remove(account, id)
      return noContent
    })
  ),
  route("GET", "/issueLinkType", (_, account) =>
    Either.right(ok({ issueLinkTypes: linkTypes.map(({ name }) => linkTypeView(account, name)) }))
  )
]
