import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Field, kept, must } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"

/** A member that an empty text clears. */
export const clearable = (value: V.Value): V.Value => ({
  ...value,
  check: (given, account) => (given === "" ? Either.right("") : value.check(given, account))
})

export const text = (most = 100) => V.text("string", { most })
export const number = V.number("number")
export const flag = V.flag("boolean")
export const day = V.day("string")
export const to = (kind: string) => V.link("string", kind)
export const choice = (...choices: ReadonlyArray<string>) => V.choice("string", choices)

export const has = (code: string, value: V.Value, initial: unknown = ""): Field => kept(code, code, value, initial)
export const needs = (code: string, value: V.Value): Field => must(code, code, value)
export const opens = (code: string, value: V.Value): Field => has(code, clearable(value))
export const given = (code: string, value: V.Value, initial: unknown = ""): Field => ({
  ...has(code, value, initial),
  writes: "create"
})

/** Digits after the point of the amounts of a record, by its currency. */
export const digitsIn = (account: Account, { currency_id }: Doc): number => {
  const { price_precision } = account.get("settings/currencies", String(currency_id)) ?? {}
  return typeof price_precision === "number" ? price_precision : 2
}

/** An amount of a record, as its currency rounds it. */
export const roundIn = (account: Account, record: Doc, amount: Decimal): number =>
  amount.toDecimalPlaces(digitsIn(account, record), Decimal.ROUND_HALF_UP).toNumber()

/** The id, which Zoho gives. */
export const own = (code: string): Field => ({ code, name: code, value: text(), initial: "" })

/** An object whose members are texts. */
export const texts = (...names: ReadonlyArray<string>): V.Value =>
  V.object(
    "object",
    Object.fromEntries(names.map((name) => [name, text(500)])),
    [],
    Object.fromEntries(names.map((name) => [name, ""]))
  )

/** `2013-11-18T02:17:40-0800` */
export const stamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}+0000`

export const today = ({ now }: Account): string => new Date(now).toISOString().slice(0, 10)

/** Ids are long numbers as text. */
export const nextId = (account: Account): string => `46000000${String(account.nextId()).padStart(10, "0")}`

export const stamps = (account: Account, before: Doc | undefined): Doc => ({
  created_time: before?.created_time ?? stamp(account.now),
  last_modified_time: stamp(account.now)
})
