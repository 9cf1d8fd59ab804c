import { Predicate } from "effect"
import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from "graphql"

// Points of a query, by the data that it asks for. https://linear.app/developers/rate-limiting

/** An operation as it is sent. */
export interface Operation {
  readonly query: string
  readonly variables?: { readonly [name: string]: unknown } | null | undefined
  readonly operationName?: string | null | undefined
}

/** The type of each field of each type; absent for a scalar. */
interface Types {
  readonly [type: string]: { readonly [field: string]: { readonly type?: string } }
}

const points = { property: 0.1, object: 1 }

/** Records of a page whose size is not given. */
const usual = 50

const rootOf = { query: "Query", mutation: "Mutation", subscription: "Subscription" }

/** Size of the page that a list is asked for. */
const sizeOf = ({ arguments: given = [] }: FieldNode, variables: Operation["variables"]): number => {
  const size = given.find(({ name }) => name.value === "first" || name.value === "last")?.value
  if (size?.kind === Kind.INT) return Math.max(0, Number(size.value))
  const value = size?.kind === Kind.VARIABLE ? variables?.[size.name.value] : undefined
  return Predicate.isNumber(value) ? Math.max(0, value) : usual
}

/**
 * Points of an operation: a tenth for each property, one for each object, and as many times those of a list's page as it has
 * records, rounded up. A fragment that spreads itself, which no valid document has, counts once.
 */
export const complexityOf = (
  types: Types,
  { definitions }: DocumentNode,
  { operationName, variables }: Omit<Operation, "query">
): number => {
  const fragments = new Map<string, number>()

  const ofFragment = (name: string): number => {
    const known = fragments.get(name)
    if (known !== undefined) return known
    fragments.set(name, 0)
    const found = definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name)
    const cost =
      found?.kind === Kind.FRAGMENT_DEFINITION ? within(found.selectionSet, found.typeCondition.name.value) : 0
    fragments.set(name, cost)
    return cost
  }

  const ofField = (field: FieldNode, on: string): number => {
    if (field.selectionSet === undefined) return points.property
    const type = types[on]?.[field.name.value]?.type?.replace(/^\[(.*)\]$/, "$1") ?? ""
    const inside = within(field.selectionSet, type)
    return type.endsWith("Connection") ? inside * sizeOf(field, variables) : points.object + inside
  }

  const within = ({ selections }: SelectionSetNode, on: string): number =>
    selections.reduce((sum, one) => {
      if (one.kind === Kind.FIELD) return sum + ofField(one, on)
      if (one.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(one.name.value)
      return sum + within(one.selectionSet, one.typeCondition?.name.value ?? on)
    }, 0)

  const operation = definitions.find(
    (one) => one.kind === Kind.OPERATION_DEFINITION && (operationName ?? one.name?.value) === one.name?.value
  )
  // tenths add up to a little more or less than they should
  return operation?.kind === Kind.OPERATION_DEFINITION
    ? Math.ceil(Number(within(operation.selectionSet, rootOf[operation.operation]).toFixed(6)))
    : 0
}
