import { type Account, type Filter, type Kind, Parameter, set, Value } from "tributary/simulator"

const instant = ({ now }: Account) => new Date(now).toISOString()

/** Fields that every record has. */
export const common = [
  set("id", "Id", Value.number("integer")),
  set("created_at", "Created", Value.text("datetime")),
  set("updated_at", "Updated", Value.text("datetime"))
]

export const stamps: Pick<Kind, "made" | "stamps"> = {
  made: (account) => ({ created_at: instant(account) }),
  stamps: (account) => ({ updated_at: instant(account) })
}

const moment = Parameter.formed("datetime", (text) => (Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text)))

const createdAt = ({ created_at }: { readonly created_at?: unknown }) => Date.parse(String(created_at))

/** Lists by when records were made. */
export const byCreation: ReadonlyArray<Filter> = [
  Parameter.where("created_after", moment, (record, value) => createdAt(record) >= value),
  Parameter.where("created_before", moment, (record, value) => createdAt(record) < value)
]
