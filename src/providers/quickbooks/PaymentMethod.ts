import { PaymentMethod } from "../../canonical/accounting/PaymentMethod.ts"
import { computed } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { identity, isActive } from "./Common.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Ways of paying. Intuit tells credit cards from everything else; what else it is, only the name says.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/paymentmethod
 */

const names: ReadonlyArray<readonly [RegExp, string]> = [
  [/debit/i, "DEBIT_CARD"],
  [/visa|master\s?card|amex|american express|discover|diners|credit card/i, "CREDIT_CARD"],
  [/\bach\b|e-?che(ck|que)/i, "ACH"],
  [/che(ck|que)/i, "CHECK"],
  [/cash/i, "CASH"]
]

const methodType = (name: unknown, type: unknown): string | null =>
  names.find(([pattern]) => pattern.test(String(name)))?.[1] ?? (type === "CREDIT_CARD" ? "CREDIT_CARD" : null)

const kind = computed({
  canonical: "method_type",
  native: ["Name", "Type"],
  needsCurrent: true,
  decode: ({ record }) => methodType(record.Name, record.Type),
  encode: (value, { get, prefix, set, warn }) => {
    if (value === methodType(get("Name"), get("Type"))) return
    set("Type", value === "CREDIT_CARD" ? "CREDIT_CARD" : "NON_CREDIT_CARD")
    const held = methodType(get("Name"), get("Type"))
    if (value === held) return
    const message = "follows from the name, save that of credit cards"
    if (held === null) warn(`${prefix}method_type`, "NOT_HELD", message)
    else warn(`${prefix}method_type`, "CHANGED", `is held as ${held}: it ${message}`)
  }
})

const mapping = plainMapping(PaymentMethod, (of) => [
  of.variant({
    nativeType: "PaymentMethod",
    entries: [...identity(of), of.field("name", "Name", text), kind(of), isActive(of)],
    notHeld: {}
  })
])

export const paymentMethod = (books: Books) =>
  entities(books, mapping, [{ name: "PaymentMethod", removal: "deactivate" }])
