import {
  type ComputedEntry,
  computed,
  constant,
  type Entry,
  getPath,
  lasting,
  type Mapping,
  type Native,
  natives,
  readField
} from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import {
  boolean,
  date,
  dateTime,
  decimal,
  integer,
  number,
  raw,
  text,
  type Transform
} from "../../mapping/Transform.ts"

/**
 * What a record of Attio holds: under `values`, a list for each attribute, also where there is one value or none. A value is
 * an object whose members depend on the attribute's type. https://docs.attio.com/docs/attribute-types/attribute-types
 */

/** A member of an attribute's one value. */
export const only = (member: string, transform: Transform): Transform => ({
  name: transform.name,
  decode: (native, context) => {
    const value = natives(native)[0]?.[member] ?? null
    return value === null ? null : transform.decode(value, context)
  },
  encode: (canonical, context, path) => {
    const value = transform.encode(canonical, context, path)
    return value === undefined ? undefined : [{ [member]: value }]
  }
})

/** The values of an attribute as a canonical list, which is written as a whole. */
export const many = (
  canonical: string,
  slug: string,
  decode: (value: Native) => Native,
  encode: (item: Native, refuse: (name: string, words: string) => void) => Native
): ComputedEntry =>
  computed({
    canonical,
    native: [`values.${slug}`],
    decode: ({ record }) => natives(getPath(record, `values.${slug}`)).map(decode),
    encode: (value, { prefix, refuse, set }) => {
      const items = natives(value).map((item, i) =>
        encode(item, (name, words) => refuse(`${prefix}${canonical}.${i}.${name}`, words))
      )
      set(`values.${slug}`, items)
    }
  })

/** The first of an attribute's several values; writing it leaves the others. */
export const firstOf = (
  canonical: string,
  slug: string,
  decode: (value: Native) => unknown,
  encode: (value: unknown) => Native
): ComputedEntry =>
  computed({
    canonical,
    native: [`values.${slug}`],
    needsCurrent: true,
    decode: ({ record }) => natives(getPath(record, `values.${slug}`)).map(decode)[0] ?? null,
    encode: (value, { current, set }) => {
      const others = natives(getPath(current?.record, `values.${slug}`))
        .slice(1)
        .map((one) => encode(decode(one)))
      set(`values.${slug}`, value === null ? others : [encode(value), ...others])
    }
  })

/** A link to a record of an object. https://docs.attio.com/docs/attribute-types/attribute-types-record-reference */
export const linkTo = (object: string) => ({
  decode: ({ target_record_id }: Native) => target_record_id,
  encode: (id: unknown): Native => ({ target_object: object, target_record_id: id })
})

/** A member of the workspace. https://docs.attio.com/docs/attribute-types/attribute-types-actor-reference */
export const member: Transform = {
  name: "member",
  decode: (native) => {
    const [actor] = natives(native)
    return actor?.referenced_actor_type === "workspace-member" ? actor.referenced_actor_id : null
  },
  encode: (id) => [actorOf(id)]
}

export const actorOf = (id: unknown): Native => ({ referenced_actor_type: "workspace-member", referenced_actor_id: id })

/** Records are never changed at a time that Attio tells, and gone when they are deleted. */
export const stamps = (id: string): ReadonlyArray<Entry> => [
  readField("remote_id", `id.${id}`, text),
  readField("remote_created_at", "created_at", dateTime),
  constant("remote_updated_at", null),
  constant("remote_was_deleted", false)
]

/** The mapping of an object: an organisation's overrides name attributes by their slugs. */
export const objectMapping = (slug: string, entries: ReadonlyArray<Entry>): Mapping => {
  const value = (transform: Transform) => only("value", transform)
  return {
    ...plainMapping([{ nativeType: slug, entries: [...stamps("record_id"), ...entries] }]),
    blank: [],
    root: "values",
    dialect: {
      text: value(text),
      providerId: value(text),
      date: value(date),
      dateTime: value(dateTime),
      number: value(number),
      integer: value(integer),
      boolean: value(boolean),
      decimal: value(decimal),
      raw
    }
  }
}

/** An attribute that no record is without: a body that leaves it out keeps it. */
export const kept = (canonical: string, native: string, transform: Transform): ComputedEntry => {
  const entry = lasting(canonical, native, transform)
  return {
    ...entry,
    encode: (value, encoding) => {
      const { body, prefix, refuse } = encoding
      if (body[canonical] === null) refuse(prefix + canonical, "cannot be cleared; leave it out to keep it")
      else entry.encode?.(value, encoding)
    }
  }
}
