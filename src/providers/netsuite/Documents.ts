import { documentLines, withTaxes } from "./BulkLines.ts"
import type { Filters } from "./Conditions.ts"
import { transactions } from "./Heads.ts"
import { together } from "./Links.ts"
import type { Part, RecordType } from "./RecordType.ts"
import type { Columns } from "./Select.ts"
import type { Native } from "../../mapping/Mapping.ts"

interface Document extends Omit<RecordType, "list" | "sublists" | "supplement"> {
  /** Names of the type, or types, in queries. */
  readonly codes: ReadonlyArray<string>
  /** Sales have their lines below 0 in queries, purchases above; credits the other way round. */
  readonly sign: 1 | -1
  readonly sublists: ReadonlyArray<"expense" | "item">
  /** Columns of its head besides those that all transactions have. */
  readonly columns: Columns
  readonly filters: Filters
  /** Parts that queries other than those of its lines tell. */
  readonly beside?: Part<Native>
}

/** A type of sales or purchases: with lines, and taxes on them. */
export const document = ({ beside, codes, columns, filters, sign, sublists, ...more }: Document): RecordType => {
  const lines = documentLines({ sign, sublists })
  return {
    ...more,
    sublists,
    list: transactions(codes, columns, filters, beside === undefined ? lines : together(lines, beside)),
    supplement: withTaxes({ sign, sublists })
  }
}
