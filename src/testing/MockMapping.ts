import { accounting } from "../canonical/Catalogue.ts"
import { type Field, type Fields, type Kind, type Resource, type Shape, isShape } from "../canonical/Resource.ts"
import { computed, type Entries, heldBy, type ResourceEntries } from "../mapping/Entries.ts"
import { type Entry, type FieldEntry, isNative, type Mapping, type Native, natives } from "../mapping/Mapping.ts"
import { plainMapping } from "../mapping/PlainMapping.ts"
import {
  bare,
  boolean,
  date,
  dateTime,
  identityOf,
  integer,
  number,
  raw,
  type RecordContext,
  reference,
  text,
  type Transform
} from "../mapping/Transform.ts"
import { mockFields } from "./MockRecords.ts"

/**
 * The mapping of a mock: native records are canonical ones, with the ids of other records for references. It is made of the
 * resource's fields, so that a mock's records go the way of every provider's.
 */

/** The native type of a resource's records. */
export const nativeTypeOf = (resource: string) => resource

/** Whether the mock holds a record of a resource. */
export type Holds = (resource: string, id: string) => boolean

const transforms: { readonly [K in Exclude<Kind, "reference">]: Transform } = {
  text,
  date,
  dateTime,
  number,
  integer,
  boolean,
  decimal: raw,
  providerId: text,
  object: raw,
  list: raw
}

/** A reference to a record of one of several resources: the first that holds one of this id. */
const referenceToOne = (targets: ReadonlyArray<string>, holds: Holds): Transform => {
  const [first = ""] = targets
  if (targets.length === 1) return reference(first, nativeTypeOf(first))
  return {
    name: `reference(${targets.join(", ")})`,
    decode: (native, context) => {
      const id = String(native)
      const target = targets.find((one) => holds(one, id)) ?? first
      return context.reference(target, nativeTypeOf(target), id)
    },
    encode: (canonical, context, path) => {
      const found = context.resolve(bare(String(canonical)))
      const target = targets.find((one) => one === found?.resource) ?? first
      return identityOf(canonical, target, [nativeTypeOf(target)], context, path)?.remoteId
    }
  }
}

/** A transform of each entry of a list. */
const each = ({ decode, encode, name }: Transform): Transform => ({
  name,
  decode: (native, context) => (Array.isArray(native) ? native.map((value: unknown) => decode(value, context)) : []),
  encode: (canonical, context, path) =>
    Array.isArray(canonical) ? canonical.map((value: unknown, at) => encode(value, context, `${path}.${at}`)) : []
})

const transformOf = ({ item, kind, targets = [] }: Field, holds: Holds): Transform => {
  if (kind === "reference") return referenceToOne(targets, holds)
  return item !== undefined && !isShape(item) ? each(transformOf(item, holds)) : transforms[kind]
}

/** A value of a field that is only read, with the fields that a nested object leaves out. */
const shown = (of: Field, value: unknown, holds: Holds, context: RecordContext, path: string): unknown => {
  const { children, item, kind } = of
  if (item === undefined || !isShape(item)) {
    if (value === undefined || value === null) return kind === "list" ? [] : null
    return transformOf(of, holds).decode(value, context)
  }
  return natives(value).map((row) => {
    const id = row.remote_id
    return {
      ...Object.fromEntries(
        Object.entries(item.fields)
          .filter(([, field]) => field.access !== "wo")
          .map(([name, field]) => [name, shown(field, row[name], holds, context, path)])
      ),
      ...("id" in item.fields && typeof id === "string" ? { id: context.line(path, id) } : {}),
      ...(children === undefined ? {} : { [children]: shown(of, row[children], holds, context, path) })
    }
  })
}

const accesses = { rw: "both", ro: "read", computed: "read", wo: "write" } as const

const fieldEntries = (of: Entries<string>, fields: Fields, holds: Holds): ReadonlyArray<FieldEntry> =>
  mockFields(fields).map(([name, one]) => of.field(name, name, transformOf(one, holds), accesses[one.access]))

/** Lines that have ids keep them. */
const idOf = (shape: Shape) => ("remote_id" in shape.fields ? { id: "remote_id" } : {})

const entryOf = (of: ResourceEntries<Fields>, resource: Resource, name: string, one: Field, holds: Holds): Entry => {
  const { access, item } = one
  if (item === undefined || !isShape(item)) return of.field(name, name, transformOf(one, holds), accesses[access])
  if (access === "rw") {
    return of.lines(name, {
      native: name,
      ...idOf(item),
      forms: () => [{ where: {}, entries: heldBy(item, (of) => fieldEntries(of, item.fields, holds)) }]
    })
  }
  const path = `${resource.category}/${resource.name}/${nativeTypeOf(resource.name)}`
  return of.computed({
    canonical: name,
    native: [name],
    decode: ({ record }, context) => shown(one, record[name], holds, context, `${path}/${String(record.remote_id)}`)
  })
}

/** The record that a file hangs on is found by its type: no other text of a record leads to one of any resource. */
const relatedObject = computed({
  canonical: "related_object_id",
  native: ["related_object_type", "related_object_id"],
  decode: ({ record }, context) => {
    const { related_object_id: id, related_object_type: type } = record
    return typeof id === "string" && typeof type === "string" ? context.reference(type, nativeTypeOf(type), id) : null
  }
})

/** The mapping of a resource of a mock. */
export const mockMapping = (resource: Resource, holds: Holds): Mapping =>
  plainMapping(resource, (of) => [
    of.variant({
      nativeType: nativeTypeOf(resource.name),
      entries: mockFields(resource.fields).map(([name, one]) =>
        resource === accounting.attachment && name === "related_object_id"
          ? relatedObject(of)
          : entryOf(of, resource, name, one, holds)
      )
    })
  ])

/** A native record whose lines all have ids, as providers give them. */
export const withLineIds = (resource: Resource, record: Native, nextId: () => string): Native => ({
  ...record,
  ...Object.fromEntries(
    Object.entries(resource.fields).flatMap(([name, { item }]) => {
      const held = record[name]
      if (item === undefined || !isShape(item) || !("remote_id" in item.fields) || !Array.isArray(held)) return []
      return [
        [
          name,
          held.map((line: unknown) =>
            isNative(line) && typeof line.remote_id !== "string" ? { ...line, remote_id: nextId() } : line
          )
        ]
      ]
    })
  )
})
