import { Schema } from "effect"
import { Warning } from "../../src/mapping/Warning.ts"
import type { Answer } from "./SandboxApplication.ts"

const Warned = Schema.Struct({ warnings: Schema.optional(Schema.Array(Warning)) })

/** What a write says of values that are not held as they were sent: `field CODE`. */
export const warned = (answer: Answer): ReadonlyArray<string> =>
  (Schema.decodeUnknownSync(Warned)(answer.body).warnings ?? []).map(({ code, field }) => `${field} ${code}`)

export const strict = { prefer: "handling=strict" }
