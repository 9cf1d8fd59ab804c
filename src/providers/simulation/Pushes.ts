import { Context, type Effect } from "effect"
import type { Account, Doc } from "./Account.ts"

/** A record that a request changed. */
export interface Changed {
  readonly type: string
  readonly id: string
  /** Undefined where it was made. */
  readonly before: Doc | undefined
  /** Undefined where it is not there any longer. */
  readonly after: Doc | undefined
}

/** Where an application has its pushes sent, and the secret they are signed with. */
export interface PushTarget {
  readonly url: string
  readonly secret: string
}

/** A push on its way. */
export interface Pushed {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** How a simulator pushes what a request changed; `target` is that of the application, where there is one. */
export type Pushing = (
  account: Account,
  changed: ReadonlyArray<Changed>,
  target: PushTarget | undefined
) => ReadonlyArray<Pushed>

interface Ways {
  /** Whether, and where, the pushes of a provider's application go; undefined where it pushes nothing at all. */
  readonly of: (slug: string) => Effect.Effect<{ readonly target: PushTarget | undefined } | undefined>
  /** Sends them in the background; what becomes of them is nothing to the simulator. */
  readonly send: (slug: string, pushed: ReadonlyArray<Pushed>) => Effect.Effect<void>
}

/** Where the pushes of simulators go; unless somebody says so, they push nothing. */
export class Pushes extends Context.Reference<Pushes>()("tributary/providers/simulation/Pushes", {
  defaultValue: (): Ways | undefined => undefined
}) {}

/** An account that remembers what is changed in it. */
export const noting = (account: Account) => {
  const before = new Map<string, { readonly type: string; readonly id: string; readonly doc: Doc | undefined }>()
  const note = (type: string, id: string) => {
    const key = `${type}\n${id}`
    if (!before.has(key)) before.set(key, { type, id, doc: account.get(type, id) })
  }
  const noted: Account = {
    ...account,
    put: (type, id, doc) => {
      note(type, id)
      account.put(type, id, doc)
    },
    remove: (type, id) => {
      note(type, id)
      account.remove(type, id)
    }
  }
  return {
    account: noted,
    changed: (): ReadonlyArray<Changed> =>
      [...before.values()]
        .map(({ doc, id, type }) => ({ type, id, before: doc, after: account.get(type, id) }))
        .filter((one) => one.before !== one.after)
  }
}
