import { HttpApi, HttpApiError, HttpApiSchema } from "@effect/platform"
import { identity, ParseResult, Schema } from "effect"
import { BadRequest, ErrorBody, sentence, toBody } from "./Errors.ts"

/** The platform's message in this service's words; undefined if it only says that the value could have been absent. */
const wordsOf = ({ _tag, message }: HttpApiError.HttpApiDecodeError["issues"][number]): string | undefined =>
  _tag === "Unexpected" ? "is not known here" : message.startsWith("Expected undefined,") ? undefined : message

/** Writes a request that a group's declaration refuses as the envelope with status 400. */
const RefusedRequest = Schema.transformOrFail(ErrorBody, Schema.typeSchema(HttpApiError.HttpApiDecodeError), {
  strict: true,
  decode: (body) => ParseResult.succeed(new HttpApiError.HttpApiDecodeError({ issues: [], message: body.message })),
  encode: (_, __, ___, refused) =>
    toBody(
      new BadRequest({
        code: "INVALID_PARAMETER",
        message: sentence(
          refused.issues.flatMap((issue) => {
            const words = wordsOf(issue)
            return words === undefined ? [] : [`${issue.path.map(String).join(".")}: ${words}`]
          }),
          identity
        )
      })
    )
}).annotations({
  ...HttpApiSchema.annotations({ status: 400, description: "A header, path or query value is missing or malformed" }),
  identifier: "Error"
})

/** `HttpApi.make`, with the service's own envelope in place of the platform's answer to a request it cannot decode. */
export const makeApi = <const Id extends string>(id: Id) =>
  Object.assign(HttpApi.make(id), { errorSchema: RefusedRequest })

/** The query of a route that takes none: anything sent is refused, while a struct without fields would accept it. */
export const NoQuery = Schema.Struct({}).pipe(
  Schema.filter((query) => Object.keys(query).map((name) => ({ path: [name], message: "is not known here" })))
)
