import type { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Fault } from "./Faults.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm */
export type FieldType =
  | "id"
  | "string"
  | "textarea"
  | "picklist"
  | "combobox"
  | "boolean"
  | "int"
  | "double"
  | "currency"
  | "percent"
  | "date"
  | "datetime"
  | "reference"
  | "email"
  | "phone"
  | "url"
  | "address"
  | "base64"

/** A field of an object: what a description says of it, and what is checked when it is written. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  /** Characters of text. */
  readonly length?: number
  readonly nillable: boolean
  readonly createable: boolean
  readonly updateable: boolean
  /** Put in when a record is made without it. */
  readonly initial?: unknown
  readonly values?: ReadonlyArray<string>
  /** Takes only its `values`. */
  readonly restricted?: boolean
  /** Objects a reference may lead to; more than one makes it polymorphic. */
  readonly to?: ReadonlyArray<string>
  /** Name of the relation a reference makes, such as `Account` of `AccountId`. */
  readonly relation?: string
  /** Name of the relation back, such as `Contacts`. */
  readonly children?: string
  /** Deleted together with what it leads to. */
  readonly cascade?: boolean
  /** Unique, and finds records for upserts. */
  readonly externalId?: boolean
  /** Worked out when it is read. */
  readonly compute?: (doc: Doc, account: Account) => unknown
  /** The compound field it is a part of. */
  readonly partOf?: string
}

/** A kind of record: its table of fields and what happens besides. */
export interface SObject {
  readonly name: string
  readonly plural: string
  /** First three characters of its ids. */
  readonly prefix: string
  readonly can: { readonly create: boolean; readonly update: boolean; readonly delete: boolean }
  readonly fields: ReadonlyArray<Field>
  /** Completes a record before it is kept, or refuses it. `given` are the fields of the request. */
  readonly prepare?: (write: Write & { readonly given: ReadonlySet<string> }) => Either.Either<Doc, Fault>
  /** What follows once it is kept; `make` makes another record. */
  readonly follows?: (write: Write, make: (object: string, values: Doc) => void) => void
  /** Another object that shows the same records. */
  readonly twin?: string
  /** Fields of which a query must name one with `=` or `IN`. */
  readonly filteredBy?: ReadonlyArray<string>
}

/** A record being written; `before` is how it was, absent when it is new. */
export interface Write {
  readonly doc: Doc
  readonly before: Doc | undefined
  readonly org: Account
}

type More = Partial<Field>

const field = (name: string, type: FieldType, more: More = {}): Field => ({
  name,
  type,
  nillable: true,
  createable: true,
  updateable: true,
  ...more
})

export const text = (name: string, length = 255, more?: More) => field(name, "string", { length, ...more })
export const area = (name: string, length = 32000, more?: More) => field(name, "textarea", { length, ...more })
export const phone = (name: string) => field(name, "phone", { length: 40 })
export const email = (name: string, more?: More) => field(name, "email", { length: 80, ...more })
export const url = (name: string) => field(name, "url", { length: 255 })
export const flag = (name: string, initial = false, more?: More) =>
  field(name, "boolean", { nillable: false, initial, ...more })
export const number = (name: string, type: "int" | "double" | "currency" | "percent" = "double", more?: More) =>
  field(name, type, more)
export const date = (name: string, more?: More) => field(name, "date", more)
export const datetime = (name: string, more?: More) => field(name, "datetime", more)
export const base64 = (name: string) => field(name, "base64")
export const picklist = (name: string, values: ReadonlyArray<string>, more?: More) =>
  field(name, "picklist", { length: 255, values, ...more })
export const combobox = (name: string, values: ReadonlyArray<string>) =>
  field(name, "combobox", { length: 255, values })
export const reference = (name: string, to: ReadonlyArray<string>, more?: More) =>
  field(name, "reference", { length: 18, to, relation: name.replace(/Id$/, ""), ...more })

export const required = (one: Field): Field => ({ ...one, nillable: false })
export const fixed = (one: Field): Field => ({ ...one, createable: false, updateable: false })
export const onCreate = (one: Field): Field => ({ ...one, updateable: false })
export const computed = (one: Field, compute: NonNullable<Field["compute"]>): Field => ({ ...fixed(one), compute })

/** `Street` to `Country` under a prefix, and the compound field they make. */
export const address = (prefix: string): ReadonlyArray<Field> => {
  const partOf = `${prefix}Address`
  const part = (of: string) => `${prefix}${of}`
  const parts = [
    area(part("Street"), 255, { partOf }),
    text(part("City"), 40, { partOf }),
    text(part("State"), 80, { partOf }),
    text(part("PostalCode"), 20, { partOf }),
    text(part("Country"), 80, { partOf }),
    number(part("Latitude"), "double", { partOf }),
    number(part("Longitude"), "double", { partOf }),
    picklist(part("GeocodeAccuracy"), ["Address", "NearAddress", "Block", "Street", "City"], { partOf })
  ]
  const compound = computed(field(partOf, "address"), (doc) => {
    const at = (name: string) => doc[part(name)] ?? null
    return parts.every(({ name }) => (doc[name] ?? null) === null)
      ? null
      : {
          city: at("City"),
          country: at("Country"),
          geocodeAccuracy: at("GeocodeAccuracy"),
          latitude: at("Latitude"),
          longitude: at("Longitude"),
          postalCode: at("PostalCode"),
          state: at("State"),
          street: at("Street")
        }
  })
  return [...parts, compound]
}

/** Name parts of a person, and the name they make. */
export const personName: ReadonlyArray<Field> = [
  required(text("LastName", 80)),
  text("FirstName", 40),
  picklist("Salutation", ["Mr.", "Ms.", "Mrs.", "Dr.", "Prof.", "Mx."]),
  computed(text("Name", 121, { nillable: false }), (doc) => [doc.FirstName, doc.LastName].filter(Boolean).join(" "))
]

export const id = field("Id", "id", { length: 18, nillable: false, createable: false, updateable: false })
export const deletion = fixed(flag("IsDeleted"))
export const stamps: ReadonlyArray<Field> = [
  fixed(required(datetime("CreatedDate"))),
  fixed(required(reference("CreatedById", ["User"], { relation: "CreatedBy" }))),
  fixed(required(datetime("LastModifiedDate"))),
  fixed(required(reference("LastModifiedById", ["User"], { relation: "LastModifiedBy" }))),
  fixed(required(datetime("SystemModstamp")))
]
/** When the user of the session looked at it, which no one does here. */
export const views = [fixed(datetime("LastViewedDate")), fixed(datetime("LastReferencedDate"))]

/** As labels of standard fields are made: `AccountId` is `Account ID`. */
export const labelOf = ({ name }: Field): string =>
  name
    .replace(/__c$/, "")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/\bId\b/g, "ID")

/** The same moment as Salesforce writes it, in whole seconds. */
export const stampOf = (milliseconds: number): string =>
  new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace("Z", "+0000")
