import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, invalid, listed, missing, ok, pagingIn, route } from "./Answers.ts"
import { contentOf } from "./Content.ts"
import { Anything, idOf, parentOf } from "./Lookup.ts"
import { type Block, blocks, childrenOf, freshId, idIn, pages, type Parent } from "./Tables.ts"
import { isObject } from "./Values.ts"
import { blockView, childPagesOf, childPageView } from "./Views.ts"

// Blocks: https://developers.notion.com/reference/block

type Children = ReadonlyArray<typeof Anything.Type>

const Children = Schema.Array(Anything)
const areChildren = Schema.is(Children)

/** Blocks that a body describes, each with those that are in it, at a first place below a page or block. */
const readBlocks = (
  account: Account,
  parent: Parent,
  children: Children,
  first: number,
  path = "body.children"
): Answered<ReadonlyArray<Block>> =>
  Either.gen(function* () {
    if (children.length > 100) {
      return yield* invalid(
        `body failed validation: ${path}.length should be ≤ 100, instead was \`${children.length}\`.`
      )
    }
    const made: Array<Block> = []
    for (const [index, child] of children.entries()) {
      const at = `${path}[${index}]`
      const type = String(child["type"] ?? Object.keys(child).find((name) => name !== "object"))
      const given = child[type]
      const strange = Object.keys(child).find((name) => !["object", "type", type].includes(name))
      if (strange !== undefined || !isObject(given)) {
        return yield* invalid(`body failed validation: ${at}.${strange ?? type} should be valid.`)
      }
      const id = freshId(account)
      made.push({
        id,
        parent,
        created: account.now,
        edited: account.now,
        place: first + index,
        inTrash: false,
        type,
        content: yield* contentOf(type, given, {}, at)
      })
      const { children: within = [] } = given
      if (!areChildren(within)) return yield* invalid(`body failed validation: ${at}.${type}.children should be valid.`)
      made.push(...(yield* readBlocks(account, { type: "block_id", id }, within, 1, `${at}.${type}.children`)))
    }
    return made
  })

/** Keeps new blocks below a page or block: after one of them, before all, or after all. */
export const append = (
  account: Account,
  parent: Parent,
  children: Children,
  after: "start" | "end" | { readonly id: string } = "end"
): Answered<ReadonlyArray<Block>> =>
  Either.gen(function* () {
    const present = childrenOf(account, parent.id)
    const before = typeof after === "string" ? undefined : present.findIndex(({ id }) => id === idIn(after.id))
    if (before === -1) return yield* invalid("The block to append after is not a child of the parent block.")
    const kept = before === undefined ? (after === "start" ? 0 : present.length) : before + 1
    const first = (present[kept - 1]?.place ?? 0) + 1
    const made = yield* readBlocks(account, parent, children, first)
    for (const block of made) blocks.put(account, block.id, block)
    for (const block of present.slice(kept)) {
      blocks.put(account, block.id, { ...block, place: block.place + children.length })
    }
    return made.filter((block) => block.parent.id === parent.id)
  })

const Position = Schema.Union(
  Schema.Struct({ type: Schema.Literal("start", "end") }),
  Schema.Struct({ type: Schema.Literal("after_block"), after_block: Schema.Struct({ id: Schema.String }) })
)

const NewBlocks = Schema.Struct({
  children: Children,
  after: Schema.optional(Schema.String),
  position: Schema.optional(Position)
})

const blockOf = (account: Account, given: string): Answered<Block> => {
  const found = blocks.get(account, idIn(given))
  return found === undefined ? missing("block", given) : Either.right(found)
}

/** Moves a block, or a page as the block that it is within another, to the trash, or takes it out. */
const trash = (account: Account, given: string, inTrash: boolean): Answered<unknown> => {
  const page = pages.get(account, idIn(given))
  if (page !== undefined) {
    const changed = { ...page, inTrash, edited: account.now }
    pages.put(account, page.id, changed)
    return Either.right(childPageView(account)(changed))
  }
  return Either.map(blockOf(account, given), (block) => {
    const changed = { ...block, inTrash, edited: account.now }
    blocks.put(account, block.id, changed)
    return blockView(account)(changed)
  })
}

const pagingNames = ["page_size", "start_cursor"]

export const blockRoutes: ReadonlyArray<Route> = [
  route("GET", "/blocks/:id", (request, account) => {
    const page = pages.get(account, idIn(idOf(request)))
    return page === undefined
      ? Either.map(blockOf(account, idOf(request)), (block) => ok(blockView(account)(block)))
      : Either.right(ok(childPageView(account)(page)))
  }),
  route("PATCH", "/blocks/:id", (request, account) =>
    Either.gen(function* () {
      const { archived, in_trash = archived, type: _, ...given } = yield* bodyOf(Anything, request)
      if (typeof in_trash === "boolean") return ok(yield* trash(account, idOf(request), in_trash))
      const block = yield* blockOf(account, idOf(request))
      if (block.inTrash) {
        return yield* invalid("Can't edit block that is archived. You must unarchive the block before editing.")
      }
      const content = given[block.type]
      if (!isObject(content) || Object.keys(given).length > 1) {
        return yield* invalid(`body failed validation: body.${block.type} should be defined, and nothing else.`)
      }
      const changed = {
        ...block,
        edited: account.now,
        content: yield* contentOf(block.type, content, block.content, "body")
      }
      blocks.put(account, block.id, changed)
      return ok(blockView(account)(changed))
    })
  ),
  route("DELETE", "/blocks/:id", (request, account) =>
    Either.map(trash(account, idOf(request), true), (view) => ok(view))
  ),
  route(
    "GET",
    "/blocks/:id/children",
    (request, account) =>
      Either.gen(function* () {
        const { id } = yield* parentOf(account, idOf(request))
        const all = [
          ...childrenOf(account, id).map((block) => ({ id: block.id, view: () => blockView(account)(block) })),
          ...childPagesOf(account, id)
        ]
        return yield* listed(all, yield* pagingIn(request), "block", ({ view }) => view())
      }),
    pagingNames
  ),
  route("PATCH", "/blocks/:id/children", (request, account) =>
    Either.gen(function* () {
      const { after, children, position } = yield* bodyOf(NewBlocks, request)
      const parent = yield* parentOf(account, idOf(request))
      const place =
        after !== undefined
          ? { id: after }
          : position?.type === "after_block"
            ? position.after_block
            : (position?.type ?? "end")
      const made = yield* append(account, parent, children, place)
      return ok({
        object: "list",
        results: made.map(blockView(account)),
        next_cursor: null,
        has_more: false,
        type: "block",
        block: {}
      })
    })
  )
]
