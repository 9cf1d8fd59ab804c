import type { Account, Doc } from "../../simulation/Account.ts"
import type { Checked } from "./Answers.ts"

/** https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html (`data_type`) */
export type FieldType =
  | "text"
  | "textarea"
  | "email"
  | "phone"
  | "website"
  | "picklist"
  | "multiselectpicklist"
  | "integer"
  | "bigint"
  | "double"
  | "currency"
  | "boolean"
  | "date"
  | "datetime"
  | "lookup"
  | "multi_module_lookup"
  | "ownerlookup"
  | "multiuserlookup"
  | "participants"
  | "tags"

/** A field of a module: what its metadata say, and what is checked when it is written. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  /** Characters of text, digits of numbers. */
  readonly length: number
  /** Cannot be empty. */
  readonly mandatory?: true
  /** Left as it is when a write names it. */
  readonly readOnly?: true
  readonly values?: ReadonlyArray<string>
  /** Takes only its values; other pick lists take any text. */
  readonly closed?: true
  /** Modules a lookup leads to. */
  readonly to?: ReadonlyArray<string>
  /** The key beside the lookup that names its module, where the lookup itself does not. */
  readonly beside?: string
  readonly unique?: true
  readonly custom?: true
  /** Put in when a record is made without it. */
  readonly initial?: unknown
  /** Worked out when it is read. */
  readonly compute?: (doc: Doc, org: Account) => unknown
}

/** A record being written; `before` is how it was, absent when it is new. */
export interface Write {
  readonly doc: Doc
  readonly before: Doc | undefined
  /** Place in the request. */
  readonly row: number
  readonly org: Account
}

/** A module: its table of fields and what happens besides. */
export interface Module {
  readonly name: string
  readonly singular: string
  readonly fields: ReadonlyArray<Field>
  /** The field that names its records. */
  readonly named: string
  /** Records in one request; 100 when absent. */
  readonly batch?: number
  /** Completes a record before it is kept, or refuses it. */
  readonly prepare?: (write: Write) => Checked<Doc>
}

type More = Partial<Field>

const lengths: { readonly [type in FieldType]: number } = {
  text: 255,
  textarea: 32_000,
  email: 100,
  phone: 30,
  website: 450,
  picklist: 120,
  multiselectpicklist: 255,
  integer: 9,
  bigint: 18,
  double: 16,
  currency: 16,
  boolean: 5,
  date: 20,
  datetime: 120,
  lookup: 120,
  multi_module_lookup: 120,
  ownerlookup: 120,
  multiuserlookup: 4000,
  participants: 4000,
  tags: 2000
}

const make =
  (type: FieldType) =>
  (name: string, more: More = {}): Field => ({
    name,
    label: name.replace(/__s$/, "").replaceAll("_", " "),
    type,
    length: lengths[type],
    ...more
  })

export const text = (name: string, length = 255, more: More = {}) => make("text")(name, { length, ...more })
export const area = (name: string, length = 32_000, more: More = {}) => make("textarea")(name, { length, ...more })
export const email = make("email")
export const phone = make("phone")
export const website = make("website")
export const integer = make("integer")
export const bigint = make("bigint")
export const double = make("double")
export const currency = make("currency")
export const flag = (name: string, more: More = {}) => make("boolean")(name, { initial: false, ...more })
export const date = make("date")
export const datetime = make("datetime")
export const owner = make("ownerlookup")
export const owners = make("multiuserlookup")
export const participants = make("participants")
export const tags = make("tags")
export const pick = (name: string, values: ReadonlyArray<string>, more: More = {}) =>
  make("picklist")(name, { values, ...more })
export const multi = (name: string, values: ReadonlyArray<string>, more: More = {}) =>
  make("multiselectpicklist")(name, { values, ...more })
export const lookup = (name: string, to: string, more: More = {}) => make("lookup")(name, { to: [to], ...more })
export const anyOf = (name: string, to: ReadonlyArray<string>, more: More = {}) =>
  make("multi_module_lookup")(name, { to, ...more })

/** A lookup whose module stands beside it. */
export const what = (to: ReadonlyArray<string>) => make("lookup")("What_Id", { to, beside: "$se_module" })

export const required = (one: Field): Field => ({ ...one, mandatory: true })
export const fixed = (one: Field): Field => ({ ...one, readOnly: true })
export const computed = (one: Field, compute: NonNullable<Field["compute"]>): Field => ({ ...fixed(one), compute })

/** `Street` to `Country` under a prefix; accounts call the postal code otherwise than people do. */
export const address = (prefix: string, postal: "Zip" | "Code" | "Zip_Code"): ReadonlyArray<Field> => [
  text(`${prefix}Street`, 250),
  text(`${prefix}City`, 100),
  text(`${prefix}State`, 100),
  text(`${prefix}${postal}`, 30),
  text(`${prefix}Country`, 100)
]

/** First and last name, and the name they make. */
export const personName: ReadonlyArray<Field> = [
  pick("Salutation", ["Mr.", "Mrs.", "Ms.", "Dr.", "Prof."]),
  text("First_Name", 40),
  required(text("Last_Name", 80)),
  computed(text("Full_Name", 120), (doc) => [doc.First_Name, doc.Last_Name].filter(Boolean).join(" "))
]

/** What every module has. */
export const system: ReadonlyArray<Field> = [
  owner("Owner"),
  fixed(datetime("Created_Time")),
  fixed(owner("Created_By")),
  fixed(datetime("Modified_Time")),
  fixed(owner("Modified_By")),
  fixed(pick("Record_Status__s", ["Trash", "Available", "Draft"], { initial: "Available" }))
]

export const withTags: ReadonlyArray<Field> = [
  tags("Tag", { initial: [] }),
  fixed(flag("Locked__s")),
  fixed(datetime("Last_Activity_Time"))
]

const zone = "+05:30"
const offset = 5.5 * 3_600_000

/** A moment in the time zone of the organisation, as Zoho writes it: `2024-01-31T10:00:00+05:30`. */
export const stampOf = (milliseconds: number): string =>
  `${new Date(milliseconds + offset).toISOString().slice(0, 19)}${zone}`
