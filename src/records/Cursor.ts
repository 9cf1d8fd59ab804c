import { Schema } from "effect"
import { cursorsOf } from "../platform/Cursors.ts"
import { Place } from "./Place.ts"

/** Where a walk through a list stands: the connections that are not finished, fixed by its first page. */
export const Walk = Schema.Struct({
  connections: Schema.Array(Schema.Struct({ id: Schema.String, ...Place.fields })),
  /** Whose turn it is to get what does not divide evenly. */
  turn: Schema.Int
})
export type Walk = typeof Walk.Type

export const cursors = cursorsOf(Walk)
