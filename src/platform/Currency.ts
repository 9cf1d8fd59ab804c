/** Currencies whose amounts have other than two digits after the point (ISO 4217); locale data differs from it. */
const others: ReadonlyMap<unknown, number> = new Map(
  [
    [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"] as const,
    [3, "BHD IQD JOD KWD LYD OMR TND"] as const,
    [4, "CLF UYW"] as const
  ].flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits] as const))
)

/** Digits after the point that amounts in a currency have: 2 in USD, 0 in JPY, 3 in KWD. */
export const digitsOf = (currency: unknown): number => others.get(currency) ?? 2
