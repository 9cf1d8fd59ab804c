import type { Doc } from "../../simulation/Account.ts"
import { common, type Fields } from "./Fields.ts"

/** `void` voids invoices; `void update`, an update that includes it, voids other transactions. */
export type Operation = "create" | "update" | "delete" | "void" | "void update"

/** An entity of the API: its fields, operations and filters. */
export interface Entity {
  readonly name: string
  readonly kind: "name list" | "transaction" | "company"
  readonly can: ReadonlyArray<Operation>
  readonly fields: Fields
  /** Fields that queries may filter and sort by, besides those of all records. */
  readonly filters: ReadonlyArray<string>
  /** Values for fields that a body leaves out. */
  readonly defaults: Doc
  /** Change data capture leaves some entities out. */
  readonly isCaptured: boolean
}
export type Row = Partial<Omit<Entity, "name">> & Pick<Entity, "fields">

export const entity = (name: string, row: Row): Entity => ({
  name,
  kind: "name list",
  can: ["create", "update"],
  filters: ["Name", "Active"],
  defaults: { Active: true },
  isCaptured: true,
  ...row,
  fields: { ...common, ...row.fields }
})
