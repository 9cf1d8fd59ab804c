/** A record of a simulated account, as plain JSON. Accounts hold them by type and id; simulators use them synchronously. */
export type Doc = { readonly [key: string]: unknown }

export interface Account {
  /** Name of the account; in its tokens, so that a token leads to its account. */
  readonly name: string
  /** Milliseconds since the epoch, of the request being answered. */
  readonly now: number
  readonly get: (type: string, id: string) => Doc | undefined
  /** Records of a type, in the order of their ids as numbers (or as text, where they are not numbers). */
  readonly all: (type: string) => ReadonlyArray<Doc>
  /** `[id, record]` of a type, in the order of `all`. */
  readonly entries: (type: string) => ReadonlyArray<readonly [id: string, doc: Doc]>
  /** Identifies the present records of a type: changes when one of them does. */
  readonly version: (type: string) => unknown
  readonly put: (type: string, id: string, doc: Doc) => void
  readonly remove: (type: string, id: string) => void
  /** A number never given before in this account. */
  readonly nextId: () => number
  /** Counters that live in this process only, such as calls in the running window of a limit. */
  readonly memory: Map<string, number>
  /** The account as it was some milliseconds ago, read-only; absent where its store keeps no past. */
  readonly before?: (milliseconds: number) => Account
}

/** Adds to a count over a span of time (milliseconds), such as calls in a minute, and returns the total so far. */
export const used = ({ memory, now }: Account, name: string, span: number, by: number): number => {
  const current = Math.floor(now / span)
  const total = (memory.get(`${name} span`) === current ? (memory.get(name) ?? 0) : 0) + by
  memory.set(`${name} span`, current).set(name, total)
  return total
}

/** A change to store; `doc` undefined removes. */
export interface Change {
  readonly type: string
  readonly id: string
  readonly doc: Doc | undefined
}

type Docs = ReadonlyMap<string, Doc>

/** The state of an account as its store keeps it. */
export interface State {
  readonly lastId: number
  readonly types: ReadonlyMap<string, Docs>
}

export const empty: State = { lastId: 0, types: new Map() }

/** The marker of a state with sample data, in the account's own records or in the sample that it shares. */
export const marker = { type: "seed", id: "done" } as const

export const isSeeded = ({ types }: State): boolean => types.get(marker.type)?.has(marker.id) === true

/**
 * An account's state over a sample: its own records replace or join the sample's, and those it removed are gone. Types that
 * it has not changed are the sample's own.
 */
export const differing = (
  sample: State,
  own: State,
  removed: ReadonlyArray<{ readonly type: string; readonly id: string }> = []
): State => {
  const types = new Map(sample.types)
  for (const [type, docs] of own.types) types.set(type, new Map([...(sample.types.get(type) ?? []), ...docs]))
  for (const type of new Set(removed.map((one) => one.type))) {
    const left = new Map<string, Doc>(types.get(type))
    for (const one of removed) if (one.type === type) left.delete(one.id)
    types.set(type, left)
  }
  return { lastId: Math.max(sample.lastId, own.lastId), types }
}

const byId = ([a]: readonly [string, Doc], [b]: readonly [string, Doc]) => {
  const difference = Number(a) - Number(b)
  return Number.isNaN(difference) ? (a < b ? -1 : a > b ? 1 : 0) : difference
}

type Entries = ReadonlyArray<readonly [id: string, doc: Doc]>

/** Records in order, cached for states that no request changes any more. */
const inOrder = new WeakMap<Docs, Entries>()

const ordered = (docs: Docs): Entries => {
  const known = inOrder.get(docs) ?? [...docs].sort(byId)
  inOrder.set(docs, known)
  return known
}

const nothing: Docs = new Map()

/** Opens a state for one request, which sees its changes at once; others see them once they are stored. */
export const open = (
  name: string,
  state: State,
  now: number,
  memory: Map<string, number>,
  stateAt?: (time: number) => State
): { account: Account; changes: () => ReadonlyArray<Change>; state: () => State } => {
  let lastId = state.lastId
  const changed = new Map<string, Map<string, Doc | undefined>>()
  const sorted = new Map<string, Entries>()

  const entries = (type: string) => {
    const known = sorted.get(type)
    if (known !== undefined) return known
    const [kept, changes] = [state.types.get(type) ?? nothing, changed.get(type)]
    if (changes === undefined) return ordered(kept)
    const merged = new Map<string, Doc>(kept)
    for (const [id, doc] of changes) {
      if (doc === undefined) merged.delete(id)
      else merged.set(id, doc)
    }
    const list = [...merged].sort(byId)
    sorted.set(type, list)
    return list
  }

  const change = (type: string, id: string, doc: Doc | undefined) => {
    const ofType = changed.get(type) ?? new Map<string, Doc | undefined>()
    changed.set(type, ofType.set(id, doc))
    sorted.delete(type)
  }

  return {
    account: {
      name,
      now,
      get: (type, id) => {
        const ofType = changed.get(type)
        return ofType?.has(id) === true ? ofType.get(id) : state.types.get(type)?.get(id)
      },
      all: (type) => entries(type).map(([, doc]) => doc),
      entries,
      version: (type) => (changed.has(type) ? Symbol(type) : (state.types.get(type) ?? nothing)),
      put: change,
      remove: (type, id) => change(type, id, undefined),
      nextId: () => (lastId += 1),
      memory,
      ...(stateAt === undefined
        ? {}
        : { before: (milliseconds) => open(name, stateAt(now - milliseconds), now, memory).account })
    },
    changes: () => [...changed].flatMap(([type, docs]) => [...docs].map(([id, doc]) => ({ type, id, doc }))),
    state: () => ({
      lastId,
      types: new Map([...state.types, ...[...changed.keys()].map((type) => [type, new Map(entries(type))] as const)])
    })
  }
}
