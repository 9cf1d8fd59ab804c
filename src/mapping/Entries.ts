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
  isNative,
  type NotHeldFields,
  type LinesEntry,
  type Mapping,
  type SlotsEntry,
  type Variant
} from "./Mapping.ts"
import type { Transform } from "./Transform.ts"
import { canonicalOf } from "./Writer.ts"

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
  readonly field: <K extends N>(
    canonical: K,
    native: string,
    transform: Transform,
    access?: EntryAccess
  ) => FieldEntry<K>
  readonly readField: <K extends N>(canonical: K, native: string, transform: Transform) => FieldEntry<K>
  readonly writeField: <K extends N>(canonical: K, native: string, transform: Transform) => FieldEntry<K>
  /** A field that every record holds with this value. One that no record holds belongs in `notHeld`. */
  readonly constant: <K extends N>(canonical: K, value: Constant) => ConstantEntry<K>
  /**
   * A field that no record is ever without: a body that leaves it out, or clears it, changes nothing. A create that lacks
   * it takes the default, where one is given.
   */
  readonly lasting: <K extends N>(
    canonical: K,
    native: string,
    transform: Transform,
    byDefault?: Default
  ) => ComputedEntry<K>
  readonly group: <K extends N>(options: Omit<GroupEntry<K>, "kind">) => GroupEntry<K>
  readonly computed: <K extends N>(options: Omit<ComputedEntry<K>, "kind">) => ComputedEntry<K>
  /** Exists for the compiler only, which would otherwise accept entries of any other names: it erases generic methods. */
  readonly names?: (name: N) => void
}

/** How a list of objects with fields of these names corresponds. */
export interface Lines<N extends string> extends Omit<LinesEntry, "kind" | "canonical" | "forms" | "key"> {
  readonly key?: N
  readonly forms: (of: Entries<N>) => LinesEntry["forms"]
}

/** The canonical fields that entries map. */
export type MappedBy<E extends ReadonlyArray<Entry>> = E[number] extends infer One
  ? One extends { readonly canonical: infer C }
    ? C extends ReadonlyArray<infer N extends string>
      ? N
      : Extract<C, string>
    : never
  : never

/** Fields that the service fills itself at every provider, and the bag that a body may add. */
const filledByService = ["id", "providerSlug", "providerId", "created_at", "modified_at", "integration_params"] as const

/** The fields of a resource that a provider's mapping has to account for. */
export const accountedFor = ({ fields }: Shape): ReadonlyArray<string> =>
  Object.keys(fields).filter((name) => !filledByService.some((filled) => filled === name))

/**
 * Requires a reason for every field of a resource that is not in `Mapped`. Where the compiler does not know the resource, the
 * check runs when the provider is registered.
 */
export type NotHeld<F, Mapped extends string> =
  string extends NamesOf<F>
    ? { readonly notHeld?: NotHeldFields }
    : string extends Mapped
      ? {
          readonly notHeld: "a helper has lost the name of the field that its entry maps: let it return ComputedEntry<N>"
        }
      : { readonly notHeld: NotHeldOf<F, Mapped> }

type NotHeldOf<F, Mapped extends string> = {
  readonly [K in Exclude<NamesOf<F>, Mapped | (typeof filledByService)[number]>]: string
}

const complete: unique symbol = Symbol("complete")

/** A variant that accounts for every field of its resource; `of.variant` makes it. */
export interface CompleteVariant extends Variant {
  /** The reason for all fields that neither `entries` nor `notHeld` name. */
  readonly rest?: string
  readonly [complete]: true
}

type Constant = string | number | boolean | ReadonlyArray<unknown>

/** The entries of a resource with these fields. */
export interface ResourceEntries<F> extends Entries<NamesOf<F>> {
  readonly lines: <K extends NamesOf<F>>(canonical: K, options: Lines<ItemOf<F[K]>>) => LinesEntry<K>
  readonly slots: <K extends NamesOf<F>>(
    canonical: K,
    label: ItemOf<F[K]> | null,
    places: (of: Entries<ItemOf<F[K]>>) => SlotsEntry["slots"]
  ) => SlotsEntry<K>
  /** Entries with one value each, by label: `{ WORK: "phone", MOBILE: "mobilephone" }`. */
  readonly labelled: <K extends NamesOf<F>>(
    canonical: K,
    label: ItemOf<F[K]>,
    value: ItemOf<F[K]>,
    places: { readonly [label: string]: string },
    transform: Transform
  ) => SlotsEntry<K>
}

/** The entries of a resource, and the variants that they are put together to. */
export interface VariantEntries<F, Shared extends string = never> extends ResourceEntries<F> {
  /** A native type of the resource. The compiler asks for a reason for each field that no entry maps. */
  readonly variant: <const E extends ReadonlyArray<Entry>>(
    options: NativeType<E> & NotHeld<F, Shared | MappedBy<E>>
  ) => CompleteVariant
  /**
   * A native type with one reason, `rest`, for all fields that neither its entries nor its `notHeld` name. Providers outside this
   * repository use it, so that they still compile when the catalogue gains a field.
   */
  readonly partialVariant: (options: PartialVariant) => CompleteVariant
}

interface PartialVariant extends NativeType<ReadonlyArray<Entry>> {
  readonly notHeld?: NotHeldFields
  readonly rest: string
}

/** A native type with its entries. */
interface NativeType<E extends ReadonlyArray<Entry>> extends Omit<Variant, "entries" | "notHeld"> {
  readonly entries: E
}

/** The entries of a resource, or of those of its fields that a piece needs which several resources share. */
export type EntriesOf<R extends Shape, K extends keyof R["fields"] = keyof R["fields"]> = ResourceEntries<
  Pick<R["fields"], K>
>

/** The entries of fields that every resource has. */
export type CommonEntries = Entries<keyof CommonFields>

/** A computed entry by itself, for the resources that have its field. */
export const computed =
  <N extends string>(options: Omit<ComputedEntry<N>, "kind">) =>
  (of: Pick<Entries<N>, "computed">): ComputedEntry<N> =>
    of.computed(options)

/**
 * Makes the variants of a resource. `Shared` are the fields that entries of every variant of this provider map, which
 * `variantsOf` adds.
 */
export type MakeVariants<F, Shared extends string = never> = (
  of: VariantEntries<F, Shared>
) => ReadonlyArray<CompleteVariant>

const field = <N extends string>(
  canonical: N,
  native: string,
  transform: Transform,
  access: EntryAccess = "both"
): FieldEntry<N> => ({
  kind: "field",
  canonical,
  native,
  transform,
  access
})

const isUnset = (value: unknown) => value === undefined || value === null || value === ""

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
      // null over nothing changes nothing
      if (value === null && encoding.current !== undefined && isUnset(getPath(encoding.current.record, native))) return
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

const slots = <N extends string>(canonical: N, label: string | null, slots: SlotsEntry["slots"]): SlotsEntry<N> => ({
  kind: "slots",
  canonical,
  label,
  slots
})

/** The same whatever the names: the compiler knows which there are, and registration looks again. */
const entries = {
  ...ofNames,
  variant: ({
    notHeld,
    ...options
  }: NativeType<ReadonlyArray<Entry>> & { readonly notHeld?: unknown }): CompleteVariant => ({
    ...options,
    notHeld: isNative(notHeld)
      ? Object.fromEntries(Object.entries(notHeld).map(([field, why]) => [field, String(why)]))
      : {},
    [complete]: true
  }),
  partialVariant: ({ notHeld = {}, ...options }: PartialVariant): CompleteVariant => ({
    ...options,
    notHeld,
    [complete]: true
  }),
  lines: <N extends string>(canonical: N, { forms, ...options }: Lines<string>): LinesEntry<N> => ({
    kind: "lines",
    ...options,
    canonical,
    forms: forms(ofNames)
  }),
  slots: <N extends string>(canonical: N, label: string | null, places: (of: Entries<string>) => SlotsEntry["slots"]) =>
    slots(canonical, label, places(ofNames)),
  labelled: <N extends string>(
    canonical: N,
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

/**
 * The variants of a resource. `shared` are entries that each of them begins with, such as the id and the stamps that all
 * records of a provider have.
 */
export const variantsOf = <F extends Fields, const S extends ReadonlyArray<Entry> = []>(
  resource: Shape<F>,
  make: MakeVariants<F, MappedBy<S>>,
  shared?: (of: ResourceEntries<F>) => S
): Pick<Mapping, "resource" | "variants"> => {
  const begin = shared?.(entries) ?? []
  return {
    resource: resource.name,
    variants: make(entries).map(({ rest, ...variant }) => {
      const all = [...begin, ...variant.entries]
      return { ...variant, entries: all, notHeld: { ...reasonsOfRest(resource, all, rest), ...variant.notHeld } }
    })
  }
}

/** One reason for every field that no entry maps. */
const reasonsOfRest = (resource: Shape, entries: ReadonlyArray<Entry>, reason: string | undefined): NotHeldFields => {
  if (reason === undefined) return {}
  const mapped = new Set(entries.flatMap(canonicalOf))
  return Object.fromEntries(
    accountedFor(resource)
      .filter((name) => !mapped.has(name))
      .map((name) => [name, reason])
  )
}
