import { Schema } from "effect"
import { cursorsOf } from "../platform/Cursors.ts"
import { Place } from "./Place.ts"

/** The state of a walk through a list: the unfinished connections, of those fixed by its first page. */
export const Walk = Schema.Struct({
  connections: Schema.Array(Schema.Struct({ id: Schema.String, ...Place.fields })),
  /** Index of the connection whose turn it is to get the remainder of a page that does not divide evenly. */
  turn: Schema.Int
})
export type Walk = typeof Walk.Type

export const cursors = cursorsOf(Walk)
