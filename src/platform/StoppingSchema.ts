import { Either, ParseResult, Schema, SchemaAST as AST } from "effect"

/** How many more issues a decoding looks for. */
export interface Room {
  left: number
  readonly issuesIn: (issue: ParseResult.ParseIssue) => number
}

/** Stands for what was not read any more, after enough was found wrong. */
export const unread = new ParseResult.Type(AST.neverKeyword, undefined)

/** One of any number of values: its issues take from the room, and without room it is not read. */
const counted = (ast: AST.AST, room: Room): AST.AST => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown>(stopping(ast, room)))
  const read = (input: unknown, options: AST.ParseOptions): Either.Either<unknown, ParseResult.ParseIssue> => {
    if (room.left <= 0) return Either.left(unread)
    const before = room.left
    const decoded = decode(input, options)
    // those of values within it are among its own
    if (Either.isLeft(decoded)) room.left = before - room.issuesIn(decoded.left)
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
export const stopping = (ast: AST.AST, room: Room): AST.AST => {
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
