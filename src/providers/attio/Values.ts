import type { CommonFields, Fields, Shape } from "../../canonical/Resource.ts"
import {
  type CommonEntries,
  type Entries,
  type MakeVariants,
  type MappedBy,
  variantsOf
} from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
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
import type { WarningCode } from "../../mapping/Warning.ts"

/**
 * Values of a record: under `values`, a list for each attribute, even if there is one value or none. A value is an object
 * whose members depend on the attribute's type. https://docs.attio.com/docs/attribute-types/attribute-types
 */

const first = (values: unknown): Native | undefined => natives(values)[0]

/** An attribute's one value, as a native value and back. */
export const one = (name: string, read: (value: Native) => unknown, write: (value: unknown) => Native): Transform => ({
  name,
  decode: (native) => {
    const value = first(native)
    return value === undefined ? null : (read(value) ?? null)
  },
  encode: (canonical) => [write(canonical)]
})

/** A member of an attribute's one value. */
export const only = (member: string, transform: Transform): Transform => ({
  name: transform.name,
  decode: (native, context) => {
    const value = first(native)?.[member] ?? null
    return value === null ? null : transform.decode(value, context)
  },
  encode: (canonical, context, path) => {
    const value = transform.encode(canonical, context, path)
    return value === undefined ? undefined : [{ [member]: value }]
  }
})

/** A record of an object. https://docs.attio.com/docs/attribute-types/attribute-types-record-reference */
export const linkTo = (object: string) =>
  one(
    object,
    ({ target_record_id }) => target_record_id,
    (id) => ({ target_object: object, target_record_id: id })
  )

export const actor = (id: unknown): Native => ({ referenced_actor_type: "workspace-member", referenced_actor_id: id })

/** A member of the workspace. https://docs.attio.com/docs/attribute-types/attribute-types-actor-reference */
export const member = one(
  "member",
  ({ referenced_actor_id, referenced_actor_type }) =>
    referenced_actor_type === "workspace-member" ? referenced_actor_id : null,
  actor
)

/** The first of a list of values. Writing it replaces that one and leaves the others; one of them moves to the front. */
export const firstOf = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  native: string,
  transform: Transform
): ComputedEntry<N> =>
  computed({
    canonical,
    native: [native],
    needsCurrent: true,
    decode: ({ record }, context) => transform.decode(getPath(record, native), context),
    encode: (value, encoding) => {
      const written = value === null ? [] : transform.encode(value, encoding, encoding.prefix + canonical)
      // a value that Attio does not take leaves the present one
      if (written === undefined) return
      const first = natives(written).map((one) => JSON.stringify(one))
      const others = natives(getPath(encoding.current?.record, native))
        .slice(1)
        .flatMap((other) =>
          natives(transform.encode(transform.decode([other], { reference: () => "" }), encoding, canonical))
        )
        .filter((other) => !first.includes(JSON.stringify(other)))
      encoding.set(native, [...natives(written), ...others])
    }
  })

/** How the texts of a list are held in an attribute. */
export interface TextList {
  /** Canonical field of the text, and that of its label. */
  readonly name: string
  readonly label: string
  /** Native member with the text as it was entered. */
  readonly read: string
  /** Makes the native value of a text; returns the reason if Attio cannot hold it. */
  readonly write: (text: string, list: WrittenList) => Native | string
}

/** The list that a text is in. */
export interface WrittenList {
  /** Current native values of the record. */
  readonly held: ReadonlyArray<Native>
  /** Warns about the text. */
  readonly warn: (code: WarningCode, message: string) => void
}

/**
 * A list of texts without labels, written as a whole. It is refused if Attio can hold none of its entries, because writing it
 * would delete the values of the record.
 */
export const listOf = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  native: string,
  { label, name, read, write }: TextList
): ComputedEntry<N> =>
  computed({
    canonical,
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => natives(getPath(record, native)).map((value) => ({ [name]: value[read], [label]: null })),
    encode: (value, encoding) => {
      const { current, mode, prefix, refuse, set, warn } = encoding
      const held = natives(getPath(current?.record, native))
      const entries = natives(value)
      const problems: Array<readonly [path: string, reason: string]> = []
      const written = entries.flatMap((entry, i) => {
        const path = `${prefix}${canonical}.${i}`
        const text = entry[name]
        if (typeof text !== "string" || text.trim() === "") {
          problems.push([`${path}.${name}`, "is empty. Send an empty list to clear the field."])
          return []
        }
        const made = write(text, { held, warn: (code, message) => warn(`${path}.${name}`, code, message) })
        if (typeof made === "string") {
          problems.push([`${path}.${name}`, made])
          return []
        }
        if (typeof entry[label] === "string") {
          warn(`${path}.${label}`, "NOT_HELD", "is held without it: Attio does not tell them apart")
        }
        return [made]
      })
      const isEmptied = mode !== "create" && entries.length > 0 && written.length === 0
      for (const [path, reason] of problems) {
        if (isEmptied) refuse(path, reason)
        else warn(path, "NOT_HELD", reason)
      }
      if (!isEmptied) set(native, written)
    }
  })

/** Attio answers no deleted records. */
export const stamps = (of: CommonEntries, id: string) => [
  of.readField("remote_id", `id.${id}`, text),
  of.readField("remote_created_at", "created_at", dateTime),
  of.constant("remote_was_deleted", false)
]

/** Reason that every resource of Attio has. */
export const notDated = { remote_updated_at: "Attio does not state when a record last changed." }

const recordStamps = (of: CommonEntries) => stamps(of, "record_id")

const value = (transform: Transform) => only("value", transform)

/** A custom attribute of the workspace: `value` of its one value if that has it, else all; written without a member too. */
const own: Transform = {
  ...raw,
  decode: (native) => {
    const [only, ...more] = natives(native)
    if (only === undefined) return null
    return more.length > 0 ? native : (only.value ?? native)
  }
}

/** The mapping of an object, whose slug is the native type and whose attributes are named by their slugs. */
export const objectMapping = <F extends Fields>(
  resource: Shape<F & CommonFields>,
  make: MakeVariants<F & CommonFields, MappedBy<ReturnType<typeof recordStamps>>>
): Mapping => ({
  ...variantsOf(resource, make, recordStamps),
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
    raw: own
  }
})
