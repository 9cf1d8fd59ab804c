import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Reply, SimulatedRequest, Simulator } from "../../../providers/simulation/Simulator.ts"
import { invalid, notOfSchema, refusal } from "./Answers.ts"
import { complexityOf } from "./Complexity.ts"
import { executor, parsed } from "./Execute.ts"
import { limited, limitsOf } from "./Limits.ts"
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

const execute = executor(schema)

/** Points of a request; none where it is refused before it runs. */
const pointsOf = ({ text }: SimulatedRequest): number =>
  Either.match(
    Either.flatMap(readBody(text), (body) => Either.map(parsed(body.query), (document) => ({ body, document }))),
    { onLeft: () => 0, onRight: ({ body, document }) => complexityOf(schema.types, document, body) }
  )

const { headers, limits } = limitsOf(pointsOf)

const answer = (request: SimulatedRequest, account: Account): Reply =>
  Either.match(readBody(request.text), {
    onLeft: () => refusal([invalid("Must provide a query string.")], 400),
    onRight: (body) =>
      Either.match(execute(body, account), {
        onLeft: (errors) =>
          refusal(
            errors.map(({ message }) => notOfSchema(message)),
            400
          ),
        // an operation that fails while it runs is answered with status 200
        onRight: (outcome): Reply => ({
          status: 200,
          body: outcome,
          headers: { "x-complexity": String(pointsOf(request)) }
        })
      })
  })

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
  headers,
  failures: {
    unauthorized: refusal([unauthorized], 401),
    badGrant: oauth.badGrant,
    notFound: () => ({ status: 404, body: { error: "Not Found" } }),
    methodNotAllowed: () => ({ status: 405, body: { error: "Method Not Allowed" } }),
    rateLimited: limited,
    broken: (status) =>
      refusal(
        [
          status === 403
            ? { message: "Forbidden", code: "FORBIDDEN", type: "forbidden", status, words: "You do not have access." }
            : {
                message: "Internal server error",
                code: "INTERNAL_SERVER_ERROR",
                type: "internal error",
                status,
                words: "Something went wrong."
              }
        ],
        status
      )
  }
}
