import { getPath, natives, type Native } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../axes/Errors.ts"
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
 * What NetSuite says when something went wrong: `{title, status, "o:errorDetails": [{detail, "o:errorCode", "o:errorPath"}]}`.
 * Most refusals of a value are status 400, so the code decides.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156570709583.html
 */

/** Seconds to stay away when NetSuite does not say: calls in flight end, and their places are free. */
const cooldown = 1

const textOf = (error: Native, name: string): string => {
  const text = error[name]
  return typeof text === "string" ? text : ""
}

/**
 * The native field of a JSONPath: `entity` of `entity.id` names the field of mappings; a line's place is left out, as a
 * mapping's lines are one list: `item.items[0].rate` is `rate`. What is applied is one field, and so are the addresses.
 */
const fieldOf = (path: string): string =>
  path
    .replace(/^\$\.?/, "")
    .replace(/^(apply|addressBook)\b.*/, "$1")
    .replace(/^\w+\.items(\[[^\]]*\])?\./, "")

/** Members by the labels that forms give them. */
const called: { readonly [label: string]: string } = {
  "Days Till Net Due": "daysUntilNetDue",
  "Day of Month Net Due": "daysUntilNetDue",
  "Payment Amount": "payment",
  "Primary Subsidiary": "subsidiary",
  Vendor: "entity",
  Customer: "entity",
  Employee: "entity"
}

/** The member that a form shows under a label. */
const memberOf = (label: string): string => {
  const member = called[label] ?? label.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
  return member.charAt(0).toLowerCase() + member.slice(1)
}

/** Rules that NetSuite speaks of without a path, and the field that each is about. */
const rules: ReadonlyArray<readonly [rule: RegExp, field: string]> = [
  [/\btransaction date\b/i, "tranDate"],
  [/\bat least one line\b|\btotal of this transaction may not\b|\btotal of debits\b/i, "lines"],
  [/\bapply this payment\b|\bapply more than\b|\bamount applied\b/i, "apply"],
  [/\border cannot be fulfilled\b/i, "createdFrom"]
]

/**
 * Members that are told by their labels, `Please enter value(s) for: Company Name` and `There is already a term with that
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

/** A failure of this provider's that no answer of its own says. */
export const failure = (
  operation: string,
  reason: Reason,
  more: { readonly status?: number; readonly detail?: string } = {}
) => new ProviderError({ provider: "netsuite", operation, reason, ...more })
