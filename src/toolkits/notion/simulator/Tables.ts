import { createHash } from "node:crypto"
import { Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import { table } from "../../../providers/simulation/Table.ts"

// Contents of a simulated workspace. Times are milliseconds since the epoch.

const text = Schema.String
const Stored = Schema.Record({ key: text, value: Schema.Unknown })
export type Stored = typeof Stored.Type

/** Where a page or block is: `{type: "page_id", page_id}` and its like. */
const Parent = Schema.Struct({
  type: Schema.Literal("workspace", "page_id", "block_id", "data_source_id", "database_id"),
  id: text
})
export type Parent = typeof Parent.Type

const common = { id: text, parent: Parent, created: Schema.Number, edited: Schema.Number }

const Page = Schema.Struct({
  ...common,
  inTrash: Schema.Boolean,
  properties: Stored,
  /** Its icon, if it has one. */
  emoji: Schema.optionalWith(text, { exact: true })
})
export type Page = typeof Page.Type
export const pages = table("page", Page)

const Block = Schema.Struct({
  ...common,
  place: Schema.Number,
  inTrash: Schema.Boolean,
  type: text,
  content: Stored
})
export type Block = typeof Block.Type
export const blocks = table("block", Block)

/** A database and its only data source. */
const Source = Schema.Struct({ ...common, database: text, title: text, properties: Stored })
export type Source = typeof Source.Type
export const sources = table("source", Source)

const User = Schema.Struct({ id: text, name: text, email: Schema.NullOr(text) })
export type User = typeof User.Type
export const users = table("user", User)

/** Comments of one place answer each other in a discussion. */
const Comment = Schema.Struct({
  ...common,
  place: Schema.Number,
  discussion: text,
  author: text,
  text: Schema.Array(Stored)
})
export type Comment = typeof Comment.Type
export const comments = table("comment", Comment)

/** An id as Notion writes it. */
export const uuidOf = (name: string): string =>
  createHash("sha256")
    .update(name)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5")

export const freshId = (account: Account): string => uuidOf(`fresh ${account.nextId()}`)

/** With hyphens, in lower case, however it was written. */
export const idIn = (given: string): string =>
  given
    .replaceAll("-", "")
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

export const bot = uuidOf("bot")

export const childrenOf = (account: Account, parent: string): ReadonlyArray<Block> =>
  blocks
    .all(account)
    .filter((block) => block.parent.id === parent && !block.inTrash)
    .sort((a, b) => a.place - b.place)

export const userView = ({ email, id, name }: User) =>
  email === null
    ? { object: "user", id, name, avatar_url: null, type: "bot", bot: botFacts }
    : { object: "user", id, name, avatar_url: null, type: "person", person: { email } }

const botFacts = {
  owner: { type: "workspace", workspace: true },
  workspace_name: firm.name,
  workspace_id: "6b2f7c1e-0d7a-4b55-8a3e-51f1b5f0a9c4",
  workspace_limits: { max_file_upload_size_in_bytes: 5_242_880 }
}
