import { Either } from "effect"
import type { Complaint } from "../../simulation/table/Complaint.ts"
import * as V from "../../simulation/table/Value.ts"
import { idOf, prefixes, stampOf } from "./Ids.ts"
import type { Setting } from "./Settings.ts"

/** The description of a field, besides its name. */
export interface Spec {
  readonly code: string
  readonly type: string
  /** Characters of text. */
  readonly length?: number
  readonly nillable: boolean
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
  /** The setting without which an organisation does not have it. */
  readonly onlyWith?: Setting
  /** The compound field it is a part of. */
  readonly partOf?: string
}

type Value = V.Value

const bad = (complaint: Complaint): Either.Either<never, Complaint> => Either.left(complaint)

const text = ({ length = Infinity, restricted, type, values = [] }: Spec, shape = /^/): Value => {
  const { as, check } = V.text(type, { most: length, shape })
  const { check: choose } = V.choice(type, values)
  return {
    as,
    check: (value, org) =>
      Either.flatMap(check(typeof value === "number" ? String(value) : value, org), (found) =>
        restricted === true ? choose(found, org) : Either.right(found)
      )
  }
}

/** Numbers come as text, too. */
const number = (type: "int" | "double"): Value => ({
  as: type,
  check: (value) => {
    const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    return typeof found === "number" && Number.isFinite(found) && (type === "double" || Number.isInteger(found))
      ? Either.right(found)
      : bad({ is: "type", type })
  }
})

const instantShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/

const instant = (value: string) => {
  const at = Date.parse(value.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"))
  return instantShape.test(value) && !Number.isNaN(at) ? stampOf(at) : undefined
}

/** A record that is not in the recycle bin; an owner is active besides. */
const reference = ({ code, to = [] }: Spec): Value => ({
  as: "reference",
  links: to,
  check: (value, org) => {
    const id = typeof value === "string" ? idOf(value) : undefined
    const target = to.find((name) => id?.startsWith(prefixes.get(name) ?? " ") === true)
    if (id === undefined || target === undefined) return bad({ is: "form", form: "id" })
    const doc = org.get(target, id)
    if (doc === undefined) return bad({ is: "absent" })
    if (doc.IsDeleted === true) return bad({ is: "own", words: "entity is deleted" })
    return code === "OwnerId" && doc.IsActive === false ? bad({ is: "unknown", value: id }) : Either.right(id)
  }
})

/**
 * Types of fields: what queries compare them with, and what they take.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm
 */
export const types = {
  id: ["id", text],
  string: ["string", text],
  textarea: ["string", text],
  picklist: ["string", text],
  combobox: ["string", text],
  boolean: ["boolean", () => V.flag("boolean")],
  int: ["double", () => number("int")],
  double: ["double", () => number("double")],
  currency: ["double", () => number("double")],
  percent: ["double", () => number("double")],
  date: ["date", () => V.day("date")],
  datetime: ["dateTime", () => V.formed("datetime", "datetime", instant)],
  reference: ["id", reference],
  email: ["string", (spec: Spec) => text(spec, /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;.]+$/)],
  phone: ["string", text],
  url: ["string", text],
  address: ["string", text],
  base64: [
    "string",
    () => V.formed("base64", "base64Binary", (value) => (/^[A-Za-z0-9+/]*={0,2}$/.test(value) ? value : undefined))
  ]
} as const satisfies { readonly [type: string]: readonly [criterion: string, value: (spec: Spec) => Value] }

export type FieldType = keyof typeof types
