import { HttpApi, HttpApiError, HttpApiSchema, HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect, Either, identity, Option, ParseResult, Schema, type SchemaAST as AST } from "effect"
import { BadRequest, ErrorBody, sentence, toBody } from "./Errors.ts"
import { memoize } from "./Memoize.ts"
import { requestDecoder } from "./RequestDecoder.ts"

/** The platform's message in this service's words; undefined if it only says that the value could have been absent. */
const wordsOf = ({ _tag, message }: HttpApiError.HttpApiDecodeError["issues"][number]): string | undefined =>
  _tag === "Unexpected" ? "is not known here" : message.startsWith("Expected undefined,") ? undefined : message

/** Says what the platform found wrong, which stops at the first wrong part of a request. */
const inFirstPart = (refused: HttpApiError.HttpApiDecodeError) =>
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

interface Part {
  readonly ast: AST.AST
}

/** The parts of a declared group that say what its requests look like. */
export interface DeclaredGroup {
  readonly endpoints: {
    readonly [name: string]: {
      readonly method: string
      readonly path: string
      readonly pathSchema: Option.Option<Part>
      readonly urlParamsSchema: Option.Option<Part>
      readonly headersSchema: Option.Option<Part>
    }
  }
}

const schemaOf = (part: Option.Option<Part>): Schema.Schema<unknown, unknown> =>
  Schema.make(Option.getOrElse(part, () => Schema.Struct({})).ast)

/** Reads the refused request again by the declaration of its route, to say everything that is wrong with it. */
const inAllParts = (groups: () => ReadonlyArray<DeclaredGroup>) => {
  const decoderOf = memoize(1000, (asked) => {
    const endpoint = groups()
      .flatMap(({ endpoints }) => Object.values(endpoints))
      .find(({ method, path }) => `${method} ${path}` === asked)
    return endpoint === undefined
      ? undefined
      : requestDecoder(
          schemaOf(endpoint.pathSchema),
          schemaOf(endpoint.urlParamsSchema),
          schemaOf(endpoint.headersSchema)
        )
  })
  return (refused: HttpApiError.HttpApiDecodeError) =>
    Effect.map(
      Effect.all([
        Effect.serviceOption(HttpRouter.RouteContext),
        Effect.serviceOption(HttpServerRequest.HttpServerRequest),
        Effect.serviceOption(HttpServerRequest.ParsedSearchParams)
      ]),
      (found) =>
        Option.all(found).pipe(
          Option.flatMap(([{ params, route }, { headers }, query]) => {
            const decode = decoderOf(`${route.method} ${route.path}`)
            return decode === undefined ? Option.none() : Either.getLeft(decode({ path: params, query, headers }))
          }),
          Option.getOrElse(() => inFirstPart(refused))
        )
    )
}

/** Writes a request that a group's declaration refuses as the envelope with status 400. */
const refusedRequest = (problem: (refused: HttpApiError.HttpApiDecodeError) => Effect.Effect<BadRequest>) =>
  Schema.transformOrFail(ErrorBody, Schema.typeSchema(HttpApiError.HttpApiDecodeError), {
    strict: true,
    decode: (body) => ParseResult.succeed(new HttpApiError.HttpApiDecodeError({ issues: [], message: body.message })),
    encode: (_, __, ___, refused) => Effect.flatMap(problem(refused), toBody)
  }).annotations({
    ...HttpApiSchema.annotations({ status: 400, description: "A header, path or query value is missing or malformed" }),
    identifier: "Error"
  })

const RefusedRequest = refusedRequest((refused) => Effect.succeed(inFirstPart(refused)))

/**
 * `HttpApi.make`, with the service's own envelope in place of the platform's answer to a request it cannot decode. It says
 * everything that is wrong with requests for `groups`, and else what is wrong with the first of path, headers and query.
 */
export const makeApi = <const Id extends string>(id: Id, groups?: () => ReadonlyArray<DeclaredGroup>) =>
  Object.assign(HttpApi.make(id), {
    errorSchema: groups === undefined ? RefusedRequest : refusedRequest(inAllParts(groups))
  })

/** The query of a route that takes none: anything sent is refused, while a struct without fields would accept it. */
export const NoQuery = Schema.Struct({}).pipe(
  Schema.filter((query) => Object.keys(query).map((name) => ({ path: [name], message: "is not known here" })))
)
