import { Either, Schema } from "effect"
import type { accounting, crm } from "../canonical/Catalogue.ts"
import { type Category, type Field, type Fields, isShape, type Resource, type Shape } from "../canonical/Resource.ts"
import { decoder, type Issue, issuesOf } from "../platform/Issues.ts"
import { didYouMean } from "../platform/Spelling.ts"

/** Fields that the service adds to a record itself: a mock does not set them. */
type Served = "id" | "providerSlug" | "providerId" | "created_at" | "modified_at" | "remote_data"
const served: ReadonlySet<string> = new Set<Served>([
  "id",
  "providerSlug",
  "providerId",
  "created_at",
  "modified_at",
  "remote_data"
])

type Part<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Part<Item>>
    : T extends object
      ? { readonly [K in keyof T]?: Part<T[K]> }
      : T

interface Catalogue {
  readonly crm: typeof crm
  readonly accounting: typeof accounting
}

/** Names of a category's resources. */
export type ResourceName<C extends Category> = C extends Category ? keyof Catalogue[C] & string : never

type Canonical<C extends Category, Name> = Name extends keyof Catalogue[C]
  ? Catalogue[C][Name] extends { readonly record: Schema.Schema<infer Record> }
    ? Record
    : never
  : never

/**
 * A record of a mock, in canonical shape; what it leaves out has no value. A reference is the `remote_id` of the other
 * record. `custom_fields` are native fields, which an override of a field mapping can name.
 */
export type MockRecord<C extends Category, Name extends ResourceName<C>> = {
  readonly [K in Exclude<keyof Canonical<C, Name>, Served>]?: Part<Canonical<C, Name>[K]>
}

/** The fields of a mock's records: what is read, but for what the service adds. */
export const mockFields = (fields: Fields): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(fields).filter(([name, field]) => field.access !== "wo" && !served.has(name))

// ---------------------------------------------------------------------------------------------------------------------
// what is wrong with records

const itemSchema = (item: Field | Shape, children: string | undefined): Schema.Schema.AnyNoContext => {
  if (!isShape(item)) return valueSchema(item)
  if (children === undefined) return Schema.Struct(members(item.fields))
  const row: Schema.Schema.AnyNoContext = Schema.Struct({
    ...members(item.fields),
    [children]: Schema.optional(Schema.Array(Schema.suspend(() => row)))
  })
  return row
}

const valueSchema = ({ children, item, kind, out }: Field): Schema.Schema.AnyNoContext => {
  if (kind === "reference") return Schema.String
  return item === undefined ? out : Schema.Array(itemSchema(item, children))
}

const members = (fields: Fields) =>
  Object.fromEntries(
    mockFields(fields).map(([name, field]) => [name, Schema.optional(Schema.NullOr(valueSchema(field)))])
  )

const recordsSchema = ({ fields }: Resource) =>
  Schema.Array(
    Schema.Struct({
      ...members(fields),
      custom_fields: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    })
  ).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

/** Names that are right where a path ends. */
const namesAt = (fields: Fields, [step, ...further]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (step === undefined || further.length === 0) return mockFields(fields).map(([name]) => name)
  const item = fields[step]?.item
  return item !== undefined && isShape(item)
    ? namesAt(item.fields, further[0] !== undefined && /^\d+$/.test(further[0]) ? further.slice(1) : further)
    : namesAt(fields, further)
}

const sentence = (resource: Resource, { message, path }: Issue) => {
  const [at, ...steps] = path.split(".")
  const name = steps.at(-1) ?? ""
  const place = `${resource.name}[${at}]${steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("")}`
  return message === "is not known here"
    ? `${place} is not a field of ${resource.category}/${resource.name}${didYouMean(name, namesAt(resource.fields, steps))}`
    : `${place} ${message}`
}

const twiceIn = (resource: Resource, records: ReadonlyArray<{ readonly remote_id?: unknown }>) =>
  records
    .map(({ remote_id }) => remote_id)
    .filter((id, at, all) => typeof id === "string" && all.indexOf(id) < at)
    .map((id) => `${resource.name}: two records have the remote_id "${String(id)}"`)

/** Every mistake in the records of a mock, each with its place; none where they are right. */
export const mistakesIn = (resource: Resource) => {
  const decode = decoder(recordsSchema(resource))
  return (records: ReadonlyArray<object>): ReadonlyArray<string> =>
    Either.match(decode(records), {
      onLeft: (error) => issuesOf(error).map((issue) => sentence(resource, issue)),
      onRight: () => twiceIn(resource, records)
    })
}
