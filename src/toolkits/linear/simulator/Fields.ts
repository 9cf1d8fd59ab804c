import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Field, scalar } from "./Execute.ts"

// How fields of Linear's types read the records of a workspace.

/** Fields of a type, by name. */
export interface Fields {
  readonly [field: string]: Field
}

export const text = (source: Doc, name: string): string => {
  const value = source[name]
  return typeof value === "string" ? value : ""
}

/** A time that a record keeps; a record that never changed was updated when it was made. */
export const timeOf = (source: Doc, name: string): number | null => {
  const value = source[name] ?? (name === "updatedAt" ? source["createdAt"] : undefined)
  return typeof value === "number" ? value : null
}

export const plain = (name: string) => scalar((source) => source[name])

export const date = (name: string) =>
  scalar((source) => {
    const at = timeOf(source, name)
    return at === null ? null : new Date(at).toISOString()
  })

export const dates = (...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.map((name) => [name, date(name)]))

/** Fields of every record. */
export const record = { id: plain("id"), ...dates("createdAt", "updatedAt", "archivedAt") }

/** A scalar that takes more than its own record. */
export const derived = (read: (account: Account, source: Doc) => unknown): Field => ({
  resolve: (source, _, account) => Either.right(read(account, source))
})

/** The record that one names. */
export const linked = (type: string, get: (account: Account, source: Doc) => Doc | undefined): Field => ({
  type,
  resolve: (source, _, account) => Either.right(get(account, source) ?? null)
})

/** Scalars that are the same for every record. */
export const always = (values: { readonly [field: string]: unknown }): Fields =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, scalar(() => value)]))

const held = (fields: string, value: unknown, typeOf: (name: string) => string): Fields =>
  Object.fromEntries(
    fields.split(/\s+/).map((field) => {
      const [name = "", type] = field.split(":")
      return [name, { ...scalar(() => value), ...(type === undefined ? {} : { type: typeOf(type) }) }]
    })
  )

/** Fields that are null, by name, with the type of those that are objects: `trashed delegate:User`. */
export const nothing = (fields: string): Fields => held(fields, null, (type) => type)

/** Lists without an entry, likewise. */
export const nobody = (fields: string): Fields => held(fields, [], (type) => `[${type}]`)
