import type { Doc } from "../../simulation/Account.ts"
import * as V from "../../simulation/table/Value.ts"
import type { Value } from "../../simulation/table/Value.ts"
import { timeOf } from "./Answers.ts"
import { currencies, type Option, users } from "./Settings.ts"

// Types of fields: https://pipedrive.readme.io/docs/core-api-concepts-custom-fields#types-of-custom-fields

export const text = (most = 255, as = "varchar"): Value => V.text(as, { most })

export const name = V.text("varchar", { filled: true, most: 255 })

export const number = (least = -Infinity, most = Infinity, as = "double"): Value => V.number(as, { least, most })

export const integer = (least = -Infinity, as = "int"): Value => V.number(as, { least, whole: true })

export const flag = V.flag("boolean")

export const date = V.day("date")

/** RFC 3339, or the form of API v1, which some fields are described with. */
export const datetime = V.formed("date", "datetime", (value) => timeOf(value.replace(/^(\S{10}) (\S{8})$/, "$1T$2Z")))

/** A time of day or a duration, kept with its seconds. */
export const clock = (mostHours = 23): Value =>
  V.formed("time", "datetime", (value) => {
    const [, hours = "", minutes = "", seconds = "00"] = /^(\d{2,3}):([0-5]\d)(?::([0-5]\d))?$/.exec(value) ?? []
    return hours !== "" && Number(hours) <= mostHours ? `${hours}:${minutes}:${seconds}` : undefined
  })

/** One of the account's users who may own records. */
export const owner = V.known(
  "user",
  "number",
  (found) => users.some(({ id, isActive }) => isActive && String(id) === found),
  { is: "own", words: "is not an active user of the company" }
)

const isDeleted = ({ is_deleted }: Doc) => is_deleted === true

/** Another record, by its id. */
export const reference = (to: string, as: string, id: "number" | "string" = "number"): Value =>
  V.link(as, to, id, isDeleted)

export const option = (options: ReadonlyArray<Option>): Value => V.option("enum", options)

/** Several options, by their ids; a custom field of this kind is cleared with null. */
export const optionSet = (options: ReadonlyArray<Option>, mayBeEmpty = false): Value =>
  V.options("set", options, mayBeEmpty ? 0 : 1)

export const currency = V.choice(
  "varchar",
  currencies.map(({ code }) => code)
)

export const monetary = V.object("monetary", { value: number(), currency }, ["value", "currency"])

/** Only `value` is needed: https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide */
export const address = V.object(
  "address",
  Object.fromEntries(
    [
      "value",
      "street_number",
      "route",
      "subpremise",
      "sublocality",
      "locality",
      "admin_area_level_1",
      "admin_area_level_2",
      "country",
      "postal_code",
      "formatted_address"
    ].map((part) => [part, text()])
  ),
  ["value"]
)

const zone = { timezone_id: integer(1), timezone_name: text() }

export const dateRange = V.object("daterange", { value: date, until: date }, ["value", "until"])

export const time = V.object("time", { value: clock(), ...zone }, ["value"])

export const timeRange = V.object("timerange", { value: clock(), until: clock(), ...zone }, ["value", "until"])

/** Email addresses, phone numbers and messengers of a person. */
export const contactPoints = (as: string): Value =>
  V.listWithPrimary(as, V.object(as, { value: text(), primary: flag, label: text() }, ["value"], { label: "work" }))

export const participants = V.listWithPrimary(
  "people",
  V.object("people", { person_id: reference("persons", "people"), primary: flag }, ["person_id"])
)

export const attendees = V.list(
  "json",
  V.object(
    "json",
    {
      email: text(),
      name: text(),
      status: text(),
      is_organizer: flag,
      person_id: reference("persons", "people"),
      user_id: owner
    },
    ["email"]
  )
)
