import { Effect, Option } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import { since } from "../base/Paginator.ts"
import { reader } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { type Clause, type Clauses, clausesFor, exact, foundBy, wide } from "../Filtering.ts"
import type { ListRequest, NativeRecord, Page, ResourceAdapter } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { envelope, namesRead } from "./Objects.ts"

/**
 * Leads and contacts, whose lists take no parameters to speak of, are searched for.
 * https://developer.close.com/api/resources/advanced-filtering
 */

export interface Part {
  readonly query: Native
  /** The same of a record. */
  readonly keeps?: (record: Native) => boolean
}

type Kind = "lead" | "contact"

const field = (object_type: string, field_name: string): Native => ({ type: "regular_field", object_type, field_name })

const where = (object_type: string, field_name: string, condition: Native): Native => ({
  type: "field_condition",
  field: field(object_type, field_name),
  condition
})

const moment = (value: string): Native => ({ type: "fixed_utc", value })

const from = (kind: Kind, name: string, instant: string) =>
  where(kind, name, { type: "moment_range", on_or_after: moment(instant) })

const times = (kind: Kind, name: "date_created" | "date_updated") => {
  const timeOf = (record: Native) => Date.parse(String(record[name]))
  return {
    after: exact<Part>(({ text }) => ({
      query: from(kind, name, text),
      keeps: (record) => timeOf(record) >= Date.parse(text)
    })),
    before: exact<Part>(({ text }) => ({
      query: where(kind, name, { type: "moment_range", before: moment(text) }),
      keeps: (record) => timeOf(record) < Date.parse(text)
    }))
  }
}

export const stamped = (kind: Kind): Clauses<Part> => {
  const [added, changed] = [times(kind, "date_created"), times(kind, "date_updated")]
  return {
    created_after: added.after,
    created_before: added.before,
    modified_after: changed.after,
    modified_before: changed.before
  }
}

const words = (value: string, mode: "beginning_of_words" | "full_words"): Native => ({ type: "text", mode, value })

const aWord = /[\p{L}\p{N}]/u

const hasWords = (text: string) => aWord.test(text)

const everything: Part = { query: { type: "and", queries: [] } }

/** Names that begin so have words that begin with each of its words. */
export const named = (kind: Kind): Clause<Part> =>
  wide(({ text }) => (hasWords(text) ? { query: where(kind, "name", words(text, "beginning_of_words")) } : everything))

export const email: Clause<Part> = wide(({ text }) =>
  hasWords(text)
    ? {
        query: {
          type: "has_related",
          this_object_type: "contact",
          related_object_type: "contact_email",
          related_query: where("contact_email", "email", words(text, "full_words"))
        }
      }
    : everything
)

export const searchText = { pattern: aWord, expected: "must have a letter or digit" }

export const anywhere: Clause<Part> = exact(({ text }) => ({ query: words(text, "beginning_of_words") }))

const { ask } = reader(envelope)

const idOf = ({ record }: NativeRecord) => String(record.id)

/** To the millisecond, which is what times are compared by. */
const createdAt = ({ record }: NativeRecord) => new Date(String(record.date_created)).toISOString()

/** Most records of an answer. */
const most = 200

/** Adds filters that take a search to an adapter. Cursors of searches are good for half a minute: it goes by times instead. */
export const searchable = <A extends Required<Pick<ResourceAdapter, "list">> & ResourceAdapter>(
  call: Caller,
  kind: Kind,
  plain: A,
  filters: Clauses<Part>
) => ({
  ...plain,
  finds: [...(plain.finds ?? []), ...foundBy(filters)],
  list: (request: ListRequest): Effect.Effect<Page, ProviderError> => {
    const { connection, limit, mapping, position, wanted } = request
    const clauses = clausesFor(filters, { wanted })
    const [variant] = mapping.variants
    if (variant === undefined || Option.isNone(clauses)) return Effect.succeed({ records: [], next: null })
    const parts = clauses.value
    if (parts.length === 0) return plain.list(request)
    // those of one lead are few, and have a list
    if (wanted.account !== undefined) {
      return Effect.map(plain.list(request), (page) => ({
        ...page,
        records: page.records.filter(({ record }) => parts.every(({ keeps }) => keeps?.(record) ?? true)),
        sparse: true
      }))
    }
    const fetch = since(most, idOf, createdAt, (start, size) => {
      const all = [
        { type: "object_type", object_type: kind },
        ...parts.map(({ query }) => query),
        ...(start === undefined ? [] : [from(kind, "date_created", start)])
      ]
      const body = {
        query: { type: "and", queries: all },
        _fields: { [kind]: [...namesRead(variant), "date_created"] },
        sort: [{ direction: "asc", field: field(kind, "date_created") }],
        _limit: size
      }
      const path = "/api/v1/data/search/"
      return Effect.map(
        ask(call, connection, { nativeType: kind, path, search: { path, body } })({}),
        ({ records }) => records
      )
    })
    return fetch(position, limit)
  }
})
