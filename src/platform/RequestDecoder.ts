import { Either, type ParseResult, Schema, SchemaAST as AST } from "effect"
import { endUserTooLong } from "./EndUserHeader.ts"
import { BadRequest, sentence } from "./Errors.ts"
import { decoder, type Issue, issuesOf, unknown } from "./Issues.ts"
import { didYouMean } from "./Spelling.ts"

/** Message for the first unknown name of a query, with the known ones. */
const unknownAmong = (name: string, known: ReadonlyArray<string>): string => {
  const near = didYouMean(name, known)
  const all = known.length === 0 ? "there are no parameters" : `there are ${known.join(", ")}`
  return near === "" ? `${unknown}; ${all}` : `${unknown}${near} ${all[0]?.toUpperCase() ?? ""}${all.slice(1)}`
}

/** A 400 that says everything wrong with path, query and headers at once; paths start with the part's name. */
const badRequest = (error: ParseResult.ParseError, parameters: ReadonlyArray<string>): BadRequest => {
  const found = issuesOf(error)
  const firstUnknown = found.find(({ message, path }) => path.startsWith("query.") && message === unknown)
  const issues = found.map((issue) => {
    const path = issue.path.replace(/^(path|query|headers)\./, "")
    return { ...issue, path, message: issue === firstUnknown ? unknownAmong(path, parameters) : issue.message }
  })
  const lacksEndUser = ({ message, path }: Issue) => path === "x-end-user-id" && message !== endUserTooLong
  return new BadRequest({
    code: issues.some(lacksEndUser) ? "MISSING_END_USER" : "INVALID_PARAMETER",
    message: sentence(issues, (issue) =>
      lacksEndUser(issue) ? "X-End-User-Id: send the end user's id in this header" : `${issue.path}: ${issue.message}`
    )
  })
}

/** Decodes path, query and headers of a request, or says everything wrong with all of them. */
export const requestDecoder = <P, PI, Q, QI, H, HI>(
  path: Schema.Schema<P, PI>,
  query: Schema.Schema<Q, QI>,
  headers: Schema.Schema<H, HI>
) => {
  const decode = decoder(Schema.Struct({ path, query, headers }).annotations({ parseOptions: { errors: "all" } }))
  const parameters = AST.getPropertySignatures(query.ast).map(({ name }) => String(name))
  return (request: {
    readonly path: unknown
    readonly query: unknown
    readonly headers: unknown
  }): Either.Either<{ readonly path: P; readonly query: Q; readonly headers: H }, BadRequest> =>
    Either.mapLeft(decode(request), (error) => badRequest(error, parameters))
}
