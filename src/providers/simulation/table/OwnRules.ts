import { Predicate } from "effect"
import type { Account, Doc } from "../Account.ts"
import type { Problem } from "./Complaint.ts"

// Rules that a customer adds to an account, beside those of the provider. An account has none until a test sets them.

/** A pattern that the text of a field must match, with the refusal in the customer's words. */
export interface OwnPattern {
  readonly pattern: string
  readonly words: string
  /** The provider's code of such a refusal, where it has one. */
  readonly code?: string
}

/** Rules for one kind of record. Fields are named by their paths: `Tier`, `custom_fields.<key>`. */
export interface OwnRules {
  readonly required?: ReadonlyArray<string>
  readonly patterns?: { readonly [path: string]: OwnPattern }
}

const type = "own rules"

/** Sets the rules of an account for a kind of record, in place of those it had. */
export const setOwnRules = (account: Account, kind: string, rules: OwnRules): void =>
  account.put(type, kind, { ...rules })

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** A value at the top of a record, or in one of its bags. Keys may have dots. */
const valueAt = (record: Doc, path: string): unknown => {
  if (path in record) return record[path]
  const [bag = "", ...rest] = path.split(".")
  const held = record[bag]
  return rest.length > 0 && Predicate.isRecord(held) ? held[rest.join(".")] : undefined
}

const isPattern = (value: unknown): value is OwnPattern =>
  Predicate.isRecord(value) && typeof value.pattern === "string" && typeof value.words === "string"

const requiredIn = (rules: Doc): ReadonlyArray<string> =>
  Array.isArray(rules.required) ? rules.required.filter(Predicate.isString) : []

/** Whether the account requires a field. */
export const isOwnRequired = (account: Account, kind: string, path: string): boolean =>
  requiredIn(account.get(type, kind) ?? {}).includes(path)

/** Problems of a record with the rules of its account. */
export const ownProblems = (account: Account, kind: string, record: Doc): ReadonlyArray<Problem> => {
  const rules = account.get(type, kind)
  if (rules === undefined) return []
  const missing = requiredIn(rules)
    .filter((path) => isEmpty(valueAt(record, path)))
    .map((path): Problem => ({ path, complaint: { is: "required" } }))
  if (missing.length > 0) return missing
  const patterns = Predicate.isRecord(rules.patterns) ? Object.entries(rules.patterns) : []
  return patterns.flatMap(([path, rule]): ReadonlyArray<Problem> => {
    const given = valueAt(record, path)
    if (!isPattern(rule) || isEmpty(given) || new RegExp(rule.pattern).test(String(given))) return []
    const { code, words } = rule
    return [{ path, given, complaint: { is: "refused", words, ...(code === undefined ? {} : { code }) } }]
  })
}
