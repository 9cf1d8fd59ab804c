import { Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { calls, events, notes, tasks } from "./Activities.ts"
import { appointments, services } from "./Appointments.ts"
import { deals } from "./Deals.ts"
import type { Field, Module } from "./Fields.ts"
import { accounts, contacts, leads } from "./People.ts"
import { idAt } from "./Stamps.ts"

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

const fields = new Map(modules.map((one) => [one, new Map(one.fields.map((field) => [field.code, field]))]))

export const fieldNamed = (module: Module, name: string): Field | undefined => fields.get(module)?.get(name)

export const moduleId = (module: Module): string => idAt(modules.indexOf(module) * 1000 + 175)
export const layoutId = (module: Module): string => idAt(modules.indexOf(module) * 1000 + 55)
export const fieldId = (module: Module, field: Field): string =>
  idAt(modules.indexOf(module) * 1_000_000 + module.fields.indexOf(field) * 1000 + 559)
/** Id of the pick list value at a place in its field. */
export const valueId = (module: Module, field: Field, place: number): string =>
  idAt((modules.indexOf(module) + 1) * 100_000_000 + module.fields.indexOf(field) * 1_000_000 + place * 1000 + 104)
export const pipelineId = (place: number): string => idAt(2_000_000_000 + place * 1000 + 75)
export const categoryId = (place: number): string => idAt(3_000_000_000 + place * 1000 + 92)

/** The value of a field as it is kept, or worked out. */
export const valueOf = (org: Org, doc: Doc, field: Field): unknown =>
  (field.compute === undefined ? doc[field.code] : field.compute(org, doc)) ?? null

/** The name of a record. */
export const nameOf = (org: Org, module: Module, doc: Doc): unknown => {
  const field = fieldNamed(module, module.named)
  return field === undefined ? null : valueOf(org, doc, field)
}

/** The module a reference leads to, and the record there. */
export const follow = (org: Org, value: unknown) => {
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const module = moduleNamed(String(value.module))
  const doc = module === undefined ? undefined : org.get(module.name, String(value.id))
  return module === undefined || doc === undefined ? undefined : { module, doc }
}
