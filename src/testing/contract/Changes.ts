import { compile } from "../../mapping/Compile.ts"
import type { Doc } from "./Answers.ts"
import type { Row } from "./Subject.ts"

/** Fields that a write may change although its body does not mention them. */

/** Times that move with every write. Without a creation time of the provider's, `created_at` moves too. */
export const stampsOf = ({ remote_created_at }: Doc) => [
  ...["modified_at", "remote_updated_at", "last_activity_at"],
  ...(remote_created_at === null ? ["created_at"] : [])
]

const computedFields = [
  "status",
  "completed_date",
  "probability",
  "balance",
  "sub_total",
  "total_amount",
  "total_tax_amount"
]

/** Fields that follow from others, everywhere or at this provider: a lead's name is made from the person's. */
export const derivedOf = ({ resourceAdapter, provider, resource }: Row) => [
  ...computedFields,
  ...compile(provider, resource, resourceAdapter.mapping).rows.flatMap(({ access, field }) =>
    access === "read" && resource.fields[field]?.access === "rw" ? [field] : []
  )
]

export const without = (record: Doc, names: ReadonlyArray<string>): Doc =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

/** The value of a field that a write cleared: some providers hold 0 in the place of nothing. */
export const isCleared = (value: unknown) =>
  value === null || value === 0 || (Array.isArray(value) && value.length === 0)
