import { Schema } from "effect"
import { Warning } from "../../src/mapping/Warning.ts"
import type { Answer } from "./SandboxApplication.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({ warnings: Schema.optional(Schema.Array(Warning)) }))

/** The warnings of a write: `field CODE`, sorted. */
export const said = (answer: Answer): ReadonlyArray<string> =>
  (decode(answer.body).warnings ?? []).map(({ code, field }) => `${field} ${code}`).toSorted()

export const strictly = { prefer: "handling=strict" }
