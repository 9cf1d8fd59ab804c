import { Effect } from "effect"
import { BadRequest } from "../platform/Errors.ts"
import type { RuntimeHeaders } from "./Api.ts"
import type { Access } from "./EndUserAccess.ts"
import { fitting } from "./ConfirmationPolicy.ts"
import { nameLimit, type ToolCatalogue } from "./ToolCatalogue.ts"

/** Limits of a request to some of a workspace's tools, by its headers and by the token that it comes with. */
export interface Narrowing {
  /** UUID of the only connection to use. */
  readonly connection: string | undefined
  /** Only tools that change nothing. */
  readonly readOnly: boolean
  /** Only tools whose names fit a pattern of each of these lists. */
  readonly only: ReadonlyArray<ReadonlyArray<string>>
}

type Headers = Pick<typeof RuntimeHeaders.Type, "x-connection-id" | "x-mcp-readonly" | "x-mcp-tools">

const refused = (message: string) => Effect.fail(new BadRequest({ code: "INVALID_PARAMETER", message }))

/** Reads the headers; a name or pattern in `X-MCP-Tools` that fits no tool there is was meant for another. */
export const narrowingOf = (
  catalogue: ToolCatalogue["Type"],
  headers: Headers,
  access: Pick<Access, "readOnly" | "tools">
): Effect.Effect<Narrowing, BadRequest> => {
  const only = headers["x-mcp-tools"]?.split(",").map((pattern) => pattern.trim())
  if (only?.some(({ length }) => length > nameLimit) === true) {
    return refused(`x-mcp-tools: the name of a tool has at most ${nameLimit} characters`)
  }
  const unknown = (only ?? []).filter((pattern) => {
    const fits = fitting([pattern])
    return !catalogue.tools().some(({ name }) => fits(name))
  })
  return unknown.length > 0
    ? refused(`x-mcp-tools: there is no tool ${unknown.join(", ")}`)
    : Effect.succeed({
        connection: headers["x-connection-id"]?.toLowerCase(),
        readOnly: access.readOnly || headers["x-mcp-readonly"] === "true",
        only: [access.tools, only].filter((patterns) => patterns !== undefined)
      })
}
