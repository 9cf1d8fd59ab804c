import { Decimal } from "decimal.js"
import type { EncodeContext } from "./Transform.ts"

/**
 * Whether a rate may be written: the company's own currency has none. Saying that it is 1 there says nothing, and any other
 * rate is told.
 */
export const takesRate = (
  value: unknown,
  { currency, home }: { readonly currency: unknown; readonly home: unknown },
  path: string,
  { warn }: Pick<EncodeContext, "warn">
): boolean => {
  if (currency !== home) return true
  if (!new Decimal(String(value)).equals(1)) {
    warn(path, "CHANGED", `is held as 1.0: ${String(home)} is the company's own currency`)
  }
  return false
}
