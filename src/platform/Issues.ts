import { Array, Effect, Either, Option, ParseResult, type Schema, SchemaAST as AST } from "effect"
import type { FieldErrors } from "./Errors.ts"

/** Something wrong with an input, where it stands. */
export interface Issue {
  /** Dotted path; "" for the input as a whole. */
  readonly path: string
  readonly message: string
  readonly isMissing: boolean
}

const annotated = (issue: ParseResult.ParseIssue): string | undefined => {
  if (issue._tag === "Pointer" || issue._tag === "Missing" || issue._tag === "Unexpected") return undefined
  const message = Option.map(AST.getMessageAnnotation(issue.ast), (annotation) => annotation(issue))
  if (Option.isNone(message)) return undefined
  const value = message.value
  if (typeof value === "string") return value
  if (Effect.isEffect(value)) return undefined
  // Said of the refinement only: what is wrong before it comes to that says more.
  if (!value.override && issue._tag === "Refinement" && issue.kind === "From") return undefined
  return typeof value.message === "string" ? value.message : undefined
}

const isNothing = (issue: ParseResult.ParseIssue): boolean =>
  issue._tag === "Type" &&
  (AST.isUndefinedKeyword(issue.ast) || (AST.isLiteral(issue.ast) && issue.ast.literal === null))

const collect = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Issue> => {
  const here = path.map(String).join(".")
  const said = annotated(issue)
  if (said !== undefined) return [{ path: here, message: said, isMissing: false }]
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, [...path, ...Array.ensure(issue.path)])
    case "Missing":
      return [{ path: here, message: "is required", isMissing: true }]
    case "Unexpected":
      return [{ path: here, message: "is not known here", isMissing: false }]
    case "Composite": {
      const parts = Array.ensure(issue.issues)
      // "or null", "or absent" are no help where something else was meant
      const helpful = AST.isUnion(issue.ast) ? parts.filter((part) => !isNothing(part)) : parts
      return (helpful.length === 0 ? parts : helpful).flatMap((part) => collect(part, path))
    }
    case "Refinement":
    case "Transformation":
      return collect(issue.issue, path)
    case "Type":
    case "Forbidden":
      return [{ path: here, message: plain(issue), isMissing: false }]
  }
}

const plain = (issue: ParseResult.Type | ParseResult.Forbidden): string => {
  const expected = AST.isDeclaration(issue.ast) || AST.isTypeLiteral(issue.ast) ? "an object" : String(issue.ast)
  return AST.isTupleType(issue.ast) ? "must be a list" : `must be ${expected}`
}

/** Everything that is wrong, in plain words. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<Issue> => collect(error.issue, [])

/** The issues of a body, by field. */
export const fieldErrorsOf = (error: ParseResult.ParseError): FieldErrors => {
  // a map, since a field may be called like a member that every object has
  const errors = new Map<string, string>()
  for (const { message, path } of issuesOf(error)) {
    const name = path === "" ? "body" : path
    if (!errors.has(name)) errors.set(name, message)
  }
  return Object.fromEntries(errors)
}

/** Decodes an unknown value, with its issues. */
export const decoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = ParseResult.decodeUnknownEither(schema)
  return (input: unknown): Either.Either<A, ParseResult.ParseError> =>
    Either.mapLeft(decode(input), (issue) => new ParseResult.ParseError({ issue }))
}
