import type { Account as Org, Doc } from "../../simulation/Account.ts"

// Settings of an organisation that change what its records have and what their writes meet. A new organisation has none of them.

/**
 * `person accounts`: accounts that are people, each with a contact. `address picklists`: countries and states are chosen from
 * lists. `duplicate rules`: writes of people and companies that are there already are refused; `{ allowSave: true }`, unless a
 * request says that they are saved all the same.
 */
export type Setting = "person accounts" | "address picklists" | "duplicate rules"

const type = "Setting"

export const turnOn = (org: Org, setting: Setting, values: Doc = {}): void => org.put(type, setting, values)

export const settingOf = (org: Org, setting: Setting): Doc | undefined => org.get(type, setting)

export const isOn = (org: Org, setting: Setting): boolean => settingOf(org, setting) !== undefined

const locks = "row locks"

/** Has as many of the next writes of records meet a row lock. `inTrigger`: a trigger that they start meets it. */
export const lockRows = (org: Org, writes: number, { inTrigger = false } = {}): void => {
  org.memory.set(locks, writes).set(`${locks} in a trigger`, inTrigger ? 1 : 0)
}

/** Whether a write meets a row lock, and where. */
export const takeLock = ({ memory }: Org): "row" | "trigger" | undefined => {
  const left = memory.get(locks) ?? 0
  if (left === 0) return undefined
  memory.set(locks, left - 1)
  return memory.get(`${locks} in a trigger`) === 1 ? "trigger" : "row"
}
