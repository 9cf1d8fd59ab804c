import type { Account, Doc } from "../../simulation/Account.ts"

/** What there is to trade with. */
export interface Stage {
  readonly items: ReadonlyArray<Doc>
  readonly contacts: ReadonlyArray<Doc>
  /** Bank accounts by their codes. */
  readonly banks: ReadonlyMap<string, Doc>
}

/** Has something happen at a time. */
export type On = (time: number, act: (then: Account) => unknown) => void

/** The day it is for an account. */
export const dateOf = (account: Account) => new Date(account.now).toISOString().slice(0, 10)
