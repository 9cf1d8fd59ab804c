import { type Account, open, type State } from "./Account.ts"

/** Ids of sample data come after those that an account gives before its first request: of tokens. */
const firstId = 1000

const dayLength = 86_400_000

/**
 * Sample data made once a day, as of the day's beginning in UTC, and shared by all accounts that begin on that day: much of
 * it takes long to make. Nothing of it may depend on the account's name.
 */
export const dailySample = (make: (account: Account) => void): ((account: Account) => void) => {
  let kept: { readonly day: number; readonly state: State } | undefined
  return (account) => {
    const day = Math.floor(account.now / dayLength)
    if (kept?.day !== day) {
      const session = open("sample", { lastId: firstId, types: new Map() }, day * dayLength, new Map())
      make(session.account)
      kept = { day, state: session.state() }
    }
    account.adopt(kept.state)
  }
}
