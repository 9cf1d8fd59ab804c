import { getPath, natives, type Native } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../base/Errors.ts"
import {
  Clash,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  ProviderError,
  type Reason,
  Stale,
  Unauthenticated
} from "../ProviderError.ts"

/**
 * Reads NetSuite's errors: `{title, status, "o:errorDetails": [{detail, "o:errorCode", "o:errorPath"}]}`.
 * Most refusals of a value have status 400, so the code decides.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156570709583.html
 */

/** Seconds to wait where NetSuite gives no time, for calls in flight to end and free their places. */
const cooldown = 1

const textOf = (error: Native, name: string): string => {
  const text = error[name]
  return typeof text === "string" ? text : ""
}

/**
 * The native field of a JSONPath: `entity.id` is `entity`. A line's place is left out, as mappings treat lines as one list:
 * `item.items[0].rate` is `rate`. The applied documents are one field, and so are the addresses.
 */
const fieldOf = (path: string): string =>
  path
    .replace(/^\$\.?/, "")
    .replace(/^(apply|addressBook)\b.*/, "$1")
    .replace(/^\w+\.items(\[[^\]]*\])?\./, "")

/** Members by their labels in forms. */
const called: { readonly [label: string]: string } = {
  "Days Till Net Due": "daysUntilNetDue",
  "Day of Month Net Due": "daysUntilNetDue",
  "Payment Amount": "payment",
  "Primary Subsidiary": "subsidiary",
  Vendor: "entity",
  Customer: "entity",
  Employee: "entity"
}

/** The member with a label. */
const memberOf = (label: string): string => {
  const member = called[label] ?? label.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
  return member.charAt(0).toLowerCase() + member.slice(1)
}

/** Messages of rules that NetSuite reports without a path, and the field of each. */
const rules: ReadonlyArray<readonly [rule: RegExp, field: string]> = [
  [/\btransaction date\b/i, "tranDate"],
  [/\bat least one line\b|\btotal of this transaction may not\b|\btotal of debits\b/i, "lines"],
  [/\bapply this payment\b|\bapply more than\b|\bamount applied\b/i, "apply"],
  [/\border cannot be fulfilled\b/i, "createdFrom"]
]

/**
 * Members named by their labels, as in `Please enter value(s) for: Company Name` and `There is already a term with that
 * name`, or by a rule.
 */
const spokenOf = (detail: string): ReadonlyArray<string> => {
  const lacked = /Please enter value\(s\) for: (.+)$/.exec(detail)?.[1]
  if (lacked !== undefined) return lacked.split(", ").map(memberOf)
  const taken = /There is already an? .+ with that (.+?)\.?$/.exec(detail)?.[1]
  if (taken !== undefined) return [memberOf(taken)]
  const rule = rules.find(([one]) => one.test(detail))
  return rule === undefined ? [] : [rule[1]]
}

const fieldsOf = (errors: ReadonlyArray<Native>): { readonly [native: string]: string } =>
  Object.fromEntries(
    errors.flatMap((error) => {
      const detail = textOf(error, "detail")
      const field = fieldOf(textOf(error, "o:errorPath"))
      return (field === "" ? spokenOf(detail) : [field]).map((name) => [name, detail])
    })
  )

const reasonOf = (code: string, status: number, errors: ReadonlyArray<Native>): Reason | undefined => {
  switch (code) {
    case "NONEXISTENT_ID":
    case "RCRD_DSNT_EXIST":
      return status === 404 ? new Missing() : new Invalid({ fields: fieldsOf(errors) })
    case "INVALID_LOGIN":
    case "INVALID_LOGIN_ATTEMPT":
      return new Unauthenticated()
    case "INSUFFICIENT_PERMISSION":
    case "FEATURE_DISABLED":
      return new NotPermitted()
    case "RCRD_HAS_BEEN_CHANGED":
      return new Stale()
    case "DUP_ENTITY":
    case "DUP_RCRD":
    case "UNIQUE_CUST_ID_REQD":
    case "THIS_RECORD_CANNOT_BE_DELETED_BECAUSE_IT_HAS_DEPENDENT_RECORDS":
    case "CANT_DELETE_RECORD":
      return new Clash()
  }
  return status === 400 || status === 422 ? new Invalid({ fields: fieldsOf(errors) }) : undefined
}

export const readError: ReadError = (answer) => {
  const errors = natives(getPath(answer.body, "o:errorDetails"))
  const code = errors.map((error) => textOf(error, "o:errorCode")).find((one) => one !== "") ?? ""
  const detail =
    errors
      .map((error) => textOf(error, "detail"))
      .filter((words) => words !== "")
      .join("; ") || undefined
  const isLimit = answer.status === 429 || /^(CONCURRENCY_LIMIT_EXCEEDED|REQUEST_LIMIT_EXCEEDED)$/.test(code)
  const reason = isLimit
    ? new LimitReached({ retryAfter: retryAfter(answer, cooldown) })
    : reasonOf(code, answer.status, errors)
  return { reason, detail }
}

/** A failure that no response of the provider states. */
export const failure = (
  operation: string,
  reason: Reason,
  more: { readonly status?: number; readonly detail?: string } = {}
) => new ProviderError({ provider: "netsuite", operation, reason, ...more })
