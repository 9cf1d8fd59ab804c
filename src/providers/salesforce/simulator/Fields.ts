import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { refused, type Settled } from "../../simulation/table/Complaint.ts"
import type { Field as TableField, Kind, Rule } from "../../simulation/table/Kind.ts"
import { me, nextId, prefixes, stampOf } from "./Ids.ts"
import { codesOf, inStep } from "./Places.ts"
import { isOn, type Setting } from "./Settings.ts"
import { type FieldType, type Spec, types } from "./Values.ts"

/** A field of an object: its description, and the checks of a write. */
export type Field = TableField & Spec & { readonly type: FieldType }

/** A kind of record: its table of fields and what happens besides. */
export interface SObject extends Kind {
  readonly label: string
  readonly plural: string
  /** First three characters of its ids. */
  readonly prefix: string
  readonly can: { readonly create: boolean; readonly update: boolean; readonly delete: boolean }
  readonly fields: ReadonlyArray<Field>
  readonly nextId: (org: Account) => string
  /** Runs once a record is kept; `make` makes another record. */
  readonly follows?: (write: Kept, make: (object: string, values: Doc) => void) => void
  /** Another object that shows the same records. */
  readonly twin?: string
  /** Fields, one of which a query must name with `=` or `IN`. */
  readonly filteredBy?: ReadonlyArray<string>
}

/** A record that was written; `before` is how it was, absent when it is new. */
export interface Kept {
  readonly doc: Doc
  readonly before: Doc | undefined
  readonly org: Account
}

type More = Partial<Field>

/** Labels follow the names of standard fields: `AccountId` is `Account ID`. */
const labelOf = (code: string): string =>
  code
    .replace(/__c$/, "")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/\bId\b/g, "ID")

const field = (code: string, type: FieldType, more: More = {}): Field => {
  const spec = { code, type, nillable: true, ...more }
  return {
    name: labelOf(code),
    value: types[type][1](spec),
    initial: null,
    writes: "always",
    // a record may be given without a value, and is then refused as a whole
    isNullable: type !== "boolean" && code !== "OwnerId",
    isRequired: !spec.nillable && type !== "boolean",
    ...spec
  }
}

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

export const required = (one: Field): Field => ({ ...one, nillable: false, isRequired: true })
export const fixed = ({ writes: _, ...one }: Field): Field => one
export const onCreate = (one: Field): Field => ({ ...one, writes: "create" })
export const computed = (one: Field, compute: (doc: Doc, org: Account) => unknown): Field => ({
  ...fixed(one),
  isRequired: false,
  compute: (org, doc) => compute(doc, org)
})

export const onlyWith = (setting: Setting, one: Field): Field => ({ ...one, onlyWith: setting })

/** Whether an organisation has a field. */
export const isHeldBy = (org: Account, { onlyWith: setting }: Field): boolean =>
  setting === undefined || isOn(org, setting)

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
    picklist(part("GeocodeAccuracy"), ["Address", "NearAddress", "Block", "Street", "City"], { partOf }),
    onlyWith("address picklists", picklist(part("StateCode"), [], { partOf, length: 10 })),
    onlyWith("address picklists", picklist(part("CountryCode"), [], { partOf, length: 10 }))
  ]
  const compound = computed(field(partOf, "address"), (doc, org) => {
    const at = (name: string) => doc[part(name)] ?? null
    return parts.every(({ code }) => (doc[code] ?? null) === null)
      ? null
      : {
          city: at("City"),
          country: at("Country"),
          geocodeAccuracy: at("GeocodeAccuracy"),
          latitude: at("Latitude"),
          longitude: at("Longitude"),
          postalCode: at("PostalCode"),
          state: at("State"),
          street: at("Street"),
          ...codesOf(org, doc, prefix)
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

const id = fixed(field("Id", "id", { length: 18, nillable: false }))
export const owner = reference("OwnerId", ["User"], { nillable: false })
export const deletion = fixed(flag("IsDeleted"))
export const stamps: ReadonlyArray<Field> = [
  fixed(required(datetime("CreatedDate"))),
  fixed(required(reference("CreatedById", ["User"], { relation: "CreatedBy" }))),
  fixed(required(datetime("LastModifiedDate"))),
  fixed(required(reference("LastModifiedById", ["User"], { relation: "LastModifiedBy" }))),
  fixed(required(datetime("SystemModstamp")))
]
/** When the user of the session last viewed a record, which nobody does here. */
export const views = [fixed(datetime("LastViewedDate")), fixed(datetime("LastReferencedDate"))]

// Objects

/** Gives fields the object's spelling, whatever the body's; empty text is no value. */
const accepted = (fields: ReadonlyArray<Field>) => {
  const codes = new Map(fields.map(({ code }) => [code.toLowerCase(), code]))
  return ({ attributes: _, ...body }: Doc): Doc =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [codes.get(name.toLowerCase()) ?? name, value === "" ? null : value])
    )
}

/** A new record has its initial values where a body has none. */
const begins =
  (fields: ReadonlyArray<Field>): Rule =>
  ({ after, before, given }) =>
    Either.right({
      ...after,
      ...Object.fromEntries(
        fields.flatMap(({ code, initial }) => (before === undefined && given[code] === null ? [[code, initial]] : []))
      )
    })

const prefixesOf = (fields: ReadonlyArray<Field>) =>
  fields.flatMap(({ code }) => /^(\w*)CountryCode$/.exec(code)?.slice(1) ?? [])

const every = { create: true, update: true, delete: true }
export const nothing = { create: false, update: false, delete: false }

export const sObject = (own: Pick<SObject, "name" | "fields"> & Partial<SObject>): SObject => {
  const fields = [id, ...own.fields]
  const prefix = prefixes.get(own.name) ?? ""
  const isOwned = own.fields.some(({ code }) => code === "OwnerId")
  const changed = (org: Account) => ({
    LastModifiedDate: stampOf(org.now),
    LastModifiedById: me(org),
    SystemModstamp: stampOf(org.now)
  })
  return {
    label: labelOf(own.name),
    plural: `${labelOf(own.name)}s`,
    prefix,
    can: every,
    id: "Id",
    sorts: [],
    nextId: (org) => nextId(org, prefix),
    accepts: accepted(fields),
    made: (org) => ({
      ...(isOwned ? { OwnerId: me(org) } : {}),
      CreatedDate: stampOf(org.now),
      CreatedById: me(org),
      ...changed(org),
      IsDeleted: false
    }),
    stamps: changed,
    isGone: ({ IsDeleted }) => IsDeleted === true,
    ...own,
    fields,
    rules: [begins(fields), inStep(prefixesOf(fields)), ...(own.rules ?? [])]
  }
}

/** The values of a status, as records that nobody writes; `meaning` is a flag of some of them. */
export const statusList = (name: string, plural: string, meaning: string) =>
  sObject({
    name,
    plural,
    can: nothing,
    fields: [
      text("MasterLabel"),
      text("ApiName"),
      number("SortOrder", "int"),
      flag("IsDefault"),
      flag(meaning),
      ...stamps
    ].map(fixed)
  })

/** Refuses a record without a value. */
export const lacks = (path: string): Settled<never> => Either.left([{ path, complaint: { is: "required" } }])

/** Refuses values that do not fit. */
export const unfit = (words: string, path: string, ...others: ReadonlyArray<string>) =>
  refused(words, path, { code: "FIELD_INTEGRITY_EXCEPTION", others })
