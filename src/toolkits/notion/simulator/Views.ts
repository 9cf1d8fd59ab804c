import type { Account } from "../../../providers/simulation/Account.ts"
import type { SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import {
  type Block,
  bot,
  childrenOf,
  type Comment,
  type Page,
  pages,
  type Parent,
  type Source,
  sources
} from "./Tables.ts"
import { columnNamed, titleOf, written } from "./Values.ts"

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

/** The properties that a request wants to see of pages, by name or id; all when it names none. */
export const wantedIn = ({ query }: SimulatedRequest): ReadonlyArray<string> => query.getAll("filter_properties")

const parentOfPage = (account: Account, { id, type }: Parent) =>
  type === "data_source_id"
    ? { type, data_source_id: id, database_id: sources.get(account, id)?.database ?? null }
    : parentView({ id, type })

export const pageView = (account: Account, page: Page, wanted: ReadonlyArray<string> = []) => ({
  object: "page",
  ...common(page),
  parent: parentOfPage(account, page.parent),
  archived: page.inTrash,
  is_archived: page.inTrash,
  in_trash: page.inTrash,
  is_locked: false,
  icon: page.emoji === undefined ? null : { type: "emoji", emoji: page.emoji },
  cover: null,
  properties:
    wanted.length === 0
      ? page.properties
      : Object.fromEntries(
          wanted.flatMap((named) => {
            const [name] = columnNamed(page.properties, named) ?? []
            return name === undefined ? [] : [[name, page.properties[name]]]
          })
        ),
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
  id: source.database,
  parent: parentView(source.parent),
  created_time: stamp(source.created),
  last_edited_time: stamp(source.edited),
  title: written(source.title),
  description: [],
  is_inline: false,
  archived: false,
  in_trash: false,
  is_locked: false,
  data_sources: [{ id: source.id, name: source.title }],
  icon: null,
  cover: null,
  url: urlOf(source.database),
  public_url: null
})

const blockCommon = (block: Block | Page, hasChildren: boolean) => ({
  object: "block",
  ...common(block),
  has_children: hasChildren,
  archived: block.inTrash,
  in_trash: block.inTrash
})

export const blockView = (account: Account) => (block: Block) => ({
  ...blockCommon(block, childrenOf(account, block.id).length > 0),
  type: block.type,
  [block.type]: block.content
})

/** A page as the block that it is on the page above it. */
export const childPageView = (account: Account) => (page: Page) => ({
  ...blockCommon(page, childrenOf(account, page.id).length > 0 || childPagesOf(account, page.id).length > 0),
  type: "child_page",
  child_page: { title: titleOf(page) }
})

/** Pages and databases below a page, as its blocks. */
export const childPagesOf = (account: Account, id: string) => [
  ...pages
    .all(account)
    .filter(({ inTrash, parent }) => parent.id === id && !inTrash)
    .map((page) => ({ id: page.id, view: (): object => childPageView(account)(page) })),
  ...sources
    .all(account)
    .filter(({ parent }) => parent.id === id)
    .map((source) => ({
      id: source.database,
      view: (): object => ({
        object: "block",
        ...common(source),
        id: source.database,
        has_children: false,
        archived: false,
        in_trash: false,
        type: "child_database",
        child_database: { title: source.title }
      })
    }))
]

export const commentView = (comment: Comment) => ({
  object: "comment",
  id: comment.id,
  parent: parentView(comment.parent),
  discussion_id: comment.discussion,
  created_time: stamp(comment.created),
  last_edited_time: stamp(comment.edited),
  created_by: { object: "user", id: comment.author },
  rich_text: comment.text,
  display_name: { type: "integration", resolved_name: "Tributary" }
})
