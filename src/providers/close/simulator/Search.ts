import { Either, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Kind, shown } from "../../simulation/table/Kind.ts"
import { sortedBy } from "../../simulation/table/Pages.ts"
import { type Answered, asked, bodyOf, none } from "../../simulation/table/Routes.ts"
import { failure, style } from "./Answers.ts"
import { contact, lead } from "./Kinds.ts"

// Advanced filtering: https://developer.close.com/api/resources/advanced-filtering

const refuse = (name: string, words: string) =>
  Either.left({ status: 400, body: { errors: [], "field-errors": { [name]: words } } })

const docsOf = (value: unknown): ReadonlyArray<Doc> => (Array.isArray(value) ? value.filter(Predicate.isRecord) : [])

/** Words as a search knows them. */
const wordsOf = (text: unknown): ReadonlyArray<string> =>
  String(text ?? "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+(?:['’.][\p{L}\p{N}]+)*/gu) ?? []

const includesRun = (all: ReadonlyArray<string>, run: ReadonlyArray<string>) =>
  all.some((_, i) => run.every((word, j) => all[i + j] === word))

/** How a text is compared with what is looked for. */
const modes: { readonly [mode: string]: (text: unknown, value: string) => boolean } = {
  full_words: (text, value) => wordsOf(value).every((word) => wordsOf(text).includes(word)),
  beginning_of_words: (text, value) =>
    wordsOf(value).every((word) => wordsOf(text).some((one) => one.startsWith(word))),
  phrase: (text, value) => includesRun(wordsOf(text), wordsOf(value)),
  exact_value: (text, value) => String(text ?? "") === value
}

type Test = (record: Doc, account: Account) => boolean

/** Texts that a search looks at, and the fields that conditions may name. */
interface Searched {
  readonly texts: ReadonlyArray<string>
  readonly moments: ReadonlyArray<string>
  /** Records that belong to one, by their type. */
  readonly related: { readonly [type: string]: (record: Doc, account: Account) => ReadonlyArray<Doc> }
}

const stamps = ["date_created", "date_updated"]

const contactsOf = ({ id }: Doc, account: Account) => account.all("contact").filter(({ lead_id }) => lead_id === id)

const searched: { readonly [type: string]: Searched } = {
  lead: { texts: ["name", "description", "url"], moments: stamps, related: { contact: contactsOf } },
  contact: {
    texts: ["name", "title"],
    moments: stamps,
    related: { contact_email: ({ emails }) => docsOf(emails), contact_phone: ({ phones }) => docsOf(phones) }
  },
  contact_email: { texts: ["email"], moments: [], related: {} },
  contact_phone: { texts: ["phone"], moments: [], related: {} }
}

/** All texts of a record and of what belongs to it. */
const allTexts = (type: string, record: Doc, account: Account): ReadonlyArray<unknown> => {
  const { related = {}, texts = [] } = searched[type] ?? {}
  return [
    ...texts.map((name) => record[name]),
    ...Object.entries(related).flatMap(([of, from]) =>
      from(record, account).flatMap((one) => allTexts(of, one, account))
    )
  ]
}

const textTest = ({ mode, value }: Doc): Answered<(text: unknown) => boolean> => {
  const compare = modes[String(mode)]
  if (compare === undefined) return refuse("mode", "Not a valid choice.")
  if (typeof value !== "string") return refuse("value", "This field is required.")
  return Either.right((text) => compare(text, value))
}

/** A moment in UTC; other kinds depend on the day and on the user. */
const momentIn = (moment: unknown): number | undefined => {
  if (!Predicate.isRecord(moment) || moment.type !== "fixed_utc" || typeof moment.value !== "string") return undefined
  const time = Date.parse(moment.value)
  return Number.isNaN(time) ? undefined : time
}

const momentTest = (condition: Doc): Answered<(value: unknown) => boolean> => {
  const bounds = ["on_or_after", "before"].map((name) => {
    const given = condition[name] ?? null
    return given === null ? null : momentIn(given)
  })
  if (bounds.includes(undefined)) return refuse("condition", "Invalid ISO 8601 datetime.")
  const [from = null, to = null] = bounds
  return Either.right((value) => {
    const time = Date.parse(String(value))
    return (from === null || time >= from) && (to === null || time < to)
  })
}

const conditionTest = (type: string, { condition, field }: Doc): Answered<Test> => {
  const { moments = [], texts = [] } = searched[type] ?? {}
  if (!Predicate.isRecord(field) || field.type !== "regular_field" || field.object_type !== type) {
    return refuse("field", "Not a valid choice.")
  }
  const name = String(field.field_name)
  if (!Predicate.isRecord(condition)) return refuse("condition", "This field is required.")
  const test =
    condition.type === "text" && texts.includes(name)
      ? textTest(condition)
      : condition.type === "moment_range" && moments.includes(name)
        ? momentTest(condition)
        : refuse("condition", "Not a valid choice.")
  return Either.map(test, (fits) => (record) => fits(record[name]))
}

const testOf = (type: string, query: unknown): Answered<Test> => {
  if (!Predicate.isRecord(query)) return refuse("query", "This field is required.")
  const test = plainTestOf(type, query)
  return query.negate === true ? Either.map(test, (fits) => (record, account) => !fits(record, account)) : test
}

const plainTestOf = (type: string, query: Doc): Answered<Test> => {
  switch (query.type) {
    case "and":
      return Either.map(
        Either.all(docsOf(query.queries).map((one) => testOf(type, one))),
        (all) => (record, account) => all.every((fits) => fits(record, account))
      )
    case "or":
      return Either.map(
        Either.all(docsOf(query.queries).map((one) => testOf(type, one))),
        (all) => (record, account) => all.some((fits) => fits(record, account))
      )
    case "object_type":
      return Either.right(() => query.object_type === type)
    case "text":
      return Either.map(textTest(query), (fits) => (record, account) => fits(allTexts(type, record, account).join(" ")))
    case "field_condition":
      return conditionTest(type, query)
    case "has_related": {
      const of = String(query.related_object_type)
      const related = searched[type]?.related[of]
      if (related === undefined || query.this_object_type !== type)
        return refuse("related_object_type", "Not a valid choice.")
      return Either.map(
        testOf(of, query.related_query),
        (fits) => (record, account) => related(record, account).some((one) => fits(one, account))
      )
    }
    default:
      return refuse("type", "Not a valid choice.")
  }
}

/** The type of objects that a query is for. */
const typeIn = (query: unknown): unknown =>
  Predicate.isRecord(query) ? docsOf(query.queries).find(({ type }) => type === "object_type")?.object_type : undefined

/** Most records of an answer, and of all answers to a query. */
const most = { page: 200, query: 10_000 }

/** Milliseconds that a cursor is good for. */
const life = 30_000

const Cursor = Schema.parseJson(Schema.Struct({ start: Schema.Int, made: Schema.Number }))
const readCursor = (text: string) => Schema.decodeEither(Cursor)(Buffer.from(text, "base64url").toString("utf8"))
const writeCursor = (cursor: typeof Cursor.Type) =>
  Buffer.from(Schema.encodeSync(Cursor)(cursor), "utf8").toString("base64url")

const startOf = (cursor: unknown, now: number): Answered<number> => {
  if (cursor === undefined || cursor === null) return Either.right(0)
  const read = Either.getOrUndefined(readCursor(String(cursor)))
  return read === undefined || now - read.made >= life
    ? Either.left(failure(400, "Expired cursor"))
    : Either.right(read.start)
}

const keysOf = (type: string, sort: unknown): Answered<ReadonlyArray<readonly [string, 1 | -1]>> => {
  const { moments = [], texts = [] } = searched[type] ?? {}
  return Either.all(
    docsOf(sort).map(({ direction, field }) => {
      const name = Predicate.isRecord(field) && field.object_type === type ? String(field.field_name) : ""
      return [...texts, ...moments].includes(name)
        ? Either.right([name, direction === "desc" ? -1 : 1] as const)
        : refuse("sort", "Not a valid choice.")
    })
  )
}

const kinds: { readonly [type: string]: Kind } = { lead, contact }

export const searchRoutes = style.route("POST", "data/search", "list", (request, account) =>
  Either.gen(function* () {
    yield* asked(style, none, request, account)
    const { _fields, _limit = 100, cursor, query, sort } = yield* bodyOf(style, request)
    const type = String(typeIn(query))
    const kind = kinds[type]
    if (kind === undefined) return yield* refuse("object_type", "Not a valid choice.")
    if (typeof _limit !== "number" || _limit < 1 || _limit > most.page) {
      return yield* refuse("_limit", `The value must not be larger than ${most.page}.`)
    }
    const fits = yield* testOf(type, query)
    const keys = yield* keysOf(type, sort)
    const start = yield* startOf(cursor, account.now)
    const found = sortedBy(
      account.all(type).filter((record) => fits(record, account)),
      keys
    ).slice(0, most.query)
    const names: unknown = Predicate.isRecord(_fields) ? _fields[type] : undefined
    const wanted: ReadonlyArray<unknown> = Array.isArray(names) ? names : ["id"]
    const end = start + _limit
    return {
      status: 200,
      body: {
        data: found.slice(start, end).map((record) => ({
          __object_type: type,
          ...shown(
            account,
            kind.fields,
            record,
            ({ code }) => wanted.includes(code) || (code.startsWith("custom.") && wanted.includes("custom"))
          )
        })),
        cursor: end < found.length ? writeCursor({ start: end, made: account.now }) : null
      }
    }
  })
)
