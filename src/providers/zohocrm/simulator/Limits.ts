import { Option, Schema } from "effect"
import type { Account as Org } from "../../simulation/Account.ts"
import { leftOf, type Limits } from "../../simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { refusal, tooManyRequests } from "./Answers.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html

const readRows = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ data: Schema.Array(Schema.Unknown) })))

/** One credit; a write one for ten records, and a query one to three by its limit. */
const creditsOf = ({ method, path, text }: SimulatedRequest): number => {
  if (path.endsWith("/coql")) {
    const limit = Number(/\blimit\s+(?:\d+\s*,\s*)?(\d+)/i.exec(text)?.[1] ?? 200)
    return limit > 1000 ? 3 : limit > 200 ? 2 : 1
  }
  if (method !== "POST" && method !== "PUT") return 1
  return Math.max(
    1,
    Math.ceil(Option.match(readRows(text), { onNone: () => 1, onSome: ({ data }) => data.length }) / 10)
  )
}

/** Also for a test that says that credits are spent; there is no Retry-After. */
export const limited = (): Reply => ({ ...refusal(tooManyRequests), headers: { "x-api-credits-remaining": "0" } })

/** Credits of 24 hours, of an Enterprise organisation of six. */
const credits = {
  name: "credits",
  most: 50_000 + 6 * 1000,
  window: 86_400_000,
  cost: creditsOf,
  refuse: limited
}

export const limits: Limits = { windows: [credits], concurrency: { most: 20, refuse: refusal(tooManyRequests) } }

/** Tells the credits left once half of them are gone. */
export const limitHeaders = (org: Org): { readonly [name: string]: string } => {
  const left = leftOf(org, credits)
  return left > credits.most / 2 ? {} : { "x-api-credits-remaining": String(left) }
}
