import { Array, Effect, Either, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import { type FieldErrors, issueLimit, shortPath } from "./Errors.ts"

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

function* collect(issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): Generator<Issue> {
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
      return yield found("is not known here")
    case "Composite": {
      const parts = Array.ensure(issue.issues)
      // "or null", "or absent" are no help where something else was meant
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

const plain = (issue: ParseResult.Type | ParseResult.Forbidden): string => {
  const expected = AST.isDeclaration(issue.ast) || AST.isTypeLiteral(issue.ast) ? "an object" : String(issue.ast)
  return AST.isTupleType(issue.ast) ? "must be a list" : `must be ${expected}`
}

/** The first issues, in plain words: one for each path, and of the paths no more than an answer names. */
const firstOf = (issue: ParseResult.ParseIssue): ReadonlyMap<string, Issue> => {
  // a map, since a field may be called like a member that every object has
  const first = new Map<string, Issue>()
  for (const found of collect(issue, [])) {
    if (!first.has(found.path)) first.set(found.path, found)
    if (first.size === issueLimit) break
  }
  return first
}

/** What is wrong, in plain words: no more than `issueLimit` issues. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  for (const issue of collect(error.issue, [])) {
    issues.push(issue)
    if (issues.length === issueLimit) break
  }
  return issues
}

/** Issues as one message, which says so where there may be more. */
export const sentence = (issues: ReadonlyArray<Issue>, say: (issue: Issue) => string) =>
  issues.map(say).join("; ") + (issues.length < issueLimit ? "" : `; only the first ${issueLimit} problems are named`)

/** The issues of a body, by field: no more than `issueLimit` fields. */
export const fieldErrorsOf = (error: ParseResult.ParseError): FieldErrors =>
  Object.fromEntries([...firstOf(error.issue)].map(([path, { message }]) => [path === "" ? "body" : path, message]))

// ---------------------------------------------------------------------------------------------------------------------
// decoding that stops

/** How many paths of issues may still be found by the decoding that runs. */
interface Room {
  left: number
}

/** Stands for what is not read any more, after enough was found wrong. */
const unread = new ParseResult.Type(AST.neverKeyword, undefined)

/** One of any number of values: its issues take from the room, and without room it is not read. */
const counted = (ast: AST.AST, room: Room): AST.AST => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown>(stopping(ast, room)))
  const read = (input: unknown, options: AST.ParseOptions): Either.Either<unknown, ParseResult.ParseIssue> => {
    if (room.left <= 0) return Either.left(unread)
    const before = room.left
    const decoded = decode(input, options)
    // those of values within it are among its own
    if (Either.isLeft(decoded)) room.left = before - firstOf(decoded.left).size
    return decoded
  }
  return new AST.Declaration(
    [],
    () => read,
    () => read
  )
}

const isScalar = (ast: AST.AST): boolean =>
  AST.isRefinement(ast) || AST.isTransformation(ast)
    ? isScalar(ast.from)
    : AST.isLiteral(ast) ||
      AST.isStringKeyword(ast) ||
      AST.isNumberKeyword(ast) ||
      AST.isBooleanKeyword(ast) ||
      AST.isUndefinedKeyword(ast)

/** The same schema, which reads no further entries of lists and open objects once there is no room for issues. */
const stopping = (ast: AST.AST, room: Room): AST.AST => {
  switch (ast._tag) {
    case "TypeLiteral":
      return new AST.TypeLiteral(
        ast.propertySignatures.map(
          ({ annotations, isOptional, isReadonly, name, type }) =>
            new AST.PropertySignature(name, stopping(type, room), isOptional, isReadonly, annotations)
        ),
        ast.indexSignatures.map(
          ({ isReadonly, parameter, type }) => new AST.IndexSignature(parameter, counted(type, room), isReadonly)
        ),
        ast.annotations
      )
    case "TupleType":
      return new AST.TupleType(
        ast.elements.map(
          ({ annotations, isOptional, type }) => new AST.OptionalType(stopping(type, room), isOptional, annotations)
        ),
        ast.rest.map(({ annotations, type }) => new AST.Type(counted(type, room), annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Refinement":
      return new AST.Refinement(stopping(ast.from, room), ast.filter, ast.annotations)
    case "Transformation":
      return new AST.Transformation(stopping(ast.from, room), ast.to, ast.transformation, ast.annotations)
    case "Suspend":
      return new AST.Suspend(() => stopping(ast.f(), room), ast.annotations)
    case "Union":
      // what one member finds wrong may be right for another
      return ast.types.filter((member) => !isScalar(member)).length > 1
        ? ast
        : AST.Union.make(
            ast.types.map((member) => stopping(member, room)),
            ast.annotations
          )
    default:
      return ast
  }
}

/** Decodes an unknown value, with its issues: all of them as far as `issueLimit`, then it stops soon. */
export const decoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const room: Room = { left: issueLimit }
  let decode: ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) | undefined
  return (input: unknown): Either.Either<A, ParseResult.ParseError> => {
    // made when it is first asked for: there are hundreds, and few are ever used
    decode ??= ParseResult.decodeUnknownEither(Schema.make<A>(stopping(schema.ast, room)))
    room.left = issueLimit
    return Either.mapLeft(decode(input), (issue) => new ParseResult.ParseError({ issue }))
  }
}
