import type { Doc } from "../../simulation/Account.ts"
import { type Fields, instant, readOnly, text } from "./Fields.ts"

export type Operation = "create" | "update" | "delete"

/** A type of record: its fields, and the operations on its records. */
export interface RecordType {
  readonly name: string
  readonly family: "entity" | "transaction" | "item" | "list"
  readonly fields: Fields
  /** Name of the type in queries: `CustInvc`, `InvtPart`. */
  readonly code: string
  readonly can: ReadonlyArray<Operation>
  /** Values of a new record where its body gives none. */
  readonly defaults: Doc
  /** Fields whose values are unique among the records. */
  readonly unique: ReadonlyArray<string>
  /** Visible in queries only. */
  readonly isHidden?: true
}

type Row = Partial<Omit<RecordType, "name" | "family">> & Pick<RecordType, "fields">

/** The field with the time of creation; records of lists have none. */
const createdField = {
  entity: "dateCreated",
  transaction: "createdDate",
  item: "createdDate",
  list: undefined
} as const

export const recordType = (family: RecordType["family"], name: string, row: Row): RecordType => {
  const created = createdField[family]
  return {
    name,
    family,
    code: name,
    can: ["create", "update", "delete"],
    unique: [],
    ...row,
    defaults: family === "transaction" ? {} : { isInactive: false, ...row.defaults },
    fields: {
      id: readOnly(text()),
      externalId: text(255),
      ...row.fields,
      ...(created === undefined ? {} : { [created]: instant }),
      lastModifiedDate: instant
    }
  }
}

/** The times of a record that is written now. */
export const stamps = ({ family }: RecordType, current: Doc | undefined, now: string): Doc => {
  const created = createdField[family]
  return {
    ...(created === undefined ? {} : { [created]: current?.[created] ?? now }),
    lastModifiedDate: now
  }
}
