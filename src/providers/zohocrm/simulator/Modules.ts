import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { calls, events, notes, tasks } from "./Activities.ts"
import { appointments, services } from "./Appointments.ts"
import { deals } from "./Deals.ts"
import type { Field, Module } from "./Fields.ts"
import { accounts, contacts, leads } from "./People.ts"

/** Every module the API has. */
export const modules: ReadonlyArray<Module> = [
  leads,
  contacts,
  accounts,
  deals,
  tasks,
  events,
  calls,
  notes,
  services,
  appointments
]

const byName = new Map(modules.map((one) => [one.name, one]))

export const moduleNamed = (name: string): Module | undefined => byName.get(name)

const fields = new Map(modules.map((one) => [one, new Map(one.fields.map((field) => [field.name, field]))]))

export const fieldNamed = (module: Module, name: string): Field | undefined => fields.get(module)?.get(name)

// Ids: 18 digits, of which the first six are the organisation's. Records' end in 001, those of settings in other digits.

const organisation = "554023"

const idAt = (place: number) => `${organisation}${String(place).padStart(12, "0")}`

export const nextId = (org: Org): string => idAt(org.nextId() * 1000 + 1)

export const isId = (text: string) => /^\d{1,19}$/.test(text)

export const moduleId = (module: Module): string => idAt(modules.indexOf(module) * 1000 + 175)
export const layoutId = (module: Module): string => idAt(modules.indexOf(module) * 1000 + 55)
export const fieldId = (module: Module, field: Field): string =>
  idAt(modules.indexOf(module) * 1_000_000 + module.fields.indexOf(field) * 1000 + 559)
/** Of the pick list value at a place in its field. */
export const valueId = (module: Module, field: Field, place: number): string =>
  idAt((modules.indexOf(module) + 1) * 100_000_000 + module.fields.indexOf(field) * 1_000_000 + place * 1000 + 104)
export const pipelineId = (place: number): string => idAt(2_000_000_000 + place * 1000 + 75)
export const categoryId = (place: number): string => idAt(3_000_000_000 + place * 1000 + 92)

/** A user as records name them. */
export const userOf = (org: Org, id: unknown): Doc | null => {
  const user = typeof id === "string" ? org.get("users", id) : undefined
  return user === undefined ? null : { name: user.full_name, id: user.id, email: user.email }
}

/** The same without the address, as answers to writes have it. */
export const byline = (org: Org, id: unknown): Doc => {
  const { email: _, ...named } = userOf(org, id) ?? {}
  return named
}

/** The user the token belongs to: the one who made the organisation. */
export const me = (org: Org): string => String(org.all("users")[0]?.id ?? "")

/** The value of a field as it is kept, or worked out. */
export const valueOf = (org: Org, doc: Doc, field: Field): unknown =>
  (field.compute === undefined ? doc[field.name] : field.compute(doc, org)) ?? null

/** What a record is called. */
export const nameOf = (org: Org, module: Module, doc: Doc): unknown => {
  const field = fieldNamed(module, module.named)
  return field === undefined ? null : valueOf(org, doc, field)
}
