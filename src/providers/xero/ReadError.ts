import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import { Clash, Invalid, LimitReached, NotPermitted, type Reason } from "../ProviderError.ts"

/**
 * Xero's error bodies: `{ErrorNumber, Type, Message, Elements: [{…, ValidationErrors: [{Message}]}]}` for a faulty write,
 * `{Title, Status, Detail}` for a caller it does not admit, and a list from the Files API: `[{type, title, detail}]`.
 * https://developer.xero.com/documentation/api/accounting/responsecodes
 * https://developer.xero.com/documentation/guides/oauth2/troubleshooting
 */

const textAt = (body: unknown, ...names: ReadonlyArray<string>): string => {
  const found = names.map((name) => getPath(body, name)).find((one) => typeof one === "string" && one !== "")
  return typeof found === "string" ? found : ""
}

interface Complaint {
  readonly words: string
  /** The part of the record that it is about: `LineItems`, `Contact`; "" for the record itself. */
  readonly part: string
  readonly names: ReadonlyArray<string>
  /** Whether the record was to be voided or deleted. */
  readonly isEnding?: boolean
}

/** Complaints about a record and its parts. */
const complaintsIn = (element: Native, part = ""): ReadonlyArray<Complaint> => [
  ...natives(element.ValidationErrors).map((error) => ({
    words: textAt(error, "Message"),
    part,
    names: Object.keys(element),
    isEnding: element.Status === "VOIDED" || element.Status === "DELETED"
  })),
  ...Object.entries(element).flatMap(([name, value]) =>
    name === "ValidationErrors" || name === "Warnings"
      ? []
      : (isNative(value) ? [value] : natives(value)).flatMap((one) => complaintsIn(one, part === "" ? name : part))
  )
]

const letters = (words: string) => words.toLowerCase().replace(/[^a-z]/g, "")

/** Words by which Xero's messages name a field other than its own name. */
const called: { readonly [name: string]: string } = { CurrencyCode: "currency", DefaultCurrency: "currency" }

/** Messages about a record that concern its lines, or the document that it pays. */
const phrases: ReadonlyArray<readonly [phrase: RegExp, name: string]> = [
  [/^account (?:code '|must be valid)/i, "AccountCode"],
  [/^tax rate must be valid|^the taxtype code/i, "TaxType"],
  [/^item code/i, "ItemCode"],
  [/the line total/i, "LineAmount"],
  [/^the total of the document|^the document total/i, "LineItems"],
  [/^the total debits/i, "JournalLines"],
  [/against authorised documents/i, "Invoice"],
  [/^(?:a tax rate must have|tax component)/i, "TaxComponents"],
  [/number of active tracking categories/i, "Status"],
  // the error for an existing record leaves out its date: https://github.com/waynerobinson/xeroizer/issues/92
  [/\block date\b/i, "Date"]
]

const phraseOf = (words: string): string | undefined => phrases.find(([phrase]) => phrase.test(words))?.[1]

/** Name of the part of a document that a payment fixes: its amounts, or its status. */
const heldOf = ({ isEnding, words }: Complaint): string | undefined =>
  /cannot be edited as it has a payment/i.test(words) ? (isEnding ? "Status" : "LineItems") : undefined

/** Finds the field that a message mentions in words, as in "Email address must be valid": the longest name that matches. */
const spokenOf = (words: string, names: ReadonlyArray<string>): string | undefined =>
  names
    .filter((name) => letters(words).includes(called[name] ?? letters(name)))
    .toSorted((left, right) => right.length - left.length)[0]

/** Xero quotes the name of a member that it does not know or whose value it cannot read. */
const quotedIn = (words: string): string | undefined => /'([A-Z][\w.]+)'/.exec(words)?.[1]

const fieldOf = (complaint: Complaint) => {
  const { names, part, words } = complaint
  return part === "" ? (heldOf(complaint) ?? phraseOf(words) ?? spokenOf(words, names) ?? quotedIn(words)) : part
}

const isClash = (words: string) =>
  /already (?:assigned|exists|been used|in use)|must be unique|enter a unique/i.test(words)

/** Errors by member, as the Projects API writes them: `{message, modelState: {name: [words]}}`. */
const statesIn = (body: unknown): ReadonlyArray<readonly [name: string, words: string]> => {
  const states = getPath(body, "modelState")
  return isNative(states)
    ? Object.entries(states).map(([name, words]) => [name, Array.isArray(words) ? words.join(" ") : String(words)])
    : []
}

const reasonOf = (body: unknown, complaints: ReadonlyArray<Complaint>): Reason | undefined => {
  if (complaints.some(({ words }) => isClash(words))) return new Clash()
  const said: ReadonlyArray<Complaint> =
    complaints.length > 0 ? complaints : [{ words: textAt(body, "Message", "Detail"), part: "", names: [] }]
  const fields = new Map<string, string>(statesIn(body))
  for (const complaint of said) {
    const name = fieldOf(complaint)
    if (name === undefined) continue
    const before = fields.get(name)
    fields.set(name, before === undefined ? complaint.words : `${before} ${complaint.words}`)
  }
  return new Invalid({ fields: Object.fromEntries(fields) })
}

/**
 * Seconds until the limit by minute resets; the daily limit states its own wait.
 * https://developer.xero.com/documentation/guides/oauth2/limits
 */
const minute = 60

export const readError: ReadError = (answer: FailedAnswer) => {
  const { body, status } = answer
  if (status === 429) {
    const which = answer.headers["x-rate-limit-problem"]
    return {
      reason: new LimitReached({ retryAfter: retryAfter(answer, minute) }),
      detail: which === undefined ? undefined : `its limit "${which}" of calls is used up`
    }
  }
  const complaints = [
    ...natives(getPath(body, "Elements")).flatMap((element) => complaintsIn(element)),
    ...natives(body).map((one) => ({
      words: textAt(one, "detail", "title"),
      part: one.type === "Rename" ? "FileName" : "",
      names: []
    }))
  ]
  const words = complaints.map((one) => one.words).filter((one) => one !== "")
  const detail = words.join("; ") || textAt(body, "Detail", "Message", "detail", "message", "title") || undefined
  // the token is valid but lacks a scope
  if (status === 401 && textAt(body, "Detail") === "AuthorizationUnsuccessful") {
    return { reason: new NotPermitted(), detail }
  }
  return { reason: status === 400 ? reasonOf(body, complaints) : undefined, detail }
}
