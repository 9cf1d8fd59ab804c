import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Field, Module } from "./Fields.ts"

// Fields that an organisation does not have: without a second currency deals have no `Currency` and `Exchange_Rate`, without
// a second pipeline no `Pipeline`. https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html

const type = "hidden fields"

/** Takes fields from all modules of an organisation. */
export const hideFields = (org: Org, names: ReadonlyArray<string>): void => {
  for (const name of names) org.put(type, name, {})
}

export const isHidden = (org: Org, name: string): boolean => org.get(type, name) !== undefined

export const fieldsOf = (org: Org, module: Module): ReadonlyArray<Field> =>
  module.fields.filter(({ code }) => !isHidden(org, code))

/** A body without the fields that the organisation does not have, which a write leaves as they are. */
export const withoutHidden = (org: Org, body: Doc): Doc =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !isHidden(org, name)))
