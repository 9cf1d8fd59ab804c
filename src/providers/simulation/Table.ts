import { Schema } from "effect"
import type { Account, Doc } from "./Account.ts"

/** Records of one type in an account, as values of a Schema; what does not fit it is not there. */
export interface Table<A extends Doc> {
  readonly get: (account: Account, id: string) => A | undefined
  readonly all: (account: Account) => ReadonlyArray<A>
  readonly put: (account: Account, id: string, record: A) => void
  readonly remove: (account: Account, id: string) => void
}

export const table = <A extends Doc, I>(type: string, schema: Schema.Schema<A, I>): Table<A> => {
  const fits = Schema.is(schema)
  // what is kept is replaced and never changed, so it is looked at once
  const known = new WeakMap<Doc, A | undefined>()
  const read = (found: Doc): A | undefined => {
    if (known.has(found)) return known.get(found)
    const one = fits(found) ? found : undefined
    known.set(found, one)
    return one
  }
  return {
    get: (account, id) => {
      const found = account.get(type, id)
      return found === undefined ? undefined : read(found)
    },
    all: (account) =>
      account
        .all(type)
        .map(read)
        .filter((one) => one !== undefined),
    put: (account, id, record) => account.put(type, id, record),
    remove: (account, id) => account.remove(type, id)
  }
}
