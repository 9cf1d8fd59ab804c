import type { Account, Doc } from "../../simulation/Account.ts"

/** Records that sample data trades with. */
export interface Stage {
  readonly items: ReadonlyArray<Doc>
  readonly contacts: ReadonlyArray<Doc>
  /** Bank accounts by their codes. */
  readonly banks: ReadonlyMap<string, Doc>
}

/** Schedules an action for a time. */
export type On = (time: number, act: (then: Account) => unknown) => void

/** Today's date for an account. */
export const dateOf = (account: Account) => new Date(account.now).toISOString().slice(0, 10)
