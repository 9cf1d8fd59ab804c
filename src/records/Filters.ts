import { identity, Record } from "effect"
import type { Filter } from "../canonical/Filter.ts"
import { targetsOf } from "../canonical/References.ts"
import type { Resource } from "../canonical/Resource.ts"
import { isNative } from "../mapping/Mapping.ts"
import { bare, type Identity } from "../mapping/Transform.ts"
import type { ProviderAdapter, Sought } from "../providers/ProviderAdapter.ts"
import { fieldAt, listed, millisecondsOf, topOf, type Wanted } from "./FilterParameters.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/** The field of an id that a filter looks at; undefined: it looks at something else. */
const referring = ({ fields, filters }: Resource, name: string) =>
  filters[name]?.compares === "refers" ? fieldAt(fields, filters[name].fields[0] ?? "") : undefined

/** The filters with ids as records have them: bare UUIDs in accounting, the provider's own in the CRM. */
export const withIdsAsHeld = (
  resource: Resource,
  wanted: Wanted,
  { idAsHeld = identity }: Pick<ProviderAdapter, "idAsHeld">
): Wanted =>
  Record.map(wanted, (value, name) => {
    const field = referring(resource, name)
    if (field?.kind === "reference") return bare(value)
    // what has no records of its own, such as a stage, has a word for an id
    return field === undefined || targetsOf(resource.category, field).length === 0 ? value : idAsHeld(value)
  })

/** Filters that name a record by its UUID, and the resources that it may be of. */
export const referencesIn = (resource: Resource, wanted: Wanted) =>
  Object.entries(wanted).flatMap(([name, uuid]) => {
    const field = referring(resource, name)
    return field?.kind === "reference" ? [{ name, uuid, targets: field.targets ?? [] }] : []
  })

/** The filters as adapters get them, with the records that their UUIDs mean. */
export const soughtIn = (
  resource: Resource,
  wanted: Wanted,
  records: { readonly [filter: string]: Identity }
): { readonly [filter: string]: Sought } =>
  Record.map(wanted, (text, name) => {
    const record = records[name]
    return {
      text,
      values: resource.filters[name]?.compares === "oneOf" ? [...new Set(listed(text))] : [text],
      ...(record === undefined ? {} : { record })
    }
  })

/** The values at a path of a record. */
export const valuesAt = (record: CanonicalRecord, path: string): ReadonlyArray<unknown> => {
  const [name = "", inside] = path.split("[]")
  const value = record[name]
  if (inside === undefined) return [value]
  const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  return inside === "" ? entries : entries.map((entry) => (isNative(entry) ? entry[inside.slice(1)] : undefined))
}

const fold = (value: unknown) => String(value).normalize("NFC").toLowerCase()

const digitsOf = (value: unknown) => String(value).replace(/\D/g, "").replace(/^0+/, "")

/** Digits that a number has at least without the code of its country. */
const shortest = 6

const areOneNumber = (a: string, b: string) => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return a === b || (short.length >= shortest && long.endsWith(short))
}

const hostOf = (value: unknown) =>
  fold(value)
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^www\./, "")
    .replace(/[/:?#].*$/, "")

/** Whether a value of a record is what is wanted. */
const fits = ({ compares }: Filter, wanted: string): ((value: unknown) => boolean) => {
  switch (compares) {
    case "equals":
      return (value) => fold(value) === fold(wanted)
    case "begins":
      return (value) => fold(value).startsWith(fold(wanted))
    case "digits":
      return (value) => areOneNumber(digitsOf(value), digitsOf(wanted))
    case "host":
      return (value) => hostOf(value) === hostOf(wanted)
    case "refers":
      // ids may differ in the case of a letter alone
      return (value) => value === wanted
    case "oneOf": {
      const all = listed(wanted).map(fold)
      return (value) => all.includes(fold(value))
    }
    case "isTrue":
      return (value) => String(value) === wanted
    case "from": {
      const bound = millisecondsOf(wanted)
      return (value) => millisecondsOf(String(value)) >= bound
    }
    case "before": {
      const bound = millisecondsOf(wanted)
      return (value) => millisecondsOf(String(value)) < bound
    }
    case "adds":
    case "searches":
      return () => true
  }
}

const isThere = (value: unknown) => value !== undefined && value !== null

/** Whether a record is what the filters of these names want. */
export const sieve = ({ filters }: Resource, wanted: Wanted, names: ReadonlyArray<string>) => {
  const tests = names.flatMap((name) => {
    const filter = filters[name]
    return filter === undefined ? [] : [{ filter, isFit: fits(filter, wanted[name] ?? "") }]
  })
  return (record: CanonicalRecord) =>
    tests.every(({ filter, isFit }) =>
      filter.fields.some((path) => {
        const values = path.includes(" ")
          ? [
              path
                .split(" ")
                .flatMap((one) => valuesAt(record, one))
                .filter(isThere)
                .join(" ")
            ]
          : valuesAt(record, path)
        return values.some((value) => isThere(value) && isFit(value))
      })
    )
}

/** Fields that sifting looks at. */
export const lookedAt = ({ filters }: Resource, names: ReadonlyArray<string>) =>
  names.flatMap((name) => filters[name]?.fields.flatMap((path) => path.split(" ").map(topOf)) ?? [])
