import { PaymentMethod } from "../../canonical/accounting/PaymentMethod.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, isNative, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { Effect } from "effect"
import { text } from "../../mapping/Transform.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { identity, isActive } from "./Common.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Ways of paying. What kinds there are, and how they are numbered, each account says by its own methods. */

const words: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["DEBIT_CARD", /debit/i],
  ["CREDIT_CARD", /credit|visa|master ?card|american express|discover/i],
  ["ACH", /\bach\b|e-?check/i],
  ["CHECK", /che(ck|que)/i],
  ["CASH", /cash/i]
]

const kindOf = (methodType: unknown): string | null => {
  const name = getPath(methodType, "refName")
  return words.find(([, pattern]) => typeof name === "string" && pattern.test(name))?.[0] ?? null
}

const methodType = computed({
  canonical: "method_type",
  native: ["methodType", "isDebitCard"],
  needsCurrent: true,
  encodeLookups: ["methodTypes"],
  decode: ({ record }) => (record.isDebitCard === true ? "DEBIT_CARD" : kindOf(record.methodType)),
  encode: (value, { current, lookups, prefix, refuse, set }) => {
    // a type that the model does not know reads as null
    if (current !== undefined && kindOf(current.record.methodType) === value) return
    if (value === null) return set("methodType", null)
    const found = natives(lookups.methodTypes).find((type) => kindOf(type) === value)
    if (found === undefined) refuse(`${prefix}method_type`, "is not the type of any payment method of this account")
    else set("methodType", { id: found.id })
  }
})

const mapping = plainMapping(PaymentMethod, (of) => [
  {
    nativeType: "paymentMethod",
    entries: [...identity(of, null), of.field("name", "name", text), methodType(of), isActive(of)]
  }
])

/** The types of an account's payment methods: numbers and names. */
export const readMethodTypes = (own: Suite) => {
  return (connection: ConnectionRef) =>
    own.everyId(connection, "paymentMethod").pipe(
      Effect.flatMap(Effect.forEach((id) => own.kept(connection, "paymentMethod", id))),
      Effect.map((methods) => methods.map((method) => method.methodType).filter(isNative))
    )
}

export const paymentMethod = (own: Suite) =>
  records(own, mapping, [
    // queries do not tell what kind a method is
    { name: "paymentMethod", list: {}, retires: true }
  ])
