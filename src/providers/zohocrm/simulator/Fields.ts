import { Predicate } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import type { Field as TableField, Kind } from "../../simulation/table/Kind.ts"
import { me, nextId, stampOf } from "./Stamps.ts"
import { type FieldType, type Spec, types } from "./Values.ts"

export type Field = TableField & Spec & { readonly type: FieldType }

/** A module: its table of fields and what happens besides. */
export interface Module extends Kind {
  readonly singular: string
  readonly fields: ReadonlyArray<Field>
  /** The field that names its records. */
  readonly named: string
  /** Records in one request; 100 when absent. */
  readonly batch?: number
}

type More = Partial<Field>

/** Types whose values null does not clear. */
const lasting: ReadonlyArray<FieldType> = ["boolean", "ownerlookup", "participants", "tags"]

const make =
  (type: FieldType) =>
  (code: string, more: More = {}): Field => {
    const [length, valueOf] = types[type]
    const spec = { code, type, length, ...more }
    return {
      name: code.replace(/__s$/, "").replaceAll("_", " "),
      value: valueOf(spec),
      initial: null,
      writes: "always",
      isNullable: !lasting.includes(type),
      ...spec
    }
  }

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

export const required = (one: Field): Field => ({ ...one, isRequired: true, isNullable: false })
/** Left as it is when a write names it. */
export const fixed = ({ writes: _, ...one }: Field): Field => one
export const computed = (one: Field, compute: (doc: Doc) => unknown): Field => ({
  ...fixed(one),
  compute: (_, doc) => compute(doc)
})

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
  computed(text("Full_Name", 120), (doc) => [doc.Salutation, doc.First_Name, doc.Last_Name].filter(Boolean).join(" "))
]

/** Fields of every module, at the end. */
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

/** A body as the fields take it: empty text is no value, and keys of the system are left as they are. */
const accepted =
  (fields: ReadonlyArray<Field>) =>
  (body: Doc): Doc => {
    const known = new Map(fields.map((field) => [field.code, field]))
    return Object.fromEntries(
      Object.entries(body).flatMap(([code, given]) => {
        const field = known.get(code)
        if (code === "id" || code === "Layout" || code.startsWith("$")) return []
        if (field !== undefined && field.writes === undefined) return []
        const value = given === "" ? null : given
        const beside = field?.beside
        return [[code, value === null || beside === undefined ? value : [value, body[beside]]]]
      })
    )
  }

export const module = (own: Pick<Module, "name" | "singular" | "named" | "fields"> & Partial<Module>): Module => {
  const has = (name: string) => own.fields.some(({ code }) => code === name)
  const fields = has("Owner") ? own.fields : [...own.fields, ...system]
  const seesActivity = has("Last_Activity_Time")
  return {
    sorts: [],
    nextId,
    accepts: accepted(fields),
    made: (org) => ({ Owner: me(org), Created_Time: stampOf(org.now), Created_By: me(org) }),
    stamps: (org) => ({
      Modified_Time: stampOf(org.now),
      Modified_By: me(org),
      ...(seesActivity ? { Last_Activity_Time: stampOf(org.now) } : {})
    }),
    ...own,
    fields
  }
}

/** Refuses the change of a member. */
export const notAllowed = (path: string, words: string) => refused(words, path, { code: "NOT_ALLOWED" })

/** Refuses a member that does not fit another one. */
export const mismatch = (path: string, other: string, words: string) =>
  refused(words, path, { code: "DEPENDENT_MISMATCH", others: [other] })

/** The id in a reference as it is kept. */
export const idOf = (value: unknown) => (Predicate.hasProperty(value, "id") ? value.id : undefined)
