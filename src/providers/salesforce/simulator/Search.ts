import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { type Fault, malformedSearch, noEntity } from "./Faults.ts"
import type { Field, SObject } from "./Fields.ts"
import { sObjectNamed, valueOf } from "./Schema.ts"

// SOSL with one type of records; it gives their ids.
// https://developer.salesforce.com/docs/platform/salesforce-soql-sosl/guide/sforce-api-calls-sosl-syntax.html

type Checked<A> = Either.Either<A, Fault>

const most = 2000

const statement =
  /^FIND\s*\{((?:[^{}\\]|\\.)*)\}(?:\s+IN\s+(ALL|NAME|EMAIL|PHONE)\s+FIELDS)?\s+RETURNING\s+(\w+)\s*\(\s*Id\s*\)(?:\s+LIMIT\s+(\d+))?\s*$/is

const reserved = /[?&|!{}[\]()^~:"'+-]/

/** Texts of a record that a scope searches. */
const scopes: { readonly [scope: string]: (field: Field) => boolean } = {
  ALL: ({ type }) => ["string", "textarea", "picklist", "combobox", "email", "phone", "url", "base64"].includes(type),
  NAME: ({ code }) => ["Name", "FirstName", "LastName", "Title", "Subject"].includes(code),
  EMAIL: ({ type }) => type === "email",
  PHONE: ({ type }) => type === "phone"
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Texts of a field: the content of a note is known by its words. */
const textOf = ({ type }: Field, value: unknown) =>
  type === "base64" && typeof value === "string"
    ? Buffer.from(value, "base64")
        .toString("utf8")
        .replace(/<[^>]*>/g, " ")
    : String(value ?? "")

/** Words in a row, with `*` for more characters. */
const phraseOf = (text: string) => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}*]+/gu) ?? []
  return words.map((word) => new RegExp(`^${word.replaceAll("*", ".*")}$`, "su"))
}

type Test = (texts: ReadonlyArray<ReadonlyArray<string>>) => boolean

/** Words and phrases in quotes, with AND (also where nothing is said), OR and AND NOT between them, from left to right. */
const testOf = (query: string): Checked<Test> => {
  const tokens = query.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []
  let test: Test | undefined
  let join = "AND"
  for (const token of tokens) {
    if (/^(?:AND|OR|NOT)$/i.test(token)) {
      join = token.toUpperCase() === "NOT" ? "AND NOT" : token.toUpperCase()
      continue
    }
    const isQuoted = token.startsWith('"')
    const bare = isQuoted ? token.slice(1, -1) : token
    const plain = bare.replace(/\\(.)/gs, (_, sign: string) => (sign === "*" ? " " : sign))
    if (reserved.test(bare.replace(/\\./gs, ""))) {
      return Either.left(malformedSearch(`line 1:1 no viable alternative at character '${bare.slice(0, 1)}'`))
    }
    if ([...plain].length < 2) {
      return Either.left(malformedSearch("search term must be longer than one character"))
    }
    const phrase = phraseOf(plain)
    const holds: Test = (texts) =>
      phrase.length > 0 &&
      texts.some((words) => words.some((_, at) => phrase.every((word, i) => word.test(words[at + i] ?? ""))))
    const before = test
    const how = join
    test =
      before === undefined
        ? holds
        : how === "OR"
          ? (texts) => before(texts) || holds(texts)
          : (texts) => before(texts) && holds(texts) === (how === "AND")
    join = "AND"
  }
  return test === undefined
    ? Either.left(malformedSearch("search term must be longer than one character"))
    : Either.right(test)
}

const textsOf = (org: Org, object: SObject, doc: Doc, isSearched: (field: Field) => boolean) =>
  object.fields.filter(isSearched).map((field) => wordsOf(textOf(field, valueOf(org, { object, doc }, field))))

/** The records that a search finds. */
export const search = ({ org, version }: { readonly org: Org; readonly version: string }, text: string): Checked<Doc> =>
  Either.gen(function* () {
    const [, query = "", scope = "ALL", name = "", limit = most] = statement.exec(text) ?? []
    if (name === "") return yield* Either.left(malformedSearch("unexpected token: search takes FIND {…} RETURNING"))
    const object = sObjectNamed(name)
    if (object === undefined) return yield* Either.left(noEntity(text, name))
    const isSearched = scopes[scope.toUpperCase()] ?? (() => false)
    const test = yield* testOf(query)
    const found = org
      .all(object.name)
      .filter((doc) => doc.IsDeleted !== true && query.length <= 10_000 && test(textsOf(org, object, doc, isSearched)))
    return {
      searchRecords: found.slice(0, Math.min(most, Number(limit))).map(({ Id }) => ({
        attributes: { type: object.name, url: `/services/data/${version}/sobjects/${object.name}/${String(Id)}` },
        Id
      }))
    }
  })
