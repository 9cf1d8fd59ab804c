import { Either } from "effect"
import { pathsIn, targetsOf } from "../canonical/References.ts"
import { type Category, type Fields, isShape, type Resource } from "../canonical/Resource.ts"
import { isNative } from "../mapping/Mapping.ts"
import { didYouMean } from "../platform/Spelling.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/**
 * The references of an object to replace with the records they lead to, each with its own expansion; and the lists whose
 * objects have such references.
 */
export interface Expansion {
  readonly references: {
    readonly [field: string]: { readonly targets: ReadonlyArray<Resource>; readonly of: Expansion }
  }
  readonly lists: { readonly [field: string]: Expansion }
}

/** A record that an object leads to. */
export interface Lead {
  readonly targets: ReadonlyArray<Resource>
  /** The id in the object: a bare UUID in accounting, the provider's id in the CRM. */
  readonly id: string
  readonly of: Expansion
}

const nothing: Expansion = { references: {}, lists: {} }

/** Most references that follow each other in a path. */
const deepest = 2

const add = (
  category: Category,
  fields: Fields,
  into: Expansion,
  [name = "", ...rest]: ReadonlyArray<string>,
  left: number,
  /** The path so far, ending in a dot. */
  before = ""
): Either.Either<Expansion, string> => {
  const field = fields[name]
  if (field !== undefined && isShape(field.item)) {
    const [inside] = rest
    if (inside === undefined)
      return Either.left(`"${name}" is a list: say which of its references, as in ${before}${name}.…`)
    const within = into.lists[name] ?? nothing
    return Either.map(add(category, field.item.fields, within, rest, left, `${before}${name}.`), (made) => ({
      ...into,
      lists: { ...into.lists, [name]: made }
    }))
  }
  const targets = field === undefined ? [] : targetsOf(category, field)
  const [target] = targets
  if (target === undefined) {
    const known = pathsIn(category, fields)
    const near = didYouMean(name, known)
    return Either.left(
      `"${name.slice(0, 64)}" is not a reference${near === "" ? "; " : `${near} `}there ${known.length === 0 ? "is none" : `are ${known.map((path) => before + path).join(", ")}`}`
    )
  }
  const known = into.references[name]?.of ?? nothing
  const references = (of: Expansion) => ({ ...into, references: { ...into.references, [name]: { targets, of } } })
  if (rest.length === 0) return Either.right(references(known))
  if (left <= 1) return Either.left(`"${rest.join(".").slice(0, 64)}" is more than ${deepest} records away`)
  return Either.map(add(category, target.fields, known, rest, left - 1, `${before}${name}.`), references)
}

/** Parses a list of paths, such as `account,line_items.item`, or says what is wrong with it. */
export const parse = ({ category, fields }: Resource, text: string): Either.Either<Expansion, string> => {
  let made: Either.Either<Expansion, string> = Either.right(nothing)
  for (const path of text.split(",")) {
    made = Either.flatMap(made, (into) => add(category, fields, into, path.trim().split("."), deepest))
  }
  return made
}

const idsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** The records that an object leads to. */
export const leadsOf = (object: CanonicalRecord, { lists, references }: Expansion): ReadonlyArray<Lead> => [
  ...Object.entries(references).flatMap(([name, reference]) => idsIn(object[name]).map((id) => ({ ...reference, id }))),
  ...Object.entries(lists).flatMap(([name, within]) =>
    entriesOf(object[name]).flatMap((entry) => leadsOf(entry, within))
  )
]

const entriesOf = (value: unknown): ReadonlyArray<CanonicalRecord> =>
  Array.isArray(value) ? value.filter(isNative) : []

/** Adds the records that an object leads to, under `expanded`, in the order of its references; null for missing ones. */
export const expanded = (
  object: CanonicalRecord,
  { lists, references }: Expansion,
  recordOf: (lead: Lead) => CanonicalRecord | undefined
): CanonicalRecord => {
  const whole = (lead: Lead) => {
    const found = recordOf(lead)
    return found === undefined ? null : expanded(found, lead.of, recordOf)
  }
  const own = Object.entries(references).map(([name, reference]) => {
    const value = object[name]
    const [id] = idsIn(value)
    const records = idsIn(value).map((one) => whole({ ...reference, id: one }))
    return [name, Array.isArray(value) ? records : id === undefined ? null : records[0]] as const
  })
  const inside = Object.entries(lists).map(
    ([name, within]) => [name, entriesOf(object[name]).map((entry) => expanded(entry, within, recordOf))] as const
  )
  return {
    ...object,
    ...Object.fromEntries(inside),
    ...(own.length === 0 ? {} : { expanded: Object.fromEntries(own) })
  }
}

/** The fields of a record where an expansion begins. */
export const startsOf = ({ lists, references }: Expansion) => [...Object.keys(references), ...Object.keys(lists)]
