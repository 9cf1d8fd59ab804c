import { Either } from "effect"
import { type Account, type Doc, type Filter, type Kind, Parameter, set, Value, write } from "tributary/simulator"

const instant = ({ now }: Account) => new Date(now).toISOString()

const moment = Parameter.formed("datetime", (text) => (Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text)))

const createdAt = ({ created_at }: Doc) => Date.parse(String(created_at))

/** Lists by when records were made. */
const filters: ReadonlyArray<Filter> = [
  Parameter.where("created_after", moment, (record, value) => createdAt(record) >= value),
  Parameter.where("created_before", moment, (record, value) => createdAt(record) < value)
]

/** What all kinds of records have in common; their ids begin alike. */
export const kindOf = (name: string, prefix: string, fields: Kind["fields"]): Kind => ({
  name,
  fields: [
    set("id", "Id", Value.text("string")),
    set("created_at", "Created", Value.text("datetime")),
    set("updated_at", "Updated", Value.text("datetime")),
    ...fields
  ],
  sorts: ["id"],
  filters,
  nextId: (account) => `${prefix}_${String(account.nextId()).padStart(10, "0")}`,
  made: (account) => ({ created_at: instant(account) }),
  stamps: (account) => ({ updated_at: instant(account) })
})

/** Keeps a record of the sample; what a request could not write is a mistake in it. */
export const keep = (account: Account, kind: Kind, body: Doc) => Either.getOrThrow(write(account, kind, body))
