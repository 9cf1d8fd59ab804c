import { PaymentMethod } from "../../canonical/accounting/PaymentMethod.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, isNative, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { Effect } from "effect"
import { text } from "../../mapping/Transform.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { isActive, noCreationTime, undated } from "./Common.ts"
import { records } from "./Records.ts"
import * as Query from "./Select.ts"
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
  encode: (value, { current, lookups, prefix, set, warn }) => {
    // a type that the model does not know reads as null
    if (current !== undefined && kindOf(current.record.methodType) === value) return
    if (value === null) return set("methodType", null)
    const found = natives(lookups.methodTypes).find((type) => kindOf(type) === value)
    if (found === undefined) {
      warn(`${prefix}method_type`, "NOT_HELD", "is not held: no payment method of this account is of the type")
    }
    if (found !== undefined) set("methodType", { id: found.id })
  }
})

const mapping = plainMapping(PaymentMethod, (of) => [
  of.variant({
    nativeType: "paymentMethod",
    entries: [...undated(of), of.field("name", "name", text), methodType(of), isActive(of)],
    notHeld: { remote_created_at: noCreationTime("payment methods") }
  })
])

const select: Query.Select = {
  from: "paymentmethod p",
  columns: {
    id: Query.text("p.id"),
    name: Query.text("p.name"),
    "methodType.id": Query.text("p.methodtype"),
    "methodType.refName": Query.text("BUILTIN.DF(p.methodtype)"),
    isDebitCard: Query.flag("p.isdebitcard"),
    isInactive: Query.flag("p.isinactive"),
    lastModifiedDate: Query.instant("p.lastmodifieddate")
  },
  order: "p.id"
}

/** Without it, queries do not tell what kind a method is. */
const needs = { table: "paymentmethod", column: "methodtype" }

/** The types of an account's payment methods: numbers and names. */
export const readMethodTypes = (own: Suite) =>
  Effect.fnUntraced(function* (connection: ConnectionRef) {
    const methods = (yield* own.has(connection, needs.table, needs.column))
      ? yield* own.all(connection, select, [])
      : yield* Effect.forEach(yield* own.everyId(connection, "paymentMethod"), (id) =>
          own.kept(connection, "paymentMethod", id)
        )
    return methods.map((method) => method.methodType).filter(isNative)
  })

export const paymentMethod = (own: Suite) =>
  records(own, mapping, [{ name: "paymentMethod", list: { select, needs }, retires: true }], ["remote_updated_at"])
