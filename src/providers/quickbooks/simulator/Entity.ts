import type { Doc } from "../../simulation/Account.ts"
import { common, type Fields } from "./Fields.ts"

/** An invoice is made void by an operation of that name, other transactions by an update that includes it. */
export type Operation = "create" | "update" | "delete" | "void" | "void update"

/** An entity of the API: what its records are made of, what may be done with them and asked of them. */
export interface Entity {
  readonly name: string
  readonly kind: "name list" | "transaction" | "company"
  readonly can: ReadonlyArray<Operation>
  readonly fields: Fields
  /** What a query may filter and sort by, besides what all records have. */
  readonly filters: ReadonlyArray<string>
  /** What a record has whose body does not say. */
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
