import type { Account, Doc } from "../../simulation/Account.ts"

/** What there is to trade with. */
export interface Stage {
  /** Accounts by their names with the names above them. */
  readonly ledger: ReadonlyMap<string, Doc>
  readonly terms: ReadonlyArray<Doc>
  readonly methods: ReadonlyArray<Doc>
  readonly classes: ReadonlyArray<Doc>
  readonly departments: ReadonlyArray<Doc>
  readonly items: ReadonlyArray<Doc>
  readonly customers: ReadonlyArray<Doc>
  readonly vendors: ReadonlyArray<Doc>
}

/** Has something happen at a time. */
export type On = (time: number, act: (then: Account) => void) => void
