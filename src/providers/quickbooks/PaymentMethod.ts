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

/** Another name may say another type, or none: a credit card stays one, and the rest is told. */
const typeOfName = computed({
  canonical: "name",
  native: [],
  needsCurrent: true,
  decode: () => undefined,
  encode: (_, { body, current, get, prefix, set, warn }) => {
    if (current === undefined || body.method_type !== undefined) return
    const before = methodType(current.record.Name, current.record.Type)
    if (before === "CREDIT_CARD" && methodType(get("Name"), get("Type")) === null) set("Type", "CREDIT_CARD")
    const held = methodType(get("Name"), get("Type"))
    if (held === before) return
    const message = `was ${String(before)} by the old name; QuickBooks Online holds no type beside the name, save for credit cards`
    warn(`${prefix}method_type`, held === null ? "NOT_HELD" : "CHANGED", message)
  }
})

const mapping = plainMapping(PaymentMethod, (of) => [
  of.variant({
    nativeType: "PaymentMethod",
    entries: [...identity(of), of.field("name", "Name", text), typeOfName(of), kind(of), isActive(of)],
    notHeld: {}
  })
])

export const paymentMethod = (books: Books) =>
  entities(books, mapping, [{ name: "PaymentMethod", removal: "deactivate" }])
