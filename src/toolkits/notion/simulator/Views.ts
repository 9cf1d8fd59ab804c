import type { Account } from "../../../providers/simulation/Account.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import { type Block, bot, childrenOf, type Page, type Parent, type Source, type User } from "./Tables.ts"
import { written } from "./Values.ts"

const stamp = (at: number) => new Date(at).toISOString()

const parentView = ({ id, type }: Parent) => (type === "workspace" ? { type, workspace: true } : { type, [type]: id })

const urlOf = (id: string) => `https://www.notion.so/${id.replaceAll("-", "")}`

const author = { object: "user", id: bot }

const common = ({ created, edited, id, parent }: Page | Block | Source) => ({
  id,
  parent: parentView(parent),
  created_time: stamp(created),
  last_edited_time: stamp(edited),
  created_by: author,
  last_edited_by: author
})

export const pageView = (page: Page) => ({
  object: "page",
  ...common(page),
  archived: page.inTrash,
  in_trash: page.inTrash,
  is_locked: false,
  icon: null,
  cover: null,
  properties: page.properties,
  url: urlOf(page.id),
  public_url: null
})

export const sourceView = (source: Source) => ({
  object: "data_source",
  ...common(source),
  parent: { type: "database_id", database_id: source.database },
  database_parent: parentView(source.parent),
  title: written(source.title),
  description: [],
  properties: source.properties,
  archived: false,
  in_trash: false,
  is_inline: false,
  icon: null,
  cover: null,
  url: urlOf(source.database),
  public_url: null
})

export const databaseView = (source: Source) => ({
  object: "database",
  ...common(source),
  id: source.database,
  title: written(source.title),
  description: [],
  is_inline: false,
  in_trash: false,
  is_locked: false,
  data_sources: [{ id: source.id, name: source.title }],
  icon: null,
  cover: null,
  url: urlOf(source.database),
  public_url: null
})

export const blockView = (account: Account) => (block: Block) => ({
  object: "block",
  ...common(block),
  has_children: childrenOf(account, block.id).length > 0,
  archived: false,
  in_trash: false,
  type: block.type,
  [block.type]: block.content
})

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
