import { Either, Predicate } from "effect"
import type { Account, Doc } from "../Account.ts"
import { type Problem, refused, type Settled } from "./Complaint.ts"
import { ownProblems } from "./OwnRules.ts"
import type { Filter, Parameters } from "./Query.ts"
import type { Value } from "./Value.ts"

export interface Field {
  /** Key in requests and responses. */
  readonly code: string
  readonly name: string
  readonly value: Value
  /** Stored where a new record gives no value, and shown where none is stored. */
  readonly initial: unknown
  /** Absent: the provider sets it. */
  readonly writes?: "always" | "create" | "update"
  readonly isNullable?: boolean
  readonly isRequired?: boolean
  /** Unique among the records, ignoring case. */
  readonly isUnique?: boolean
  /** Shown only when a request asks for it. */
  readonly isOptional?: boolean
  /** Refusal of a request that writes a field the provider sets; comes before all other complaints. */
  readonly refusal?: string
  /** Computed when shown, never stored. */
  readonly compute?: (account: Account, record: Doc) => unknown
}

/** A field that the provider sets. */
export const set = (code: string, name: string, value: Value, initial: unknown = null): Field => ({
  code,
  name,
  value,
  initial
})

/** A field that may be empty. */
export const may = (code: string, name: string, value: Value): Field => ({
  ...set(code, name, value),
  writes: "always",
  isNullable: true
})

/** A field that always has a value. */
export const kept = (code: string, name: string, value: Value, initial: unknown): Field => ({
  ...set(code, name, value, initial),
  writes: "always"
})

/** A required field. */
export const must = (code: string, name: string, value: Value): Field => ({
  ...kept(code, name, value, null),
  isRequired: true
})

/** A field that is computed when shown. */
export const worked = (
  code: string,
  name: string,
  value: Value,
  compute: (account: Account, record: Doc) => unknown
): Field => ({ ...set(code, name, value), compute })

/** A write whose values are valid one by one. */
export interface Write {
  readonly account: Account
  /** The request's values. */
  readonly given: Doc
  readonly before: Doc | undefined
  readonly after: Doc
}

/** Completes a record before it is stored, or refuses it. */
export type Rule = (write: Write) => Settled<Doc>

export type Show = (account: Account, record: Doc) => Doc

/** Records that lists and single reads show. */
export interface Readable {
  /** Name in paths, and the type of the stored records. */
  readonly name: string
  /** Every record that a list may show; absent: all stored ones. */
  readonly all?: (account: Account) => ReadonlyArray<Doc>
  /** A record by its id; absent: a stored one. */
  readonly find?: (account: Account, id: string) => Doc | undefined
  /** Fields to sort by; the first is the default order. */
  readonly sorts: ReadonlyArray<string>
  readonly filters?: ReadonlyArray<Filter>
  /** How records are shown, by the request's parameters. */
  readonly view?: Parameters<Show>
  /** Whether a record is deleted, though still stored: writes do not find it. */
  readonly isGone?: (record: Doc) => boolean
  /** Whether the list shows a record where filters do not decide; absent: all but deleted ones. */
  readonly isListed?: (record: Doc) => boolean
}

/** Records of one form, and what the provider does when they are written. */
export interface Kind extends Readable {
  /** The field with the id; `id` unless said otherwise. */
  readonly id?: string
  readonly fields: ReadonlyArray<Field>
  /** Fields inside a member, such as `custom_fields`. */
  readonly bags?: { readonly [name: string]: ReadonlyArray<Field> }
  /** Converts a body that has another form than the fields. */
  readonly accepts?: (body: Doc) => Doc
  readonly rules?: ReadonlyArray<Rule>
  /** Rules that run last, once required fields are present and unique ones are free. */
  readonly checks?: ReadonlyArray<Rule>
  readonly nextId?: (account: Account) => string | number
  /** Values of a new record where its body gives none, such as its time of creation. */
  readonly made?: (account: Account, id: string | number) => Doc
  /** Values that every write sets, such as the time of change. */
  readonly stamps: (account: Account, before: Doc | undefined) => Doc
  /** Whether a body restores a deleted record. */
  readonly restores?: (body: Doc) => boolean
  /** Deletes what belongs to a record, and returns the part of it to keep; absent or undefined: none. */
  readonly removed?: (account: Account, record: Doc) => Doc | undefined
}

export const allOf = (account: Account, { all, name }: Readable): ReadonlyArray<Doc> =>
  all === undefined ? account.all(name) : all(account)

export const recordOf = (account: Account, { find, name }: Readable, id: string): Doc | undefined =>
  find === undefined ? account.get(name, id) : find(account, id)

/** Records that no request changes. */
export const settings = (
  name: string,
  records: ReadonlyArray<Doc>,
  rest: Partial<Readable> & { readonly id?: string } = {}
): Readable => ({
  name,
  all: () => records,
  find: (_account, id) => records.find((record) => String(record[rest.id ?? "id"]) === id),
  sorts: [],
  ...rest
})

const idOf = (kind: Kind) => kind.id ?? "id"

/** Caches a value for each list of fields: every write asks for it. */
const once = <A>(reckon: (fields: ReadonlyArray<Field>) => A) => {
  const known = new WeakMap<ReadonlyArray<Field>, A>()
  return (fields: ReadonlyArray<Field>): A => {
    const found = known.get(fields) ?? reckon(fields)
    known.set(fields, found)
    return found
  }
}

const byCode = once((fields) => new Map(fields.map((field) => [field.code, field])))

const initials = once((fields) =>
  Object.fromEntries(
    fields.flatMap(({ code, compute, initial }) => (compute === undefined ? [[code, initial] as const] : []))
  )
)

const required = once((fields) => fields.filter(({ isRequired }) => isRequired === true))

const unique = once((fields) => fields.filter(({ isUnique }) => isUnique === true))

const guarded = once((fields) => fields.filter(({ refusal }) => refusal !== undefined))

/** A body's checked values for some fields, or every problem. */
export const checked = (
  account: Account,
  fields: ReadonlyArray<Field>,
  body: Doc,
  isNew: boolean,
  prefix = ""
): Settled<Doc> => {
  const known = byCode(fields)
  const problems: Array<Problem> = []
  const values: { [code: string]: unknown } = {}
  for (const [code, given] of Object.entries(body)) {
    const field = known.get(code)
    const path = `${prefix}${code}`
    if (field?.writes === undefined || (field.writes !== "always" && (field.writes === "create") !== isNew)) {
      problems.push({ path, complaint: { is: "not allowed" }, given })
    } else if (given === null && field.isNullable === true) {
      values[code] = null
    } else {
      const result = field.value.check(given, account)
      if (Either.isRight(result)) values[code] = result.right
      else problems.push({ path, complaint: result.left, given })
    }
  }
  return problems.length > 0 ? Either.left(problems) : Either.right(values)
}

const bagsIn = (kind: Kind): ReadonlyArray<readonly [string, ReadonlyArray<Field>]> => Object.entries(kind.bags ?? {})

const docAt = (doc: Doc, name: string): Doc => {
  const found = doc[name]
  return Predicate.isRecord(found) ? found : {}
}

/** A body's values for a record and its bags, checked separately. */
const read = (account: Account, kind: Kind, body: Doc, isNew: boolean): Settled<Doc> => {
  const given = bagsIn(kind).filter(([name]) => body[name] !== undefined)
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => given.every(([bag]) => bag !== name)))
  const results = [
    checked(account, kind.fields, own, isNew),
    ...given.map(([name, fields]): Settled<Doc> => {
      const bag = body[name]
      return Predicate.isRecord(bag)
        ? Either.map(checked(account, fields, bag, isNew, `${name}.`), (values) => ({ [name]: values }))
        : Either.left([{ path: name, complaint: { is: "type", type: "object" }, given: bag }])
    })
  ]
  const problems = results.flatMap((one) => (Either.isLeft(one) ? one.left : []))
  return problems.length > 0
    ? Either.left(problems)
    : Either.map(Either.all(results), (parts) => parts.reduce<Doc>((all, part) => ({ ...all, ...part }), {}))
}

/** Applies a body to a new record or an old one. `id`: that of a new record, where the provider does not choose it. */
export const draft = (account: Account, kind: Kind, body: Doc, before?: Doc, id?: string | number): Settled<Doc> =>
  Either.gen(function* () {
    const accepted = kind.accepts?.(body) ?? body
    for (const { code, refusal } of guarded(kind.fields)) {
      if (refusal !== undefined && accepted[code] !== undefined) return yield* refused(refusal, code)
    }
    const given = yield* read(account, kind, accepted, before === undefined)
    const base = before ?? begun(account, kind, id ?? newId(account, kind))
    const bags = bagsIn(kind).map(([name]) => [name, { ...docAt(base, name), ...docAt(given, name) }] as const)
    let after: Doc = { ...base, ...given, ...Object.fromEntries(bags) }
    for (const rule of kind.rules ?? []) after = yield* rule({ account, given, before, after })
    const missing = required(kind.fields).filter(({ code }) => (after[code] ?? null) === null)
    if (missing.length > 0) {
      return yield* Either.left(missing.map(({ code }) => ({ path: code, complaint: { is: "required" } }) as const))
    }
    const own = ownProblems(account, kind.name, after)
    if (own.length > 0) return yield* Either.left(own)
    const taken = taking(account, kind, given, after)
    if (taken.length > 0) return yield* Either.left(taken)
    for (const rule of kind.checks ?? []) after = yield* rule({ account, given, before, after })
    return { ...after, ...kind.stamps(account, before) }
  })

/** Writes a body to a new record or an old one, and stores it. */
export const write = (account: Account, kind: Kind, body: Doc, before?: Doc, id?: string | number): Settled<Doc> =>
  Either.map(draft(account, kind, body, before, id), (record) => {
    account.put(kind.name, String(record[idOf(kind)]), record)
    return record
  })

/** The record with a text in a field, ignoring case. */
export const having = (account: Account, kind: Readable, code: string, text: unknown): Doc | undefined =>
  allOf(account, kind).find((one) => kind.isGone?.(one) !== true && lower(one[code] ?? "") === lower(text))

const lower = (value: unknown) => String(value).toLowerCase()

/** Problems of a body's values that another record has already. */
const taking = (account: Account, kind: Kind, given: Doc, after: Doc): ReadonlyArray<Problem> =>
  unique(kind.fields).flatMap(({ code }) => {
    const by = (given[code] ?? null) === null ? undefined : having(account, kind, code, given[code])
    return by === undefined || by[idOf(kind)] === after[idOf(kind)]
      ? []
      : [{ path: code, complaint: { is: "taken", by }, given: given[code] }]
  })

/** Sample data: a new record with unchecked values, completed as far as its checks go. */
export const sampled = (account: Account, kind: Kind, given: Doc): Doc =>
  (kind.checks ?? []).reduce(
    (after, check) => Either.getOrElse(check({ account, given, before: undefined, after }), () => after),
    { ...begun(account, kind, newId(account, kind)), ...given }
  )

const newId = (account: Account, kind: Kind) => kind.nextId?.(account) ?? account.nextId()

/** A new record before its body: bags are filled by the body. */
const begun = (account: Account, kind: Kind, id: string | number): Doc => ({
  ...initials(kind.fields),
  [idOf(kind)]: id,
  ...kind.made?.(account, id)
})

/** Deletes a record, or keeps the part of it that the provider keeps. */
export const remove = (account: Account, kind: Kind, record: Doc): void => {
  const id = String(record[idOf(kind)])
  const kept = kind.removed?.(account, record)
  if (kept === undefined) account.remove(kind.name, id)
  else account.put(kind.name, id, kept)
}

const valueOf = (account: Account, record: Doc, { code, compute, initial }: Field) =>
  compute === undefined ? (record[code] ?? initial) : compute(account, record)

/** A record's fields as shown, by default without those shown only on request. */
export const shown = (
  account: Account,
  fields: ReadonlyArray<Field>,
  record: Doc,
  includes: (field: Field) => boolean = ({ isOptional }) => isOptional !== true
): Doc => Object.fromEntries(fields.filter(includes).map((field) => [field.code, valueOf(account, record, field)]))

/** Mistakes that keep kinds from making a simulator: a kind without its id, or a link to a kind that is not there. */
export const unfit = (kinds: ReadonlyArray<Kind>): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const fields = [...kind.fields, ...bagsIn(kind).flatMap(([, bag]) => bag)]
    return [
      ...(kind.fields.some(({ code }) => code === idOf(kind)) ? [] : [`${kind.name} has no field '${idOf(kind)}'`]),
      ...fields.flatMap(({ code, value: { links = [] } }) =>
        links
          .filter((to) => kinds.every(({ name }) => name !== to))
          .map((to) => `'${code}' of ${kind.name} links to '${to}', which is no kind of the simulator`)
      )
    ]
  })
