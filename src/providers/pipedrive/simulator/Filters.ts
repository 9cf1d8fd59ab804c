import { Either } from "effect"
import { equal, type Filter, formed, integer, listed, oneOf, type Reader, where } from "../../simulation/table/Query.ts"
import { timeOf } from "./Answers.ts"

const time = formed("datetime", timeOf)

/** No account has filters. */
const filter: Reader<number> = (text, account) =>
  Either.flatMap(integer()(text, account), () => Either.left({ is: "absent" } as const))

export const filterId: Filter = where("filter_id", filter, () => false)

export const updatedSince: Filter = where(
  "updated_since",
  time,
  // leads have milliseconds
  (record, since) => Date.parse(String(record.update_time)) >= Date.parse(since)
)

export const updatedUntil: Filter = where("updated_until", time, (record, until) => String(record.update_time) < until)

export const ids: Filter = where("ids", listed(100, Either.right<string>), (record, all) =>
  all.includes(String(record.id))
)

/** Deals by their status; deleted ones only when they are asked for. */
export const status: Filter = {
  names: ["status"],
  read: (query, account) => {
    const asked = query("status")
    const read = listed(4, oneOf(["open", "won", "lost", "deleted"]))(asked ?? "open,won,lost", account)
    return Either.mapBoth(read, {
      onLeft: (complaint) => [{ path: "status", complaint, given: asked }],
      onRight:
        (statuses) =>
        ({ is_deleted, status: one }) =>
          statuses.some((name) => name === (is_deleted === true ? "deleted" : one))
    })
  }
}

/** Persons by the deal whose contact they are. */
export const ofDeal: Filter = where(
  "deal_id",
  integer(),
  ({ id }, deal, account) => account.get("deals", String(deal))?.person_id === id
)

export const links = (...names: ReadonlyArray<string>): ReadonlyArray<Filter> => names.map((name) => equal(name))
