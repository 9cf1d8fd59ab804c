import { Schema } from "effect"
import { cursorsOf } from "../platform/Cursors.ts"
import { ListState } from "./ListState.ts"

/** The state of a walk through a list: the unfinished connections, of those fixed by its first page. */
export const Walk = Schema.Struct({
  connections: Schema.Array(Schema.Struct({ id: Schema.String, ...ListState.fields })),
  /** Index of the connection whose turn it is to get the remainder of a page that does not divide evenly. */
  turn: Schema.Int
})
export type Walk = typeof Walk.Type

export const cursors = cursorsOf(Walk)
