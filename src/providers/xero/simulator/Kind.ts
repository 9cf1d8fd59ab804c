import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Checked } from "./Answers.ts"
import type { Fields } from "./Fields.ts"

/**
 * How much of a record responses show: all in the answer to a write and alone; in pages, lines but little of the contact; in
 * lists, no lines.
 */
export type Depth = "written" | "alone" | "page" | "list"

export const isWhole = (depth: Depth): boolean => depth === "written" || depth === "alone"

/** Whether a record was entered in the app. Reads show less of such records than of those that came by the API. */
export const isOfApp = (doc: Doc): boolean => doc.madeIn === "app"

/** A kind of record and its operations, under `/api.xro/2.0/<name>`. */
export interface Kind {
  /** Name in paths and response envelopes, such as `Invoices`. */
  readonly name: string
  /** Name of one record, such as `Invoice`; the account stores records under it. */
  readonly entity: string
  /** The member that holds the id. */
  readonly id: string
  readonly fields: Fields
  readonly view: (account: Account, doc: Doc, depth: Depth) => Doc
  /** Whether lists page when asked to, or always. */
  readonly pages?: "asked" | "always"
  /** True where lists take `If-Modified-Since`. */
  readonly modifiedSince?: true
  /** Parameters of lists besides `where`, `order` and the paging ones. */
  readonly parameters?: ReadonlyArray<string>
  /** False where lists take no `where`. */
  readonly where?: false
  /** Whether a list with these parameters includes a record. */
  readonly listed?: (doc: Doc, query: URLSearchParams) => boolean
  /** Finds the record that a path names by something other than its id. */
  readonly named?: (account: Account, key: string) => Doc | undefined
  readonly creates?: true
  /** Paths that take updates: that of one record, that of all records, or both. */
  readonly updates?: "one" | "all" | "both"
  /** Finds the record that a body without an id refers to. */
  readonly matching?: (account: Account, given: Doc) => Doc | undefined
  /** Checks a write, and returns the function that performs it and returns the record. */
  readonly save?: (account: Account, given: Doc, current: Doc | undefined) => Checked<() => Doc>
  readonly remove?: (account: Account, current: Doc) => Checked<() => Doc>
  /** True where a removal gets an empty response. */
  readonly removedSilently?: true
}

/** A record as responses show it. */
export const viewOf = (kind: Pick<Kind, "view">, account: Account, doc: Doc, depth: Depth): Doc => {
  const { madeIn: _made, ...view } = kind.view(account, doc, depth)
  return view
}

/** Stores a record with the time of its change. */
export const keep = (account: Account, kind: Pick<Kind, "entity" | "id">, doc: Doc): Doc => {
  const kept = { ...doc, UpdatedDateUTC: account.now }
  account.put(kind.entity, String(doc[kind.id]), kept)
  return kept
}

/** Returns the id of a record, or a new one. */
export const idOf = (kind: Pick<Kind, "id">, current: Doc | undefined): string =>
  typeof current?.[kind.id] === "string" ? String(current[kind.id]) : crypto.randomUUID()

/** Names that only one record can have at a time, ignoring case. */
export const names = (table: string) => ({
  /** The id of the record that has a name. */
  ownerOf: (account: Account, name: string): string | undefined => {
    const held = account.get(table, name.toLowerCase())?.owner
    return typeof held === "string" ? held : undefined
  },
  /** Gives a name to a record, in place of the one it had. */
  move: (account: Account, owner: string, before: string | undefined, now: string | undefined): void => {
    if (before !== undefined && account.get(table, before.toLowerCase())?.owner === owner)
      account.remove(table, before.toLowerCase())
    if (now !== undefined) account.put(table, now.toLowerCase(), { owner })
  }
})

/** Drops cleared texts from a record. */
export const cleared = (doc: Doc): Doc => Object.fromEntries(Object.entries(doc).filter(([, value]) => value !== ""))

/** For sample data: writes a record as a client would. */
export const enter = (account: Account, kind: Kind, body: Doc, current?: Doc): Doc => {
  const made = Either.getOrThrowWith(
    kind.save?.(account, body, current) ?? Either.left([`${kind.name} cannot be written`]),
    (messages) => new Error(`sample ${kind.entity}: ${messages.join(" ")}`)
  )()
  const doc = { ...made, madeIn: "app" }
  account.put(kind.entity, String(made[kind.id]), doc)
  return doc
}
