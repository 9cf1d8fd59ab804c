import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, fail, invalid, notOfSchema } from "./Answers.ts"
import type { FieldSelection, Operation, Selection, Value, Variable } from "./GraphQl.ts"

// Operations run over a schema that is data: types with fields, arguments and inputs. Anything that the schema lacks is
// refused, as GraphQL refuses it, before anything runs.

export interface Args {
  readonly [name: string]: unknown
}

export type Resolve = (source: Doc, args: Args, account: Account) => Answered<unknown>

export interface Field {
  /** Name of the type of an object, or of each object of a list; absent for a scalar. */
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

// values ------------------------------------------------------------------------------------------------------------------

const bare = (type: string) => type.replaceAll(/[[\]!]/g, "")

const isOf: { readonly [scalar: string]: (value: unknown) => boolean } = {
  String: Predicate.isString,
  ID: Predicate.isString,
  Int: (value) => Number.isInteger(value),
  Float: Predicate.isNumber,
  Boolean: Predicate.isBoolean,
  DateTime: (value) => Predicate.isString(value) && !Number.isNaN(Date.parse(value)),
  DateTimeOrDuration: (value) => Predicate.isString(value) && !Number.isNaN(Date.parse(value)),
  TimelessDateOrDuration: (value) => Predicate.isString(value) && !Number.isNaN(Date.parse(value)),
  TimelessDate: (value) => Predicate.isString(value) && /^\d{4}-\d{2}-\d{2}$/.test(value),
  PaginationOrderBy: (value) => value === "createdAt" || value === "updatedAt",
  PaginationSortOrder: (value) => value === "Ascending" || value === "Descending",
  PaginationNulls: (value) => value === "first" || value === "last",
  IssueRelationType: (value) =>
    Predicate.isString(value) && ["blocks", "duplicate", "related", "similar"].includes(value)
}

/** The problem with a value of a type; undefined if there is none. */
const problemOf = (schema: Schema, type: string, value: unknown, at: string): string | undefined => {
  const isRequired = type.endsWith("!")
  const plain = type.replace(/!$/, "")
  if (value === undefined || value === null) {
    return isRequired
      ? `${at === "" ? "Expected" : `Field "${at}" of required type`} "${type}"${at === "" ? " not to be null" : " was not provided"}.`
      : undefined
  }
  if (plain.startsWith("[")) {
    const inner = plain.slice(1, -1)
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return all.map((one) => problemOf(schema, inner, one, at)).find((problem) => problem !== undefined)
  }
  const fields = schema.inputs[plain]
  if (fields === undefined) {
    return isOf[plain]?.(value) === true
      ? undefined
      : `${plain} cannot represent value: ${JSON.stringify(value)}${at === "" ? "" : ` at "${at}"`}`
  }
  if (!Predicate.isRecord(value)) return `Expected type "${plain}" to be an object.`
  const unknown = Object.keys(value).find((name) => fields[name] === undefined)
  if (unknown !== undefined) return `Field "${unknown}" is not defined by type "${plain}".`
  return Object.entries(fields)
    .map(([name, inner]) => problemOf(schema, inner, value[name], name))
    .find((problem) => problem !== undefined)
}

interface Run {
  readonly schema: Schema
  readonly operation: Operation
  readonly variables: { readonly [name: string]: unknown }
  readonly account: Account
}

const valueOf = (value: Value, variables: Run["variables"]): unknown => {
  switch (value.kind) {
    case "variable":
      return variables[value.name]
    case "literal":
      return value.value
    case "list":
      return value.of.map((one) => valueOf(one, variables))
    case "object":
      return Object.fromEntries([...value.of].map(([name, one]) => [name, valueOf(one, variables)]))
  }
}

/** Values of the declared variables. */
const variablesOf = (schema: Schema, declared: ReadonlyArray<Variable>, given: unknown): Answered<Run["variables"]> => {
  const from = Predicate.isRecord(given) ? given : {}
  const values: { [name: string]: unknown } = {}
  for (const { name, otherwise, type } of declared) {
    const value = from[name] ?? (otherwise === undefined ? from[name] : valueOf(otherwise, {}))
    if (type.endsWith("!") && (value === undefined || value === null)) {
      return fail(notOfSchema(`Variable "$${name}" of required type "${type}" was not provided.`))
    }
    const problem = problemOf(schema, type, value, "")
    if (problem !== undefined)
      return fail(notOfSchema(`Variable "$${name}" got invalid value ${JSON.stringify(value)}; ${problem}`))
    if (value !== undefined) values[name] = value
  }
  return Either.right(values)
}

// checking ----------------------------------------------------------------------------------------------------------------

const usedIn = (value: Value): ReadonlyArray<string> => {
  if (value.kind === "variable") return [value.name]
  if (value.kind === "list") return value.of.flatMap(usedIn)
  return value.kind === "object" ? [...value.of.values()].flatMap(usedIn) : []
}

/** The problem with the arguments of a field; undefined if there is none. */
const argsProblem = (
  { operation, schema }: Run,
  type: string,
  field: Field,
  { args, name }: FieldSelection
): string | undefined => {
  for (const [arg, value] of args) {
    const expected = field.args?.[arg]
    if (expected === undefined) return `Unknown argument "${arg}" on field "${type}.${name}".`
    const undeclared = usedIn(value).find((used) => !operation.variables.some((one) => one.name === used))
    if (undeclared !== undefined) return `Variable "$${undeclared}" is not defined.`
    if (value.kind !== "variable") {
      const problem = usedIn(value).length > 0 ? undefined : problemOf(schema, expected, valueOf(value, {}), "")
      if (problem !== undefined) return problem
      continue
    }
    const declared = operation.variables.find((one) => one.name === value.name)?.type ?? ""
    if (bare(declared) !== bare(expected) || (expected.endsWith("!") && !declared.endsWith("!"))) {
      return `Variable "$${value.name}" of type "${declared}" used in position expecting type "${expected}".`
    }
  }
  const missing = Object.entries(field.args ?? {}).find(([arg, expected]) => expected.endsWith("!") && !args.has(arg))
  return missing === undefined
    ? undefined
    : `Field "${name}" argument "${missing[0]}" of type "${missing[1]}" is required, but it was not provided.`
}

/** A field that is asked for, and the type that it is a field of. */
type Asked = readonly [type: string, field: FieldSelection]

/** Fields that are asked for, with fragments put in their place; `within` are the fragments on the way there. */
const fieldsOf = (
  run: Pick<Run, "operation" | "schema">,
  type: string,
  selections: ReadonlyArray<Selection>,
  within: ReadonlyArray<string> = []
): Answered<ReadonlyArray<Asked>> =>
  Either.map(
    Either.all(
      selections.map((selection): Answered<ReadonlyArray<Asked>> => {
        if (selection.kind === "field") return Either.right([[type, selection]])
        const name = selection.kind === "spread" ? selection.name : undefined
        if (name !== undefined && within.includes(name)) {
          return fail(notOfSchema(`Cannot spread fragment "${name}" within itself.`))
        }
        const fragment = selection.kind === "spread" ? run.operation.fragments.get(selection.name) : selection
        if (fragment === undefined) return fail(notOfSchema(`Unknown fragment "${name}".`))
        const { on, selections: inner } = fragment
        if (on !== type && run.schema.unions[type]?.includes(on) !== true) {
          return fail(
            notOfSchema(
              `Fragment${name === undefined ? "" : ` "${name}"`} cannot be spread here as objects of type "${type}" can never be of type "${on}".`
            )
          )
        }
        return fieldsOf(run, on, inner, name === undefined ? within : [...within, name])
      })
    ),
    (all) => all.flat()
  )

/** Depth that no sensible operation has; fragments that hold each other in fields have it. */
const deepest = 12

const check = (run: Run, type: string, selections: ReadonlyArray<Selection>, depth = 0): Answered<void> =>
  Either.gen(function* () {
    if (depth > deepest) return yield* fail(notOfSchema("Query is too complex"))
    for (const [on, selection] of yield* fieldsOf(run, type, selections)) {
      const { name } = selection
      if (name === "__typename") continue
      const field = run.schema.types[on]?.[name]
      if (field === undefined) return yield* fail(notOfSchema(`Cannot query field "${name}" on type "${on}".`))
      const problem = argsProblem(run, on, field, selection)
      if (problem !== undefined) return yield* fail(notOfSchema(problem))
      if (field.type === undefined) {
        if (selection.selections === undefined) continue
        return yield* fail(
          notOfSchema(`Field "${name}" must not have a selection since type "${on}.${name}" has no subfields.`)
        )
      }
      if (selection.selections === undefined) {
        return yield* fail(
          notOfSchema(
            `Field "${name}" of type "${field.type}" must have a selection of subfields. Did you mean "${name} { ... }"?`
          )
        )
      }
      yield* check(run, field.type, selection.selections, depth + 1)
    }
  })

// running -----------------------------------------------------------------------------------------------------------------

const isDoc = (value: unknown): value is Doc => Predicate.isRecord(value)

const resolve = (run: Run, type: string, source: Doc, selections: ReadonlyArray<Selection>): Answered<Doc> =>
  Either.gen(function* () {
    const answer: { [name: string]: unknown } = {}
    for (const [, { alias, args, name, selections: inner }] of yield* fieldsOf(run, type, selections)) {
      if (name === "__typename") {
        answer[alias] = type
        continue
      }
      const field = run.schema.types[type]?.[name]
      if (field === undefined) return yield* fail(invalid(`Cannot query field "${name}" on type "${type}".`))
      const given = Object.fromEntries([...args].map(([arg, value]) => [arg, valueOf(value, run.variables)]))
      const value = yield* field.resolve(source, given, run.account)
      const innerType = field.type
      if (innerType === undefined || inner === undefined) answer[alias] = value ?? null
      else if (Array.isArray(value)) {
        answer[alias] = yield* Either.all(value.filter(isDoc).map((one) => resolve(run, innerType, one, inner)))
      } else answer[alias] = isDoc(value) ? yield* resolve(run, innerType, value, inner) : null
    }
    return answer
  })

/** Why an operation gave no data: it is none of the schema, or one of its first fields failed. */
export type Outcome =
  | { readonly kind: "refused"; readonly failure: Either.Either.Left<Answered<never>> }
  | { readonly kind: "failed"; readonly failure: Either.Either.Left<Answered<never>>; readonly path: string }
  | { readonly kind: "done"; readonly data: Doc }

export const execute = (schema: Schema, operation: Operation, given: unknown, account: Account): Outcome => {
  const root = operation.kind === "query" ? "Query" : "Mutation"
  const bare: Run = { schema, operation, variables: {}, account }
  const ready = Either.flatMap(check(bare, root, operation.selections), () =>
    variablesOf(schema, operation.variables, given)
  )
  if (Either.isLeft(ready)) return { kind: "refused", failure: ready.left }
  const data = resolve({ ...bare, variables: ready.right }, root, {}, operation.selections)
  if (Either.isRight(data)) return { kind: "done", data: data.right }
  const [first] = operation.selections
  return { kind: "failed", failure: data.left, path: first?.kind === "field" ? first.alias : "" }
}
