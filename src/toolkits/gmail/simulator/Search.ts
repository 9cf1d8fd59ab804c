import { Either } from "effect"
import { headerOf, type Label, me, type Message } from "./Tables.ts"

// Gmail's search words, those that are known here: https://support.google.com/mail/answer/7190

type Test = (message: Message) => boolean

const day = 86_400_000

const has = (whole: string, part: string) => whole.toLowerCase().includes(part.toLowerCase())

const inLabel =
  (id: string): Test =>
  ({ labelIds }) =>
    labelIds.includes(id)

const places: { readonly [name: string]: Test } = {
  inbox: inLabel("INBOX"),
  sent: inLabel("SENT"),
  drafts: inLabel("DRAFT"),
  trash: inLabel("TRASH"),
  spam: inLabel("SPAM"),
  anywhere: () => true
}

const states: { readonly [name: string]: Test } = {
  unread: inLabel("UNREAD"),
  read: ({ labelIds }) => !labelIds.includes("UNREAD"),
  starred: inLabel("STARRED"),
  important: inLabel("IMPORTANT")
}

const person = (value: string) => (value === "me" ? me.email : value)

/** `2026/01/31`, or seconds since the epoch. */
const timeOf = (value: string) =>
  /^\d{4}[/-]\d{1,2}[/-]\d{1,2}$/.test(value)
    ? Date.parse(
        value.replace(
          /^(\d+)[/-](\d+)[/-](\d+)$/,
          (_, y: string, m: string, d: string) => `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}`
        )
      )
    : /^\d{9,11}$/.test(value)
      ? Number(value) * 1000
      : Number.NaN

const spans: { readonly [unit: string]: number } = { d: day, m: 30 * day, y: 365 * day }

const spanOf = (value: string) => {
  const [, count, unit = ""] = /^(\d{1,4})([dmy])$/.exec(value) ?? []
  return Number(count) * (spans[unit] ?? Number.NaN)
}

type Operator = (
  value: string,
  context: { readonly labels: ReadonlyArray<Label>; readonly now: number }
) => Test | undefined

const about =
  (name: string): Operator =>
  (value) =>
  (message) =>
    has(headerOf(message, name), person(value))

const dated =
  (fits: (date: number, at: number) => boolean): Operator =>
  (value) => {
    const at = timeOf(value)
    return Number.isNaN(at) ? undefined : ({ date }) => fits(date, at)
  }

const aged =
  (fits: (age: number, span: number) => boolean): Operator =>
  (value, { now }) => {
    const span = spanOf(value)
    return Number.isNaN(span) ? undefined : ({ date }) => fits(now - date, span)
  }

const operators: { readonly [name: string]: Operator } = {
  from: about("From"),
  to: about("To"),
  cc: about("Cc"),
  subject: about("Subject"),
  is: (value) => states[value],
  in: (value) => places[value],
  has: (value) => (value === "attachment" ? ({ attachments }) => attachments.length > 0 : undefined),
  filename:
    (value) =>
    ({ attachments }) =>
      attachments.some(({ name }) => has(name, value)),
  label: (value, { labels }) => {
    const found = labels.find(
      ({ id, name }) =>
        id === value || name.toLowerCase().replaceAll(/[ /]/g, "-") === value.toLowerCase().replaceAll(/[ /]/g, "-")
    )
    return found === undefined ? () => false : inLabel(found.id)
  },
  rfc822msgid: (value) => (message) => headerOf(message, "Message-ID") === value,
  after: dated((date, at) => date >= at),
  before: dated((date, at) => date < at),
  newer_than: aged((age, span) => age <= span),
  older_than: aged((age, span) => age > span)
}

const contains =
  (words: string): Test =>
  (message) =>
    has(`${message.text}\n${["Subject", "From", "To"].map((name) => headerOf(message, name)).join("\n")}`, words)

const unquoted = (value: string) => value.replaceAll(/^"|"$/g, "")

/** The test of a search; left: the complaint about a part not known here. `anywhere`: the search says where to look. */
export const searchOf = (
  query: string,
  labels: ReadonlyArray<Label>,
  now: number
): Either.Either<{ readonly test: Test; readonly anywhere: boolean }, string> => {
  const tests: Array<Test> = []
  let anywhere = false
  let either = false
  for (const [word] of query.matchAll(/-?(?:\w+:)?(?:"[^"]*"|[^\s"]+)/g)) {
    if (word === "OR") {
      either = true
      continue
    }
    const [, minus = "", name, value = ""] = /^(-?)(?:(\w+):)?(.*)$/s.exec(word) ?? []
    if (/[(){}]/.test(value)) return Either.left(`Unsupported search: ${word}`)
    if (name === "in" && ["anywhere", "trash", "spam"].includes(value)) anywhere = true
    const found = name === undefined ? contains(unquoted(value)) : operators[name]?.(unquoted(value), { labels, now })
    if (found === undefined) return Either.left(`Unsupported search: ${word}`)
    const test: Test = minus === "" ? found : (message) => !found(message)
    const before = either ? tests.pop() : undefined
    tests.push(before === undefined ? test : (message) => before(message) || test(message))
    either = false
  }
  return Either.right({ test: (message) => tests.every((one) => one(message)), anywhere })
}
