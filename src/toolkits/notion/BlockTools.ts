import { Effect, Schema } from "effect"
import { natives } from "../../mapping/Mapping.ts"
import { beginning, filled } from "../Answers.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, id, paging } from "./Calls.ts"
import { blockText } from "./Markdown.ts"
import { blocksIn, content } from "./PageTools.ts"

/** Characters of a block in a list of them. */
const blockLength = 2000

export const blockTools = ({ one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "notion_list_blocks",
    title: "Read what is on a page",
    description:
      "Reads the blocks of a page, in order, each as Markdown with its id. A block with `has_children` holds more (a toggle, a table, an indented list): read those with the block's own id.",
    keywords: ["page content", "read text", "document body", "children"],
    hints: hints.read,
    input: Schema.Struct({ block_id: id("Id of the page, or of a block in it."), ...paging }),
    run: (connection, { block_id, cursor, limit }) =>
      page(
        connection,
        {
          operation: "blocks.list",
          method: "GET",
          path: "/v1/blocks/:id/children",
          params: { id: block_id },
          query: { start_cursor: cursor, page_size: limit }
        },
        {
          name: "blocks",
          show: (block) => ({
            ...filled({ id: block["id"], has_children: block["has_children"] === true ? true : undefined }),
            ...beginning("text", blockText(block), blockLength)
          })
        }
      )
  }),
  tool({
    name: "notion_append_blocks",
    title: "Write on a page",
    description:
      "Adds text at the end of a page, or within a block such as a toggle. Answers the ids of the new blocks.",
    keywords: ["add text", "append", "extend page", "write into document", "add to list", "meeting notes"],
    hints: hints.create,
    input: Schema.Struct({ block_id: id("Id of the page, or of a block in it."), content: content("What is added.") }),
    run: (connection, { block_id, content }) =>
      Effect.gen(function* () {
        const answer = yield* one(connection, {
          operation: "blocks.append",
          method: "PATCH",
          path: "/v1/blocks/:id/children",
          params: { id: block_id },
          json: { children: yield* blocksIn("blocks.append", content) }
        })
        return { block_ids: natives(answer["results"]).map(({ id }) => id) }
      })
  })
]
