/**
 * How the amounts of one body depend on each other. A body that contradicts itself is refused before anything is sent, because
 * the provider would silently keep one of the two amounts.
 */
export type AmountRule =
  /** In each line of `list`, `quantity` times `unit_price` is `amount`. */
  | {
      readonly rule: "product"
      readonly list: string
      readonly amount: string
      /** The amount is before tax, so the rule does not apply where prices contain tax. */
      readonly isNet?: true
      /** Discount of the document that the amounts of its lines may already be reduced by. */
      readonly discount?: string
    }
  /** `total` is the sum of `parts`, less `discount`. */
  | {
      readonly rule: "total"
      readonly total: string
      readonly parts: ReadonlyArray<string>
      readonly discount?: string
    }
  /** The lines of `list` do not apply more than `total`. */
  | { readonly rule: "applied"; readonly list: string; readonly total: string }
  /** The lines of `list` are in the currency of the document. */
  | { readonly rule: "currency"; readonly list: string }
