import { nameOf, type Requirement } from "../Requirement.ts"
import type { Account } from "./Account.ts"

// Scopes, tiers, editions and modules that a simulated account may be made without.

const type = "lacks"

/** Takes features from an account, in place of those taken before. */
export const withdraw = (account: Account, lacks: ReadonlyArray<Requirement>): void => {
  for (const [name] of account.entries(type)) account.remove(type, name)
  for (const one of lacks) account.put(type, nameOf(one), {})
}

/** Whether an account was made without something. */
export const isWithout = (account: Account, requirement: Requirement): boolean =>
  account.get(type, nameOf(requirement)) !== undefined
