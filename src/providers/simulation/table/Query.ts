import { Either } from "effect"
import type { Account, Doc } from "../Account.ts"
import type { Checked, Complaint, Settled } from "./Complaint.ts"

/** Reads a request's values by name: parameters of its address or members of its body. */
export type Query = (name: string) => string | undefined

/** Parameters that belong together, and a reader of their values. */
export interface Parameters<A> {
  readonly names: ReadonlyArray<string>
  readonly read: (query: Query, account: Account) => Settled<A>
}

/** Whether a record is listed. */
export type Test = (record: Doc) => boolean

export type Filter = Parameters<Test>

/** Reads the text of a parameter. */
export type Reader<A> = (text: string, account: Account) => Checked<A>

const bad = (complaint: Complaint): Either.Either<never, Complaint> => Either.left(complaint)

export const anyText: Reader<string> = Either.right

export const integer =
  (least = 1, most = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (text) => {
    const number = Number(text)
    if (!/^\d+$/.test(text)) return bad({ is: "type", type: "number" })
    if (number < least) return bad({ is: "least", bound: least })
    return number > most ? bad({ is: "most", bound: most }) : Either.right(number)
  }

export const oneOf =
  <A extends string>(choices: ReadonlyArray<A>): Reader<A> =>
  (text) => {
    const choice = choices.find((one) => one === text)
    return choice === undefined ? bad({ is: "choice", choices }) : Either.right(choice)
  }

export const flag: Reader<boolean> = (text) =>
  text === "true" || text === "false" ? Either.right(text === "true") : bad({ is: "type", type: "boolean" })

/** Several values, separated by commas. */
export const listed =
  <A>(most: number, one: Reader<A>): Reader<ReadonlyArray<A>> =>
  (text, account) => {
    const parts = text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))
    return parts.length > most
      ? bad({ is: "too many", bound: most })
      : Either.all(parts.map((part) => one(part, account)))
  }

/** Text in a form; `read` returns its value, undefined where the form does not match. */
export const formed =
  <A>(form: string, read: (text: string) => A | undefined): Reader<A> =>
  (text) => {
    const found = read(text)
    return found === undefined ? bad({ is: "form", form }) : Either.right(found)
  }

/** One parameter; undefined where the request omits it. */
export const parameter = <A>(name: string, reader: Reader<A>): Parameters<A | undefined> => ({
  names: [name],
  read: (query, account) => {
    const text = query(name)
    return text === undefined
      ? Either.right(undefined)
      : Either.mapLeft(reader(text, account), (complaint) => [{ path: name, complaint, given: text }])
  }
})

/** Several parameters as one. */
export const together = <A>(all: ReadonlyArray<Parameters<A>>): Parameters<ReadonlyArray<A>> => ({
  names: all.flatMap(({ names }) => names),
  read: (query, account) => Either.all(all.map((one) => one.read(query, account)))
})

const everything: Test = () => true

/** Lists the records that fit a parameter's value; without the parameter, all. */
export const where = <A>(
  name: string,
  reader: Reader<A>,
  fits: (record: Doc, value: A, account: Account) => boolean
): Filter => {
  const { names, read } = parameter(name, reader)
  return {
    names,
    read: (query, account) =>
      Either.map(read(query, account), (value) =>
        value === undefined ? everything : (record) => fits(record, value, account)
      )
  }
}

/** Lists the records whose field of the same name has the parameter's value. */
export const equal = (name: string, reader: Reader<string | number | boolean> = integer()): Filter =>
  where(name, reader, (record, value) => record[name] === value)

/** Records that pass every filter. */
export const filtered = (filters: ReadonlyArray<Filter>): Filter => {
  const all = together(filters)
  return {
    names: all.names,
    read: (query, account) =>
      Either.map(all.read(query, account), (tests) => (record) => tests.every((test) => test(record)))
  }
}
