import { getPath } from "../../mapping/Mapping.ts"
import { byCursor } from "../base/Paging.ts"
import { type Envelope, reader } from "../base/Rest.ts"

/** How HubSpot answers: lists are `{results: [...], paging: {next: {after}}}`, an object comes as it is. */
export const envelope: Envelope = {
  provider: "hubspot",
  many: ({ body }) => getPath(body, "results"),
  one: ({ body }) => body
}

export const { made: madeBy, record: recordIn, records: recordsOf } = reader(envelope)

/** Where an answer says that its list goes on. */
export const next = "paging.next.after"

const pagingOf = (archived: boolean) =>
  byCursor({ most: 100, size: "limit", after: "after", next, order: { archived } })

/** A page may have so many records. */
export const paging = pagingOf(false)

/** Records that were archived, in the same order. */
export const archivedPaging = pagingOf(true)
