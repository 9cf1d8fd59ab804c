import type { Doc } from "../../simulation/Account.ts"
import { type Fields, instant, readOnly, text } from "./Fields.ts"

export type Operation = "create" | "update" | "delete"

/** A type of record: what its records are made of and what may be done with them. */
export interface RecordType {
  readonly name: string
  readonly family: "entity" | "transaction" | "item" | "list"
  readonly fields: Fields
  /** What queries call the type: `CustInvc`, `InvtPart`. */
  readonly code: string
  readonly can: ReadonlyArray<Operation>
  /** What a new record has whose body does not say. */
  readonly defaults: Doc
  /** Fields of which no two records have the same value. */
  readonly unique: ReadonlyArray<string>
  /** Only queries tell of it. */
  readonly isHidden?: true
}

type Row = Partial<Omit<RecordType, "name" | "family">> & Pick<RecordType, "fields">

/** The name of the field that tells when a record was made; lists tell no such time. */
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

/** The stamps of a record that is written now. */
export const stamps = ({ family }: RecordType, current: Doc | undefined, now: string): Doc => {
  const created = createdField[family]
  return {
    ...(created === undefined ? {} : { [created]: current?.[created] ?? now }),
    lastModifiedDate: now
  }
}
