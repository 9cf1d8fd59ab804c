import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import {
  Clash,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  type Reason,
  Stale,
  Unauthenticated,
  Unsupported
} from "../ProviderError.ts"
import { plus } from "./Editions.ts"
import { topicOf } from "./Topics.ts"

/**
 * Error bodies of QuickBooks Online: `{Fault: {Error: [{Message, Detail, code, element}], type}}`; gateways in front of it
 * write `fault`, `error`, `message`. Validation errors have the status 400; a 200 may hold a Fault too.
 * https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes
 * https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/handling-common-errors
 */

/** Seconds for a throttled app to wait. https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles */
const cooldown = 60

const either = (value: unknown, one: string, other: string): unknown => getPath(value, one) ?? getPath(value, other)

const textOf = (value: unknown, one: string, other: string): string => {
  const text = either(value, one, other)
  return typeof text === "string" ? text : ""
}

/** Returns the Fault of a response in either spelling. */
export const faultOf = (body: unknown): unknown => either(body, "Fault", "fault")

const errorsOf = (body: unknown): ReadonlyArray<Native> => {
  const errors = either(faultOf(body), "Error", "error")
  return natives(errors)
}

/** Codes are numbers as text, some with leading zeros: `003200`. */
const codeOf = (error: Native | undefined): number => Number(getPath(error, "code") ?? NaN)

/**
 * Finds the native field of an error under the name that mappings use: `Line.Amount` is `Amount` of a line, `CustomerRef` is
 * `CustomerRef.value`. Without `element`, the detail may name it: a missing parameter, an unknown property, or a rule in
 * words.
 */
const elementOf = (error: Native): string | undefined => {
  const said = textOf(error, "element", "Element")
  const detail = textOf(error, "Detail", "detail")
  const [, missing] = /^Required parameter ([A-Za-z.]+) is missing/.exec(detail) ?? []
  const [, unknown] = /^Property Name:(?:Unrecognized field ")?([\w.]+)[":]/.exec(detail) ?? []
  const element = /[A-Za-z]/.test(said) ? said : (missing ?? unknown ?? topicOf(detail))
  if (element === undefined) return undefined
  const name = element.replace(/^Line(\[\d*\])?\./, "")
  return name.endsWith("Ref") ? `${name}.value` : name
}

const wordsOf = (error: Native): string => {
  const [message, detail] = [textOf(error, "Message", "message"), textOf(error, "Detail", "detail")]
  return detail === "" || detail === message ? message : message === "" ? detail : `${message}: ${detail}`
}

const fieldsOf = (errors: ReadonlyArray<Native>): { readonly [native: string]: string } =>
  Object.fromEntries(
    errors.flatMap((error) => {
      const element = elementOf(error)
      return element === undefined ? [] : [[element, wordsOf(error)]]
    })
  )

/**
 * Whether the books are closed for the date of the transaction. The code varies: 6210, 6200, and 5010 has been seen.
 * https://github.com/routablehq/python-quickbooks/issues/208
 */
const isClosed = (error: Native): boolean => /account period (?:has )?closed/i.test(wordsOf(error))

const reasonOf = (code: number, type: string, errors: ReadonlyArray<Native>, status: number): Reason | undefined => {
  const closed = errors.find(isClosed)
  if (closed !== undefined) return new Invalid({ fields: { TxnDate: wordsOf(closed) } })
  switch (code) {
    case 5010:
      return new Stale()
    // another record has the name or document number
    case 6140:
    case 6240:
    // the transaction was deposited
    case 6540:
      return new Clash()
    case 610:
      return new Missing()
    // "Operation Update is not supported"
    case 500:
      return new Unsupported()
    case 3001:
      return new LimitReached({ retryAfter: cooldown })
    case 3200:
      return new Unauthenticated()
    // no access for this app or user; the subscription has ended
    case 120:
    case 3100:
    case 6190:
      return new NotPermitted()
    // the edition lacks the feature
    case 5020:
    case 5030:
      return new NotPermitted({ lacks: [plus] })
  }
  if (/Authentication/i.test(type)) return new Unauthenticated()
  if (/Authorization/i.test(type) && status !== 401) return new NotPermitted()
  return /Validation/i.test(type) && status < 500 ? new Invalid({ fields: fieldsOf(errors) }) : undefined
}

/** Throttling may respond in XML even to a request for JSON: `<Error code="3001">`. */
const codeInXml = (body: unknown): number => {
  const [, code] = typeof body === "string" ? (/<Error code="(\d+)"/.exec(body) ?? []) : []
  return Number(code ?? NaN)
}

export const readError: ReadError = (answer: FailedAnswer) => {
  const errors = errorsOf(answer.body)
  const [first] = errors
  const code = first === undefined ? codeInXml(answer.body) : codeOf(first)
  const detail =
    errors
      .map(wordsOf)
      .filter((words) => words !== "")
      .join("; ") || undefined
  if (answer.status === 429) return { reason: new LimitReached({ retryAfter: retryAfter(answer, cooldown) }), detail }
  return { reason: reasonOf(code, textOf(faultOf(answer.body), "type", "Type"), errors, answer.status), detail }
}
