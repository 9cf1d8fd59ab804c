/** What a simulated account holds: records by type and id, as plain JSON. Simulators work on it synchronously. */
export type Doc = { readonly [key: string]: unknown }

export interface Account {
  /** Name of the account; in its tokens, so that a token leads to its account. */
  readonly name: string
  /** Milliseconds since the epoch, of the request being answered. */
  readonly now: number
  readonly get: (type: string, id: string) => Doc | undefined
  /** Records of a type, in the order of their ids' numbers (or of their ids, where those are no numbers). */
  readonly all: (type: string) => ReadonlyArray<Doc>
  /** `[id, record]` of a type, in the order of `all`. */
  readonly entries: (type: string) => ReadonlyArray<readonly [id: string, doc: Doc]>
  /** Stands for the records of a type as they are: another one when one of them has changed. */
  readonly version: (type: string) => unknown
  readonly put: (type: string, id: string, doc: Doc) => void
  readonly remove: (type: string, id: string) => void
  /** A number never given before in this account. */
  readonly nextId: () => number
  /** What this process remembers of the account and nobody keeps, such as calls in the running window of a limit. */
  readonly memory: Map<string, number>
  /** The account as it was some milliseconds ago, to be read; absent where its store does not remember. */
  readonly before?: (milliseconds: number) => Account
}

/** Counts what is used in a span of time (milliseconds), such as calls in a minute, and tells how much that is by now. */
export const used = ({ memory, now }: Account, name: string, span: number, by: number): number => {
  const current = Math.floor(now / span)
  const total = (memory.get(`${name} span`) === current ? (memory.get(name) ?? 0) : 0) + by
  memory.set(`${name} span`, current).set(name, total)
  return total
}

/** A change to be kept; `doc` undefined removes. */
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

/** Where the marker of a state with sample data is: an account has it in its own records or shares it with its sample. */
export const marker = { type: "seed", id: "done" } as const

export const isSeeded = ({ types }: State): boolean => types.get(marker.type)?.has(marker.id) === true

/**
 * A sample as an account has it: with its own records in the place of or beside the sample's, and without what it removed.
 * Types of which it changed nothing are the sample's own.
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

/** Records in order, of what no request changes any more. */
const inOrder = new WeakMap<Docs, Entries>()

const ordered = (docs: Docs): Entries => {
  const known = inOrder.get(docs) ?? [...docs].sort(byId)
  inOrder.set(docs, known)
  return known
}

const nothing: Docs = new Map()

/** Opens a state for one request: changes are seen at once by the request, and by others when they are kept. */
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
