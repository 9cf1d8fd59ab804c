import { Array, Effect, Either, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import { type FieldErrors, issueLimit, shortPath } from "./Errors.ts"
import { type Room, stopping, unread } from "./StoppingSchema.ts"

/** An error in an input, with its place. */
export interface Issue {
  /** Dotted path; "" for the input as a whole. */
  readonly path: string
  readonly message: string
  readonly isMissing: boolean
}

/** Message for an unknown member. */
export const unknown = "is not known here"

const annotated = (issue: ParseResult.ParseIssue): string | undefined => {
  if (issue._tag === "Pointer" || issue._tag === "Missing" || issue._tag === "Unexpected") return undefined
  const message = Option.map(AST.getMessageAnnotation(issue.ast), (annotation) => annotation(issue))
  if (Option.isNone(message)) return undefined
  const value = message.value
  if (typeof value === "string") return value
  if (Effect.isEffect(value)) return undefined
  // the refinement's own message; an error before it says more
  if (!value.override && issue._tag === "Refinement" && issue.kind === "From") return undefined
  return typeof value.message === "string" ? value.message : undefined
}

const isNothing = (issue: ParseResult.ParseIssue): boolean =>
  issue._tag === "Type" &&
  (AST.isUndefinedKeyword(issue.ast) || (AST.isLiteral(issue.ast) && issue.ast.literal === null))

function* collect(issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): Generator<Issue, void, void> {
  if (issue === unread) return
  const found = (message: string, isMissing = false): Issue => ({
    path: shortPath(path.map(String).join(".")),
    message,
    isMissing
  })
  const said = annotated(issue)
  if (said !== undefined) return yield found(said)
  switch (issue._tag) {
    case "Pointer":
      return yield* collect(issue.issue, [...path, ...Array.ensure(issue.path)])
    case "Missing":
      return yield found("is required", true)
    case "Unexpected":
      return yield found(unknown)
    case "Composite": {
      const parts = Array.ensure(issue.issues)
      // "or null" and "or absent" do not help when another value was sent
      const helpful = AST.isUnion(issue.ast) ? parts.filter((part) => !isNothing(part)) : parts
      for (const part of helpful.length === 0 ? parts : helpful) yield* collect(part, path)
      return undefined
    }
    case "Refinement":
    case "Transformation":
      return yield* collect(issue.issue, path)
    case "Type":
    case "Forbidden":
      return yield found(plain(issue))
  }
}

const nouns: { readonly [tag: string]: string } = {
  StringKeyword: "a string",
  NumberKeyword: "a number",
  BooleanKeyword: "true or false"
}

/** Describes the expected value, without its name in the code and in the document. */
const expected = (ast: AST.AST): string => {
  if (AST.isDeclaration(ast) || AST.isTypeLiteral(ast)) return "an object"
  if (AST.isUnion(ast)) return ast.types.map(expected).join(" | ")
  if (AST.isRefinement(ast)) return Option.getOrElse(AST.getDescriptionAnnotation(ast), () => String(ast))
  return nouns[ast._tag] ?? String(ast)
}

const plain = (issue: ParseResult.Type | ParseResult.Forbidden): string =>
  // a filter that names a place also says what is wrong there
  AST.isRefinement(issue.ast) && issue.message !== undefined
    ? issue.message
    : AST.isTupleType(issue.ast)
      ? "must be a list"
      : `must be ${expected(issue.ast)}`

/** The first issues, in plain words: one for each path, and no more paths than an answer names. */
const firstOf = (issue: ParseResult.ParseIssue): ReadonlyMap<string, Issue> => {
  // a map, since a field may share its name with a member that every object has
  const first = new Map<string, Issue>()
  for (const found of collect(issue, [])) {
    if (!first.has(found.path)) first.set(found.path, found)
    if (first.size === issueLimit) break
  }
  return first
}

/** Lists the issues in plain words, `issueLimit` at most. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  for (const issue of collect(error.issue, [])) {
    issues.push(issue)
    if (issues.length === issueLimit) break
  }
  return issues
}

/** The issues of a body by field, of `issueLimit` fields at most. */
export const fieldErrorsOf = (error: ParseResult.ParseError): FieldErrors =>
  Object.fromEntries([...firstOf(error.issue)].map(([path, { message }]) => [path === "" ? "body" : path, message]))

/** Decodes an unknown value, collecting its issues; stops soon after `issueLimit` of them. */
export const decoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const room: Room = { left: issueLimit, issuesIn: (issue) => firstOf(issue).size }
  let decode: ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) | undefined
  return (input: unknown): Either.Either<A, ParseResult.ParseError> => {
    // made on first use: there are hundreds, and few are ever used
    decode ??= ParseResult.decodeUnknownEither(Schema.make<A>(stopping(schema.ast, room)))
    room.left = issueLimit
    return Either.mapLeft(decode(input), (issue) => new ParseResult.ParseError({ issue }))
  }
}
