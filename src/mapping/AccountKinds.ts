import type { Entries } from "./Entries.ts"
import { type ComputedEntry, getPath } from "./Mapping.ts"

/** What a native type of a ledger account is in the three canonical views of it. */
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

interface Options<Is> {
  /** Native types with what they are; where only `type` is given, the first one of that type is written. */
  readonly kinds: ReadonlyArray<readonly [is: Is, kind: AccountKind]>
  /** Native fields that tell the kind. */
  readonly native: ReadonlyArray<string>
  /** The kind that native fields tell. */
  readonly kindOf: (get: (native: string) => unknown) => AccountKind | undefined
  readonly write: (is: Is, set: (native: string, value: unknown) => void) => void
}

/**
 * The three views of an account's kind. What is given picks the native type, unless the account already is of that kind;
 * one that contradicts what was picked is refused. An account is always of some kind, so leaving it out changes nothing.
 */
export const accountKinds =
  <Is>({ kindOf, kinds, native, write }: Options<Is>) =>
  (of: Pick<Entries<keyof AccountKind>, "computed">): ReadonlyArray<ComputedEntry> => {
    const view = (canonical: keyof AccountKind) =>
      of.computed({
        canonical,
        native,
        needsCurrent: true,
        decode: ({ record }) => kindOf((path) => getPath(record, path))?.[canonical] ?? null,
        encode: (value, { body, get, prefix, refuse, set }) => {
          if (value === null) return
          const present = kindOf(get)
          if (present?.[canonical] === value) return
          const isDecided = canonical !== "account_type" && typeof body.account_type === "string"
          const picked = kinds.find(([, one]) => one[canonical] === value)
          if (canonical === "classification" || isDecided) {
            if (present !== undefined && present[canonical] !== null) {
              refuse(prefix + canonical, `is ${present[canonical]} for this account type`)
            }
          } else if (picked === undefined) refuse(prefix + canonical, "is no kind of account here")
          else write(picked[0], set)
        }
      })
    return [view("account_type"), view("type"), view("classification")]
  }
