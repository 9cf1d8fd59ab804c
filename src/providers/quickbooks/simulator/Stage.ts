import type { Account, Doc } from "../../simulation/Account.ts"

/** Records that sample data trades with. */
export interface Stage {
  /** Accounts by fully qualified name. */
  readonly ledger: ReadonlyMap<string, Doc>
  readonly terms: ReadonlyArray<Doc>
  readonly methods: ReadonlyArray<Doc>
  readonly classes: ReadonlyArray<Doc>
  readonly departments: ReadonlyArray<Doc>
  readonly items: ReadonlyArray<Doc>
  readonly customers: ReadonlyArray<Doc>
  readonly vendors: ReadonlyArray<Doc>
}

/** Schedules an action for a time. */
export type On = (time: number, act: (then: Account) => void) => void
