import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, missing } from "./Answers.ts"
import { blocks, idIn, type Page, pages, type Parent, type Source, sources } from "./Tables.ts"

// Finds the records that a request names, or gives Notion's refusal.

export const Anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const idOf = ({ params }: SimulatedRequest) => params.id ?? ""

export const pageOf = (account: Account, given: string): Answered<Page> => {
  const found = pages.get(account, idIn(given))
  return found === undefined ? missing("page", given) : Either.right(found)
}

export const sourceOf = (account: Account, given: string): Answered<Source> => {
  const found = sources.get(account, idIn(given))
  return found === undefined ? missing("data_source", given) : Either.right(found)
}

/** A page or a block, as the parent of something. */
export const parentOf = (account: Account, given: string): Answered<Parent> => {
  const id = idIn(given)
  if (pages.get(account, id) !== undefined) return Either.right({ type: "page_id", id })
  return blocks.get(account, id) === undefined ? missing("block", given) : Either.right({ type: "block_id", id })
}
