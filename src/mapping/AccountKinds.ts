import type { Entries } from "./Entries.ts"
import { type ComputedEntry, getPath } from "./Mapping.ts"

/** A ledger account's kind in its three canonical views. */
export interface AccountKind {
  readonly classification: string | null
  readonly type: string | null
  readonly account_type: string | null
}

export const accountKind = (
  classification: AccountKind["classification"],
  type: AccountKind["type"],
  account_type: AccountKind["account_type"]
): AccountKind => ({
  classification,
  type,
  account_type
})

/** A credit card is a liability, whichever side a provider has it on. */
const sides: ReadonlyArray<unknown> = ["ASSET", "LIABILITY"]

const isOwed = (kind: AccountKind | undefined) => kind?.account_type === "CREDIT_CARD"

/** The wider type of a type, for providers that lack it. */
const wider: { readonly [type: string]: string } = {
  OTHER_EXPENSE: "EXPENSE",
  OTHER_INCOME: "INCOME",
  COST_OF_GOODS_SOLD: "EXPENSE"
}

/** The first kind with a value, or with the wider value if there is none. */
const nearestOf = <K extends readonly [unknown, AccountKind]>(
  kinds: ReadonlyArray<K>,
  canonical: keyof AccountKind,
  value: unknown
): readonly [value: unknown, kind: K | undefined] => {
  const withValue = (wanted: unknown) => kinds.find(([, one]) => one[canonical] === wanted)
  const found = withValue(value)
  const more = canonical === "type" && found === undefined ? wider[String(value)] : undefined
  return more === undefined ? [value, found] : [more, withValue(more)]
}

interface Options<Is> {
  /** Native types with their kinds; where only `type` is given, the first one of that type is written. */
  readonly kinds: ReadonlyArray<readonly [is: Is, kind: AccountKind]>
  /** Native fields that determine the kind. */
  readonly native: ReadonlyArray<string>
  /** The kind that the native fields state. */
  readonly kindOf: (get: (native: string) => unknown) => AccountKind | undefined
  readonly write: (is: Is, set: (native: string, value: unknown) => void) => void
  /** An account keeps the kind it was created with. */
  readonly isFixed?: true
}

/**
 * The three views of an account's kind. A given view picks the native type, unless the account already is of that kind; a
 * view that contradicts it is refused. A kind that the provider lacks is stored as the wider one. An account always has a
 * kind, so leaving it out changes nothing.
 */
export const accountKinds =
  <Is>({ isFixed, kindOf, kinds, native, write }: Options<Is>) =>
  (of: Pick<Entries<keyof AccountKind>, "computed">): ReadonlyArray<ComputedEntry<keyof AccountKind>> => {
    const view = (canonical: keyof AccountKind) =>
      of.computed({
        canonical,
        native,
        needsCurrent: true,
        decode: ({ record }) => kindOf((path) => getPath(record, path))?.[canonical] ?? null,
        encode: (value, { body, current, get, prefix, refuse, set, warn }) => {
          if (value === null) return
          const path = prefix + canonical
          const present = kindOf(get)
          if (present?.[canonical] === value) return
          if (isFixed === true && current !== undefined) {
            warn(path, "CHANGED", `stays ${String(present?.[canonical] ?? null)}: an account stays of its kind`)
            return
          }
          const isKnown = kinds.some(([, one]) => one.account_type === body.account_type)
          const isDecided = canonical !== "account_type" && typeof body.account_type === "string" && isKnown
          if (canonical === "classification" || isDecided) {
            const held = present?.[canonical] ?? null
            if (held === null) return
            if (isOwed(present) && sides.includes(value)) warn(path, "CHANGED", `is held as ${held}`)
            else refuse(path, `is ${held} for this account type`)
            return
          }
          const [near, picked] = nearestOf(kinds, canonical, value)
          if (picked === undefined) {
            if (canonical === "account_type" && (present !== undefined || typeof body.type === "string"))
              warn(path, "NOT_HELD", "is not a kind of account that can be held here; type decides")
            else if (canonical === "account_type")
              refuse(path, "is not a kind of account that can be held here; send type")
            else refuse(path, "is not a kind of account that can be held here")
            return
          }
          if (near !== value) warn(path, "CHANGED", `is held as ${String(near)}`)
          write(picked[0], set)
        }
      })
    return [view("account_type"), view("type"), view("classification")]
  }
