import { Array, Effect, FiberRef, Option, Record } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"
import { keyset } from "../base/Paginator.ts"
import { current as gathered } from "../base/BatchedWrites.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, foundBy } from "../Filtering.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  Page,
  ResourceAdapter,
  Target,
  UpdateRequest,
  Written
} from "../ProviderAdapter.ts"
import { Invalid, Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { codesTogether, settleAddresses } from "./AddressPicklists.ts"
import { accepted, isHeldInOrg, namesPlaces } from "./Changes.ts"
import { type Answers, composite, type Earlier, type Parts } from "./Composite.ts"
import { isFind, moments, queriesFor, type Said } from "./Conditions.ts"
import { failure, type Fields, type Org } from "./Org.ts"
import { change, insertion, type Part, query, removal, send } from "./Rows.ts"
import { isFieldPath, isId, quote, soql } from "./Soql.ts"
import { changesOf, type Together } from "../base/Changes.ts"

/** A step after a record is written that depends on what is there. */
export type Step = (connection: ConnectionRef, id: string, value: unknown) => Effect.Effect<unknown, ProviderError>

/** Changes made with that of a record, by names of their own, which need only its id. */
export type Beside = (value: unknown) => { readonly [name: string]: (id: string) => Part }

/** Rows read beside records, by the names of the queries. */
export type Besides = { readonly [name: string]: ReadonlyArray<Native> }

export interface SObject {
  /** Name of the type; native type of its records too. */
  readonly type: string
  /** Condition that all records of the resource meet; other records of the type count as absent. */
  readonly where?: (fields: Fields) => string
  /** Condition on the records that lists show, beside `where`; the others are read by their ids. Undefined: all. */
  readonly listed?: (fields: Fields) => string | undefined
  /** First characters of its ids, where a resource has several types. */
  readonly prefix?: string
  /** How its lists are filtered, beside the stamps that every type has. */
  readonly clauses?: Clauses<Said>
  /** `archives`: its old records are in no list. `lasting`: its records are never deleted. */
  readonly keeping?: "archives" | "lasting"
  /** Subqueries that take the place of native fields: children of a record, by their relationship. */
  readonly subselects?: { readonly [native: string]: string }
  /** Fields that are read with a native field, where the org has them. */
  readonly companions?: { readonly [native: string]: ReadonlyArray<string> }
  /** Queries of rows that belong to records, by name, given their ids as SOQL lists them; only those the variant reads. */
  readonly besides?: (variant: CompiledVariant) => { readonly [name: string]: (ids: string) => string }
  /** Adds those rows and other data that no query gives, if the variant reads them; leaves out records gone meanwhile. */
  readonly complete?: (
    connection: ConnectionRef,
    variant: CompiledVariant,
    records: ReadonlyArray<Native>,
    besides: Besides
  ) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
  /** Steps that the mapping names: changes sent with the record in one call, and those after it. */
  readonly parts?: { readonly [name: string]: Beside }
  readonly steps?: { readonly [name: string]: Step }
  /** Fields that are written together: a change of one of them would move the others, if they were left out. */
  readonly together?: Together
  /** Fields that a record does not take, with the reason and what to do instead. */
  readonly fixed?: (held: Native) => { readonly [native: string]: string }
}

/** Most rows of one answer to a query. */
const maximum = 2000

/** Most ids that one query names: its address may have 16,384 bytes. */
const mostIds = 200

/**
 * By the stamps that every type shows: whole seconds.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/system_fields.htm
 */
const stampClauses: Clauses<Said> = { ...moments("created", "CreatedDate"), ...moments("modified", "SystemModstamp") }

export type Targets = Parameters<NonNullable<ResourceAdapter["getMany"]>>[0]

const deletedToo = "include_deleted"

export const none: Page = { records: [], next: null }

const idOf = ({ record }: NativeRecord) => String(record.Id)

/** The rows of an answer, if it has all of them. */
const rowsIn = (answer: unknown): ReadonlyArray<Native> | undefined =>
  isNative(answer) && Array.isArray(answer.records) && answer.done !== false ? natives(answer.records) : undefined

/** Whether Salesforce does not take the id for one; such an id is in no list. */
const isNoId = ({ reason, status }: ProviderError) => reason._tag === "Missing" && status === 400

/** The first records of several queries, each in the order of ids. */
const merged = (queries: ReadonlyArray<ReadonlyArray<NativeRecord>>, size: number) => {
  const [one = [], ...others] = queries
  if (others.length === 0) return one
  const all = new Map(queries.flat().map((record) => [idOf(record), record]))
  return [...all.values()].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, size)
}

/**
 * Of an account, contact or lead that a merge deleted: the record that was kept. Only queries for all records show it.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_calls_merge.htm
 */
const master = "MasterRecordId"

/**
 * Lets a write pass duplicate rules that alert and do not block.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/headers_duplicaterules.htm
 */
const allowingDuplicates = { "sforce-duplicate-rule-header": "allowSave=true" }

const headersFor = ({ onDuplicate }: CreateRequest | UpdateRequest) =>
  onDuplicate === "allow" ? allowingDuplicates : undefined

/**
 * Every operation on the records of one type.
 * Reading: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-query
 * Writing: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-sobject-basic-info
 */
export const sobject = (
  org: Org,
  {
    besides = () => ({}),
    clauses = {},
    companions = {},
    complete = (_, __, records) => Effect.succeed(records),
    fixed = () => ({}),
    keeping,
    listed = () => undefined,
    parts = {},
    prefix = "",
    steps = {},
    subselects = {},
    together = [],
    type,
    where
  }: SObject
) => {
  const isOurs = (id: string) => isId(id) && id.startsWith(prefix)

  const select = (variant: CompiledVariant, fields: Fields): ReadonlyArray<string> => {
    const found = variant.reads.flatMap((native) => {
      const [first = native] = native.split(".")
      const more = (companions[native] ?? []).filter((name) => fields.readable.has(name))
      return [
        ...more,
        ...[subselects[native] ?? (isFieldPath(native) && fields.readable.has(first) ? native : [])].flat()
      ]
    })
    return [...new Set(["Id", ...found])]
  }

  const native = (record: Native): NativeRecord => {
    if (record.IsDeleted !== true) return { nativeType: type, record }
    const at = dateTime.decode(record.SystemModstamp ?? record.LastModifiedDate, { reference: () => "" })
    const into = record[master]
    const merge = typeof into === "string" ? { merge: { into } } : {}
    return { nativeType: type, record, deletedAt: typeof at === "string" ? at : null, ...merge }
  }

  /** Reason that a record is missing: with the record that it was merged into, if it was. */
  const missing = Effect.fnUntraced(function* (connection: ConnectionRef, operation: string, id: string) {
    const fields = yield* org.fieldsOf(connection, type)
    if (!fields.readable.has(master)) return yield* failure(operation, new Missing())
    const text = soql(["Id", master], type, [`Id = ${quote(id)}`], "LIMIT 1")
    const [found] = yield* org.query(connection, operation, text, true)
    const into = found?.[master]
    return yield* failure(operation, new Missing(typeof into === "string" ? { mergedInto: into } : {}))
  })

  const ours = (fields: Fields) => (where === undefined ? [] : [where(fields)])

  const rows = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    operation: string,
    conditions: ReadonlyArray<string>,
    rest: string,
    isAll = false
  ) =>
    org.fieldsOf(connection, type).pipe(
      Effect.flatMap((fields) => {
        // a query for all records includes old ones too
        const live = isAll && keeping === "archives" ? ["(IsDeleted = true OR IsArchived = false)"] : []
        const merges = isAll && fields.readable.has(master) ? [master] : []
        const names = [...new Set([...select(variant, fields), ...merges])]
        const text = soql(names, type, [...ours(fields), ...live, ...conditions], rest)
        return org.query(connection, operation, text, isAll)
      }),
      Effect.map((found) => found.map(native))
    )

  /** `known`: rows that belong to the records and came with them. */
  const completed = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    variant: CompiledVariant,
    records: ReadonlyArray<Native>,
    known: Partial<Besides> = {}
  ) {
    if (records.length === 0) return []
    const ids = records.map(({ Id }) => quote(String(Id))).join(", ")
    const all = yield* Effect.all(
      Record.map(besides(variant), (ask, name) => {
        const rows = known[name]
        return rows === undefined ? org.query(connection, `${type}.${name}`, ask(ids)) : Effect.succeed(rows)
      }),
      { concurrency: "unbounded" }
    )
    return (yield* complete(connection, variant, records, all)).map(native)
  })

  /** Queries of a record and of the rows that belong to it. */
  const reading = (variant: CompiledVariant, fields: Fields, idIn: (earlier: Earlier) => string): Parts => ({
    read: (earlier) =>
      query(soql(select(variant, fields), type, [...ours(fields), `Id = ${quote(idIn(earlier))}`], "LIMIT 1")),
    ...Record.map(besides(variant), (ask) => (earlier: Earlier) => query(ask(quote(idIn(earlier)))))
  })

  /** The record found by such queries. */
  const readIn = (connection: ConnectionRef, variant: CompiledVariant, answers: Answers) => {
    const [found] = rowsIn(answers.read) ?? []
    const known = Record.map(besides(variant), (_, name) => rowsIn(answers[name]))
    return found === undefined
      ? Effect.succeedNone
      : Effect.map(completed(connection, variant, [found], known), ([record]) => Option.fromNullable(record))
  }

  const known: Clauses<Said> = { ...stampClauses, ...clauses }
  const finds = [...foundBy(known), ...(keeping === "lasting" ? [] : [deletedToo])]

  /** Records of these ids; the position is the last id looked for. */
  const among = (
    ids: ReadonlyArray<string>,
    position: string | null,
    limit: number,
    fetch: (condition: string, size: number) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  ): Effect.Effect<Page, ProviderError> => {
    const left = ids.filter((id) => isOurs(id) && (position === null || id > position)).toSorted()
    const some = left.slice(0, Math.min(limit, mostIds))
    if (some.length === 0) return Effect.succeed(none)
    return Effect.map(fetch(`Id IN (${some.map(quote).join(", ")})`, some.length), (records) => ({
      records,
      next: left.length > some.length ? (some.at(-1) ?? null) : null,
      sparse: records.length < some.length
    }))
  }

  /** Keyset on the id: it never changes, is indexed, and sorts as it compares. */
  const pageOf = Effect.fnUntraced(function* (
    request: ListRequest,
    variant: CompiledVariant,
    all: ReadonlyArray<Said>
  ) {
    const { connection, limit, position, wanted } = request
    const fields = yield* org.fieldsOf(connection, type)
    const shown = listed(fields)
    const queries = queriesFor(
      all.flatMap((said) => (isFind(said) ? [] : [said])),
      fields
    ).map((query) => (shown === undefined ? query : [...query, shown]))
    const isAll = wanted[deletedToo] !== undefined
    const fetch = (more: ReadonlyArray<string>, size: number) =>
      Effect.map(
        Effect.forEach(
          queries,
          (query) => rows(connection, variant, `${type}.list`, [...query, ...more], `ORDER BY Id LIMIT ${size}`, isAll),
          { concurrency: "unbounded" }
        ),
        (found) => merged(found, size)
      )
    const [first, ...others] = yield* Effect.forEach(all.filter(isFind), (find) => find(connection), {
      concurrency: "unbounded"
    })
    const page =
      first === undefined
        ? yield* keyset(maximum, idOf, (after, size) =>
            fetch(after === undefined ? [] : [`Id > ${quote(after)}`], size)
          )(position, limit)
        : yield* among(
            others.reduce((ids, more) => Array.intersection(ids, more), first),
            position,
            limit,
            (ids, size) => fetch([ids], size)
          )
    const records = page.records.map(({ record }) => record)
    return { ...page, records: yield* completed(connection, variant, records) }
  })

  const list = (request: ListRequest): Effect.Effect<Page, ProviderError> => {
    const variant = request.mapping.variant(type)
    const said = clausesFor(known, request)
    return variant === undefined || Option.isNone(said)
      ? Effect.succeed(none)
      : Effect.catchIf(pageOf(request, variant, said.value), isNoId, () => Effect.succeed(none))
  }

  const get = Effect.fnUntraced(function* ({ connection, id, variant }: Target) {
    const operation = `${type}.get`
    if (!isOurs(id)) return yield* failure(operation, new Missing())
    const parts = reading(variant, yield* org.fieldsOf(connection, type), () => id)
    const found = yield* readIn(connection, variant, yield* composite(org, connection, operation, parts))
    return yield* Option.match(found, {
      onNone: () => missing(connection, operation, id),
      onSome: (record) => Effect.succeed(record)
    })
  })

  const getMany = ({ connection, ids, variant }: Targets) =>
    Effect.map(
      Effect.forEach(
        Array.chunksOf(ids.filter(isOurs), mostIds),
        (some) => {
          const found = rows(
            connection,
            variant,
            `${type}.list`,
            [`Id IN (${some.map(quote).join(", ")})`],
            "ORDER BY Id"
          )
          return Effect.flatMap(found, (all) =>
            completed(
              connection,
              variant,
              all.map(({ record }) => record)
            )
          )
        },
        { concurrency: "unbounded" }
      ),
      (found) => found.flat()
    )

  /** Fails unless the record is one of the resource's; one that was read before a write is. */
  const admitted = (target: Target & { readonly current: NativeRecord | undefined }) =>
    where === undefined || target.current !== undefined ? Effect.void : Effect.asVoid(get(target))

  /**
   * Changes a record along with what goes with it and reads it back, in one call where no step follows; a failure lists what
   * was done before it.
   */
  const written = Effect.fnUntraced(function* (
    { connection, encoded, variant }: Pick<CreateRequest, "connection" | "encoded" | "variant">,
    operation: string,
    changes: Parts,
    idIn: (earlier: Earlier) => string
  ) {
    const wanted = Object.entries(encoded.steps)
    const together = wanted.flatMap(([name, value]) => Object.entries(parts[name]?.(value) ?? {}))
    const later = wanted.filter(([name]) => parts[name] === undefined)
    const all: Parts = {
      ...changes,
      ...Object.fromEntries(together.map(([name, make]) => [name, (earlier: Earlier) => make(idIn(earlier))]))
    }
    // records of a batch are read back together
    const isAlone = later.length === 0 && (yield* FiberRef.get(gathered)) === undefined
    const fields = isAlone ? yield* Effect.option(org.fieldsOf(connection, type)) : Option.none()
    const reads = Option.match(fields, { onNone: () => ({}), onSome: (fields) => reading(variant, fields, idIn) })
    const answers = Record.isEmptyRecord(all) ? {} : yield* composite(org, connection, operation, { ...all, ...reads })
    const after = Effect.fnUntraced(function* (id: string) {
      const done = Record.isEmptyRecord(changes) ? [] : ["record"]
      for (const [name, value] of later) {
        const step = steps[name]
        if (step === undefined) return yield* Effect.dieMessage(`${type} has no step ${name}`)
        yield* step(connection, id, value).pipe(
          Effect.mapError(({ detail, reason, status }) => {
            return new ProviderError({ provider: "salesforce", operation, reason, status, detail, done: [...done] })
          })
        )
        done.push(name)
      }
      // the parts that are missing are read again
      const found = yield* Effect.option(readIn(connection, variant, answers))
      const record = Option.getOrUndefined(Option.flatten(found))
      return { id, ...(record === undefined ? {} : { record }) } satisfies Written
    })
    return { answers, after }
  })

  const create = Effect.fnUntraced(function* (request: CreateRequest): Effect.fn.Return<Written, ProviderError> {
    const operation = `${type}.create`
    const values = namesPlaces(request.encoded.record)
      ? settleAddresses(yield* org.fieldsOf(request.connection, type), request.encoded.record)
      : request.encoded.record
    const record = () => insertion(type, values, headersFor(request))
    const { after, answers } = yield* written(request, operation, { record }, ({ made }) => made("record"))
    const made = answers.record
    return yield* isNative(made) && typeof made.id === "string"
      ? after(made.id)
      : failure(operation, new Malformed(), "the answer has no id")
  })

  /**
   * There is no PUT: a full body comes with null for what it leaves out. Only what differs is sent, since Salesforce refuses some
   * fields of some records even unchanged, such as the account of a person.
   */
  const update = Effect.fnUntraced(function* (request: UpdateRequest): Effect.fn.Return<Written, ProviderError> {
    const { connection, encoded, id, mode } = request
    const operation = `${type}.${mode}`
    if (!isOurs(id)) return yield* failure(operation, new Missing())
    const held = request.current ?? (yield* get(request))
    const known =
      namesPlaces(encoded.record) || Object.values(encoded.record).includes(null)
        ? yield* org.fieldsOf(connection, type)
        : undefined
    const taken =
      known === undefined ? encoded.record : accepted(known, settleAddresses(known, encoded.record, held.record), mode)
    const different = changesOf(taken, held.record, [...codesTogether, ...together], isHeldInOrg)
    const unchangeable = fixed(held.record)
    // a full body that leaves out such a field leaves it
    const record = Record.filter(
      different,
      (value, name) => unchangeable[name] === undefined || value !== null || mode === "patch"
    )
    const refused = Record.filter(unchangeable, (_, name) => name in record)
    if (!Record.isEmptyRecord(refused)) return yield* failure(operation, new Invalid({ fields: refused }))
    if (Record.isEmptyRecord(record)) {
      if (Record.isEmptyRecord(encoded.steps)) return { id, record: held }
      const { after } = yield* written(request, operation, {}, () => id)
      return yield* after(id)
    }
    const { after } = yield* written(
      request,
      operation,
      { record: () => change(type, id, record, headersFor(request)) },
      () => id
    )
    return yield* after(id)
  })

  const remove = (target: Target & { readonly current: NativeRecord | undefined }) => {
    const { connection, id } = target
    if (!isOurs(id)) return failure(`${type}.remove`, new Missing())
    const operation = `${type}.remove`
    const removed = Effect.asVoid(send(org, connection, operation, removal(type, id)))
    return Effect.zipRight(admitted(target), removed).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing" && reason.mergedInto === undefined,
        () => missing(connection, operation, id)
      )
    )
  }

  return {
    readsBeforeUpdate: true,
    finds,
    list,
    get,
    getMany,
    create,
    replace: update,
    patch: update,
    remove
  } satisfies Partial<ResourceAdapter>
}
