import { Either, Predicate } from "effect"
import {
  type DocumentNode,
  executeSync,
  extendSchema,
  type GraphQLFieldResolver,
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate
} from "graphql"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, extensionsOf } from "./Answers.ts"
import { complexityOf, type Operation } from "./Complexity.ts"

// Operations run over a schema that is data: types with fields, arguments and inputs.

export interface Args {
  readonly [name: string]: unknown
}

export type Resolve = (source: Doc, args: Args, account: Account) => Answered<unknown>

export interface Field {
  /** Type of an object, or of a list as `[Type]`; absent for a scalar, also for one with a structure. */
  readonly type?: string
  /** Arguments and their types, as the schema has them. */
  readonly args?: { readonly [name: string]: string }
  readonly resolve: Resolve
}

export interface Schema {
  readonly types: { readonly [type: string]: { readonly [field: string]: Field } }
  /** Fields of input types and their types. */
  readonly inputs: { readonly [type: string]: { readonly [field: string]: string } }
  /** Types that stand for one of several. */
  readonly unions: { readonly [type: string]: ReadonlyArray<string> }
}

/** A field that only reads its source. */
export const scalar = (read: (source: Doc) => unknown): Field => ({ resolve: (source) => Either.right(read(source)) })

const isTime = (value: unknown) => Predicate.isString(value) && !Number.isNaN(Date.parse(value))

const inputScalars: { readonly [name: string]: (value: unknown) => boolean } = {
  DateTime: isTime,
  DateTimeOrDuration: isTime,
  TimelessDateOrDuration: isTime,
  TimelessDate: (value) => Predicate.isString(value) && /^\d{4}-\d{2}-\d{2}$/.test(value)
}

/** The type of all fields that are scalars. */
const value = "Value"

const scalars = [
  new GraphQLScalarType({ name: value }),
  ...Object.entries(inputScalars).map(
    ([name, isOf]) =>
      new GraphQLScalarType({
        name,
        parseValue: (given) => {
          if (isOf(given)) return given
          throw new GraphQLError(`${name} cannot represent value: ${JSON.stringify(given)}`)
        }
      })
  )
]

const enumerations = `
  schema { query: Query mutation: Mutation }
  enum PaginationOrderBy { createdAt updatedAt }
  enum PaginationSortOrder { Ascending Descending }
  enum PaginationNulls { first last }
  enum IssueRelationType { blocks duplicate related similar }`

const typed = (fields: { readonly [name: string]: string }) =>
  Object.entries(fields).map(([name, type]) => `${name}: ${type}`)

/** Root fields and lists of records are never null, so that what fails in one leaves no data. */
const isRequired = (on: string, type: string) => on === "Query" || on === "Mutation" || type.endsWith("Connection")

const definitionOf = ({ inputs, types, unions }: Schema) =>
  [
    enumerations,
    ...Object.entries(unions).map(([name, members]) => `union ${name} = ${members.join(" | ")}`),
    ...Object.entries(inputs).map(([name, fields]) => `input ${name} { ${typed(fields).join(" ")} }`),
    ...Object.entries(types).map(([on, fields]) => {
      const all = Object.entries(fields).map(([name, { args = {}, type = value }]) => {
        const given = typed(args).join(" ")
        return `${name}${given === "" ? "" : `(${given})`}: ${type}${isRequired(on, type) ? "!" : ""}`
      })
      return `type ${on} { ${all.join(" ")} }`
    })
  ].join("\n")

/** Points that a single operation may cost. */
const mostPoints = 10_000

/** Answer of an operation that ran; errors are for the fields that failed. */
export interface Outcome {
  readonly errors?: ReadonlyArray<GraphQLError>
  readonly data: unknown
}

/** An operation's document; left: why it is none. */
export const parsed = (query: string): Either.Either<DocumentNode, ReadonlyArray<GraphQLError>> =>
  Either.try({
    try: () => parse(query),
    catch: (error) => [error instanceof GraphQLError ? error : new GraphQLError("Syntax Error")]
  })

/** Makes what runs operations over a schema. Left: why an operation is none of the schema, and nothing of it ran. */
export const executor = (
  definition: Schema
): ((request: Operation, account: Account) => Either.Either<Outcome, ReadonlyArray<GraphQLError>>) => {
  const base = new GraphQLSchema({ types: scalars, assumeValid: true })
  const schema = extendSchema(base, parse(definitionOf(definition)), { assumeValid: true })

  const fieldResolver: GraphQLFieldResolver<Doc, Account, Args> = (source, args, account, { fieldName, parentType }) =>
    Either.match(definition.types[parentType.name]?.[fieldName]?.resolve(source, args, account) ?? Either.right(null), {
      // the library takes an error that is returned as one that is thrown
      onLeft: (failure) => new GraphQLError(failure.message, { extensions: extensionsOf(failure) }),
      onRight: (found) => found
    })

  return ({ operationName, query, variables }, account) =>
    Either.gen(function* () {
      const document = yield* parsed(query)
      const problems = validate(schema, document, [...specifiedRules, NoSchemaIntrospectionCustomRule])
      if (problems.length > 0) return yield* Either.left(problems)
      if (complexityOf(definition.types, document, { operationName, variables }) > mostPoints) {
        return yield* Either.left([new GraphQLError("Query is too complex")])
      }
      const { data, errors } = executeSync({
        schema,
        document,
        rootValue: {},
        contextValue: account,
        variableValues: variables ?? null,
        operationName: operationName ?? null,
        fieldResolver
      })
      // an error of no field refuses the whole before it runs, such as one of its variables
      if (errors?.some(({ path }) => path === undefined) === true) return yield* Either.left(errors)
      return { data, ...(errors === undefined ? {} : { errors }) }
    })
}
