import { documentLines, withTaxes } from "./BulkLines.ts"
import { transactions } from "./Heads.ts"
import { together } from "./Links.ts"
import type { Part, RecordType } from "./RecordType.ts"
import type { Columns } from "./Select.ts"
import type { Native } from "../../mapping/Mapping.ts"

interface Document extends Omit<RecordType, "list" | "sublists" | "supplement"> {
  /** What queries call the type, or types. */
  readonly codes: ReadonlyArray<string>
  /** Sales have their lines below 0 in queries, purchases above; credits the other way round. */
  readonly sign: 1 | -1
  readonly sublists: ReadonlyArray<"expense" | "item">
  /** What its head has besides what all transactions have. */
  readonly columns: Columns
  /** What other queries tell besides its lines. */
  readonly beside?: Part<Native>
}

/** A type of sales or purchases: with lines, and taxes on them. */
export const document = ({ beside, codes, columns, sign, sublists, ...more }: Document): RecordType => {
  const lines = documentLines({ sign, sublists })
  return {
    ...more,
    sublists,
    list: transactions(codes, columns, beside === undefined ? lines : together(lines, beside)),
    supplement: withTaxes({ sign, sublists })
  }
}
