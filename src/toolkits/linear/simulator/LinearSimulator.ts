import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Reply, SimulatedRequest, Simulator } from "../../../providers/simulation/Simulator.ts"
import { invalid, notOfSchema, refusal } from "./Answers.ts"
import { execute } from "./Execute.ts"
import { parse } from "./GraphQl.ts"
import { limited, limitHeaders, limits } from "./Limits.ts"
import { oauth } from "./OAuth.ts"
import { schema } from "./Schema.ts"
import { seed } from "./Seed.ts"

const Body = Schema.parseJson(
  Schema.Struct({
    query: Schema.String,
    variables: Schema.optional(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown }))),
    operationName: Schema.optional(Schema.NullOr(Schema.String))
  })
)
const readBody = Schema.decodeEither(Body)

const answer = (request: SimulatedRequest, account: Account): Reply => {
  const body = readBody(request.text)
  if (Either.isLeft(body)) return refusal(invalid("Must provide a query string."), 400)
  const operation = parse(body.right.query)
  if (Either.isLeft(operation)) return refusal(notOfSchema(operation.left), 400)
  const outcome = execute(schema, operation.right, body.right.variables, account)
  if (outcome.kind === "refused") return refusal(outcome.failure, 400)
  // an operation that fails while it runs is answered with status 200
  if (outcome.kind === "failed") return refusal(outcome.failure, 200, outcome.path)
  return { status: 200, body: { data: outcome.data } }
}

const unauthorized = {
  message: "Authentication required, not authenticated",
  code: "AUTHENTICATION_ERROR",
  type: "authentication error",
  status: 401,
  words: "You need to authenticate to access this operation."
}

/** Linear's GraphQL API, as far as `Schema.ts` knows its schema, and its OAuth 2.0. */
export const simulator: Simulator = {
  slug: "linear",
  routes: [{ method: "POST", path: "/graphql", handle: answer }, ...oauth.routes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  limits,
  headers: limitHeaders,
  failures: {
    unauthorized: refusal(unauthorized, 401),
    badGrant: oauth.badGrant,
    notFound: () => ({ status: 404, body: { error: "Not Found" } }),
    methodNotAllowed: () => ({ status: 405, body: { error: "Method Not Allowed" } }),
    rateLimited: limited,
    broken: (status) =>
      refusal(
        status === 403
          ? { message: "Forbidden", code: "FORBIDDEN", type: "forbidden", status, words: "You do not have access." }
          : {
              message: "Internal server error",
              code: "INTERNAL_SERVER_ERROR",
              type: "internal error",
              status,
              words: "Something went wrong."
            },
        status
      )
  }
}
