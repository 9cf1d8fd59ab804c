import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Checked } from "./Answers.ts"
import type { Fields } from "./Fields.ts"

/** How much of a record is answered: all of it alone, lines but little of its contact in pages, no lines in other lists. */
export type Depth = "alone" | "page" | "list"

/** What a kind of record can be asked for, under `/api.xro/2.0/<name>`. */
export interface Kind {
  /** In paths and around answers, such as `Invoices`. */
  readonly name: string
  /** Of one record, such as `Invoice`; the account keeps records under it. */
  readonly entity: string
  /** The member that holds the id. */
  readonly id: string
  readonly fields: Fields
  readonly view: (account: Account, doc: Doc, depth: Depth) => Doc
  /** Whether lists page when asked to, or always. */
  readonly pages?: "asked" | "always"
  /** True where lists take `If-Modified-Since`. */
  readonly modifiedSince?: true
  /** Parameters of lists besides `where`, `order` and those of pages. */
  readonly parameters?: ReadonlyArray<string>
  /** False where lists take no `where`. */
  readonly where?: false
  /** What lists leave out by their parameters. */
  readonly listed?: (doc: Doc, query: URLSearchParams) => boolean
  /** The record that something other than an id names, in a path. */
  readonly named?: (account: Account, key: string) => Doc | undefined
  readonly creates?: true
  /** Where records are posted to: one at its own path, several at that of all, or both. */
  readonly updates?: "one" | "all" | "both"
  /** The record that a body without an id means. */
  readonly matching?: (account: Account, given: Doc) => Doc | undefined
  /** Checks what a body asks and gives what does it, which hands back the record. */
  readonly save?: (account: Account, given: Doc, current: Doc | undefined) => Checked<() => Doc>
  readonly remove?: (account: Account, current: Doc) => Checked<() => Doc>
  /** True where nothing is answered to what removes a record. */
  readonly removedSilently?: true
}

/** Keeps a record with the time of its change. */
export const keep = (account: Account, kind: Pick<Kind, "entity" | "id">, doc: Doc): Doc => {
  const kept = { ...doc, UpdatedDateUTC: account.now }
  account.put(kind.entity, String(doc[kind.id]), kept)
  return kept
}

/** The id of a record, or a new one. */
export const idOf = (kind: Pick<Kind, "id">, current: Doc | undefined): string =>
  typeof current?.[kind.id] === "string" ? String(current[kind.id]) : crypto.randomUUID()

/** Names that only one record may have at a time, without regard to case. */
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

/** The record without texts that were cleared. */
export const cleared = (doc: Doc): Doc => Object.fromEntries(Object.entries(doc).filter(([, value]) => value !== ""))

/** For sample data: writes a record as a client would. */
export const enter = (account: Account, kind: Kind, body: Doc, current?: Doc): Doc =>
  Either.getOrThrowWith(
    kind.save?.(account, body, current) ?? Either.left([`${kind.name} cannot be written`]),
    (messages) => new Error(`sample ${kind.entity}: ${messages.join(" ")}`)
  )()
