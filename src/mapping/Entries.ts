import type { CommonFields, Field, Fields, Shape } from "../canonical/Resource.ts"
import {
  type ComputedEntry,
  type ConstantEntry,
  type Encoding,
  type Entry,
  type EntryAccess,
  type FieldEntry,
  getPath,
  type GroupEntry,
  type LinesEntry,
  type Mapping,
  type SlotsEntry,
  type Variant
} from "./Mapping.ts"
import type { Transform } from "./Transform.ts"

/** Names of the fields that the objects of a list have. */
type ItemOf<F> =
  F extends Field<infer Out, infer In>
    ? Out extends ReadonlyArray<infer A extends object>
      ? In extends ReadonlyArray<infer B extends object>
        ? Extract<keyof A | keyof B, string>
        : Extract<keyof A, string>
      : never
    : never

type NamesOf<F> = Extract<keyof F, string>

/** Names of the fields of a shape; of several, those that any of them has. */
export type NamesIn<S extends Shape> = S extends Shape ? NamesOf<S["fields"]> : never

/** An account's own value for a field that a new record must have and its body lacks; undefined where it has none. */
export type Default = Pick<ComputedEntry, "encodeLookups"> & {
  readonly value: (encoding: Encoding) => unknown
}

/** The day on which a record is made. */
export const today: Default = { value: ({ today }) => today }

/** Its first moment. */
export const midnightToday: Default = { value: ({ today }) => `${today}T00:00:00.000Z` }

/** The entries that fields of these names can have; what several resources share says with it which names it needs. */
export interface Entries<in N extends string> {
  readonly field: (canonical: N, native: string, transform: Transform, access?: EntryAccess) => FieldEntry
  readonly readField: (canonical: N, native: string, transform: Transform) => FieldEntry
  readonly writeField: (canonical: N, native: string, transform: Transform) => FieldEntry
  readonly constant: (canonical: N, value: unknown) => ConstantEntry
  /**
   * A field that no record is ever without: a body that leaves it out, or clears it, changes nothing. A create that lacks
   * it takes the default, where one is given.
   */
  readonly lasting: (canonical: N, native: string, transform: Transform, byDefault?: Default) => ComputedEntry
  readonly group: (
    options: Omit<GroupEntry, "kind" | "canonical"> & { readonly canonical: ReadonlyArray<N> }
  ) => GroupEntry
  readonly computed: (options: Omit<ComputedEntry, "kind" | "canonical"> & { readonly canonical: N }) => ComputedEntry
}

/** How a list of objects with fields of these names corresponds. */
export interface Lines<N extends string> extends Omit<LinesEntry, "kind" | "canonical" | "forms" | "key"> {
  readonly key?: N
  readonly forms: (of: Entries<N>) => LinesEntry["forms"]
}

/** The entries of a resource with these fields. */
export interface ResourceEntries<F> extends Entries<NamesOf<F>> {
  readonly lines: <K extends NamesOf<F>>(canonical: K, options: Lines<ItemOf<F[K]>>) => LinesEntry
  readonly slots: <K extends NamesOf<F>>(
    canonical: K,
    label: ItemOf<F[K]> | null,
    places: (of: Entries<ItemOf<F[K]>>) => SlotsEntry["slots"]
  ) => SlotsEntry
  /** Entries with one value each, by label: `{ WORK: "phone", MOBILE: "mobilephone" }`. */
  readonly labelled: <K extends NamesOf<F>>(
    canonical: K,
    label: ItemOf<F[K]>,
    value: ItemOf<F[K]>,
    places: { readonly [label: string]: string },
    transform: Transform
  ) => SlotsEntry
}

/** The entries of a resource, or of those of its fields that a piece needs which several resources share. */
export type EntriesOf<R extends Shape, K extends keyof R["fields"] = keyof R["fields"]> = ResourceEntries<
  Pick<R["fields"], K>
>

/** The entries of fields that every resource has. */
export type CommonEntries = Entries<keyof CommonFields>

/** A computed entry by itself, for the resources that have its field. */
export const computed =
  <N extends string>(options: Parameters<Entries<N>["computed"]>[0]) =>
  (of: Pick<Entries<N>, "computed">): ComputedEntry =>
    of.computed(options)

/** Makes entries that know a resource's fields. */
export type MakeEntries<F> = (of: ResourceEntries<F>) => ReadonlyArray<Entry>

/** Makes variants of entries that know a resource's fields. */
export type MakeVariants<F> = (of: ResourceEntries<F>) => ReadonlyArray<Variant>

const field = (canonical: string, native: string, transform: Transform, access: EntryAccess = "both"): FieldEntry => ({
  kind: "field",
  canonical,
  native,
  transform,
  access
})

const ofNames: Entries<string> = {
  field,
  readField: (canonical, native, transform) => field(canonical, native, transform, "read"),
  writeField: (canonical, native, transform) => field(canonical, native, transform, "write"),
  constant: (canonical, value) => ({ kind: "constant", canonical, value }),
  group: (options) => ({ kind: "group", ...options }),
  computed: (options) => ({ kind: "computed", ...options }),
  lasting: (canonical, native, transform, byDefault) => ({
    kind: "computed",
    canonical,
    native: [native],
    decode: ({ record }, context) => {
      const value = getPath(record, native)
      return value === undefined || value === null ? null : transform.decode(value, context)
    },
    encode: (value, encoding) => {
      const given = value ?? absent(canonical, encoding, byDefault)
      const written = given === undefined ? undefined : transform.encode(given, encoding, encoding.prefix + canonical)
      if (written !== undefined) encoding.set(native, written)
    },
    ...(byDefault === undefined
      ? {}
      : { encodeLookups: byDefault.encodeLookups ?? [], fills: true, needsCurrent: true })
  })
}

export const staysAsItIs = "cannot be cleared: a record always has one; leave it out to keep it"

/** Fills in a value that no record is without and a body lacks, with the message about it. */
const absent = (canonical: string, encoding: Encoding, byDefault: Default | undefined): unknown => {
  const { body, current, prefix, refuse, warn } = encoding
  const path = prefix + canonical
  if (byDefault === undefined || current !== undefined) {
    if (body[canonical] === null) warn(path, "CHANGED", staysAsItIs)
    return undefined
  }
  const value = byDefault.value(encoding) ?? undefined
  if (value === undefined) refuse(path, "is required, and the account has no default")
  else warn(path, "CHANGED", `is required; without one it is ${String(value)}`)
  return value
}

const slots = (canonical: string, label: string | null, slots: SlotsEntry["slots"]): SlotsEntry => ({
  kind: "slots",
  canonical,
  label,
  slots
})

/** The same whatever the names: the compiler knows which there are, and registration looks again. */
const entries = {
  ...ofNames,
  lines: (canonical: string, { forms, ...options }: Lines<string>): LinesEntry => ({
    kind: "lines",
    ...options,
    canonical,
    forms: forms(ofNames)
  }),
  slots: (canonical: string, label: string | null, places: (of: Entries<string>) => SlotsEntry["slots"]) =>
    slots(canonical, label, places(ofNames)),
  labelled: (
    canonical: string,
    label: string,
    value: string,
    places: { readonly [label: string]: string },
    transform: Transform
  ) =>
    slots(
      canonical,
      label,
      Object.entries(places).map(([is, native]) => ({ is, entries: [field(value, native, transform)] }))
    )
}

/** Of entries that several shapes share, those whose field this one of them has. */
export const heldBy = <S extends Shape, E extends { readonly canonical: string }>(
  shape: S,
  make: (of: Entries<NamesIn<S>>) => ReadonlyArray<E>
): ReadonlyArray<E> => make(ofNames).filter(({ canonical }) => canonical in shape.fields)

/** The variants of a resource, whose fields the entries that they are made of know. */
export const variantsOf = <F extends Fields>(
  resource: Shape<F>,
  make: MakeVariants<F>
): Pick<Mapping, "resource" | "variants"> => ({ resource: resource.name, variants: make(entries) })
