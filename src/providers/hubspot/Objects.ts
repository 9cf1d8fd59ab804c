import { Array, DateTime, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { afterDoing } from "../base/CompoundWrite.ts"
import { type Fetch, inOrder, sifted } from "../base/Paginator.ts"
import { textOf } from "../base/Paging.ts"
import { rest } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, foundBy } from "../Filtering.ts"
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
import { Missing, ProviderError } from "../ProviderError.ts"
import { archivedPaging, envelope, madeBy, paging } from "./Answers.ts"
import { linkCalls } from "./LinkCalls.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { checkId, mergedAway, mergedProperty, withMerged } from "./Merges.ts"
import {
  areMet,
  type Cut,
  cutOf,
  type Groups,
  isCut,
  lookedAt,
  narrowed,
  readBatch,
  searching,
  withLinks
} from "./Search.ts"

/**
 * Operations on CRM objects of any type: HubSpot uses the same paths, paging and bodies for contacts, deals, notes and the
 * rest. The object type is the native type of the mapping's variant.
 * https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm
 */

/** The names that paths have below a root. */
export const under = (root: string, paths: ReadonlyArray<string>) =>
  paths.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

/** The properties and associations that a variant reads; HubSpot gives only a few without being asked. */
const wanted = ({ reads }: CompiledVariant) => ({
  properties: [...under("properties.", reads), mergedProperty],
  associations: under("associations.", reads)
})

/**
 * Whether the property names are too long for a URL. HubSpot answers 414 above about 8,000 characters, and the rest of the URL
 * needs some of them.
 */
const isLong = (properties: ReadonlyArray<string>): boolean =>
  properties.reduce((length, name) => length + "&properties=".length + encodeURIComponent(name).length, 0) > 6000

/** The variant without its properties if they do not fit into a URL. */
const shortened = (variant: CompiledVariant): CompiledVariant =>
  isLong(wanted(variant).properties)
    ? { ...variant, reads: variant.reads.filter((path) => path.startsWith("associations.")) }
    : variant

/** Fails a read whose record was deleted in the meantime. */
const goneMeanwhile = ({ nativeType }: CompiledVariant) =>
  new ProviderError({ provider: "hubspot", operation: `${nativeType}.get`, reason: new Missing() })

/** How the path of most object types begins. */
const objectsPath = "/crm/v3/objects"

/** Writes of single records of a type below a path. */
export const writes = (call: Caller, path = objectsPath) => ({
  /** The id of the new record. */
  create: (connection: ConnectionRef, type: string, json: Native): Effect.Effect<string, ProviderError> => {
    const request: Call = { operation: `${type}.create`, method: "POST", path: `${path}/${type}`, json }
    return Effect.map(madeBy(call, connection, request), ({ id }) => String(id))
  },
  update: (connection: ConnectionRef, type: string, id: string, properties: Native) =>
    call(connection, {
      operation: `${type}.update`,
      method: "PATCH",
      path: `${path}/${type}/:id`,
      params: { id },
      json: { properties }
    }),
  archive: (connection: ConnectionRef, type: string, id: string) =>
    call(connection, {
      operation: `${type}.archive`,
      method: "DELETE",
      path: `${path}/${type}/:id`,
      params: { id }
    })
})

/** Filters that the clauses of each of several types answer. */
const foundByAll = (all: ReadonlyArray<Clauses<Groups>>) => {
  const [first = [], ...others] = all.map(foundBy)
  return first.filter((name) => others.every((found) => found.includes(name)))
}

/** Most records of an answer to a list that takes no filters. */
const wholePage = 100

/** Most records that one batch reads. */
const mostIds = 100

type Targets = Parameters<NonNullable<ResourceAdapter["getMany"]>>[0]

/** Where types of objects differ. */
interface Facts {
  /** Clauses of the search for each native type, by filter. */
  readonly filters: { readonly [nativeType: string]: Clauses<Groups> }
  readonly path?: string
  /** Properties that a new record needs and a body may leave out. */
  readonly initial?: (nativeType: string, now: string) => Native
}

/** The operations of a resource whose native types are CRM objects. */
export const objects = (
  call: Caller,
  typeOf: LinkTypes,
  mapping: Mapping,
  { filters, initial = () => ({}), path = objectsPath }: Facts
) => {
  const write = writes(call, path)
  const { applyLinks, typed, withAllLinks } = linkCalls(call, typeOf)

  const update = ({ connection, encoded, id, variant }: UpdateRequest): Effect.Effect<Written, ProviderError> =>
    Effect.gen(function* () {
      const type = variant.nativeType
      const links = yield* typed(connection, type, encoded.steps)
      const done = Array.empty<string>()
      let heldBy = id
      const properties = encoded.record.properties
      if (isNative(properties) && Object.keys(properties).length > 0) {
        const written = yield* write.update(connection, type, id, properties)
        // HubSpot writes to the record that this one was merged into
        heldBy = textOf(getPath(written.body, "id")) ?? id
        done.push("record")
      }
      for (const some of links) {
        yield* Effect.mapError(applyLinks(connection, type, id, some), afterDoing([...done]))
        done.push(`associations.${some.to}`)
      }
      // the answer lacks the associations and what HubSpot computes: the record is read back
      return { id: heldBy }
    })

  const facts = { envelope, mapping, path: (type: string) => `${path}/${type}`, fields: wanted, isWhole: () => false }
  const plain = rest(call, { ...facts, paging })
  const archived = rest(call, { ...facts, verbs: ["list"], paging: archivedPaging })

  /** Adds the properties that did not fit into the URL, with a batch read. */
  const complete = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    records: ReadonlyArray<NativeRecord>,
    isArchived = false
  ): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> => {
    const { nativeType } = variant
    const { properties } = wanted(variant)
    const ids = records.map(({ record: { id } }) => String(id))
    if (!isLong(properties) || ids.length === 0) return Effect.succeed(records)
    const place = `${path}/${nativeType}`
    return Effect.map(readBatch(call, connection, `${nativeType}.read`, place, ids, properties, isArchived), (byId) =>
      records.flatMap((one) => {
        const record = byId.get(String(one.record.id))
        return record === undefined ? [] : [{ ...one, record: { ...one.record, ...record } }]
      })
    )
  }

  const completePage =
    ({ connection }: ListRequest, variant: CompiledVariant, isArchived = false) =>
    (page: Page): Effect.Effect<Page, ProviderError> =>
      Effect.map(complete(connection, variant, page.records, isArchived), (records) => ({ ...page, records }))

  /** Records of a type that are meant: a list gives them with their links, a search without. */
  const live = (request: ListRequest, variant: CompiledVariant, cut: Cut): Fetch => {
    const { connection, mapping: whole } = request
    const own = { ...whole, variants: [shortened(variant)] }
    const { associations, properties } = wanted(variant)
    const type = variant.nativeType
    const search = searching(call, connection, { cut, nativeType: type, path: `${path}/${type}`, properties })
    const meets = areMet(cut.left)
    return (position, limit) =>
      isCut(cut)
        ? Effect.flatMap(search(position, limit), ({ next, records }) =>
            Effect.map(withLinks(call, connection, type, associations, records.filter(meets)), (found): Page => ({
              next,
              records: found,
              sparse: cut.left.length > 0
            }))
          )
        : Effect.flatMap(plain.list({ ...request, mapping: own, position, limit }), completePage(request, variant))
  }

  /** Archived records of a type: HubSpot keeps them for 90 days, and no search finds them. */
  const gone = (request: ListRequest, variant: CompiledVariant, cut: Cut): Fetch => {
    const reads = [...new Set([...variant.reads, ...lookedAt(cut.exact).map((name) => `properties.${name}`)])]
    const whole = { ...variant, reads }
    const own = { ...request.mapping, variants: [shortened(whole)] }
    const list: Fetch = (position) =>
      Effect.flatMap(
        archived.list({ ...request, mapping: own, wanted: {}, position, limit: wholePage }),
        completePage(request, whole, true)
      )
    const pages = sifted(areMet(cut.exact), ({ record: { id } }) => Number(id), list)
    return (position, limit) =>
      Effect.map(pages(position, limit), (page) => ({
        ...page,
        records: page.records.map((one) => ({ ...one, deletedAt: textOf(one.record.archivedAt) }))
      }))
  }

  /** Records of a type that are gone through a merge; lists of archived records do not show them. */
  const merged = ({ connection }: ListRequest, { nativeType }: CompiledVariant, cut: Cut): Fetch => {
    const narrow = narrowed(cut, [[{ propertyName: mergedProperty, operator: "HAS_PROPERTY" }]])
    const asked = { cut: narrow, nativeType, path: `${path}/${nativeType}`, properties: [mergedProperty] }
    const search = searching(call, connection, asked)
    const meets = areMet(narrow.left)
    return mergedAway(
      (position, limit) =>
        Effect.map(search(position, limit), (page) => ({ ...page, records: page.records.filter(meets) })),
      wholePage
    )
  }

  /** `more`: clauses that depend on the account. */
  const list = (request: ListRequest, more: Clauses<Groups> = {}): Effect.Effect<Page, ProviderError> => {
    const all = request.mapping.variants.map((variant) => {
      const cut = cutOf({ ...filters[variant.nativeType], ...more }, request)
      return cut && { variant, cut }
    })
    const asked = all.filter((one) => one !== undefined)
    const isWhole = request.wanted.include_deleted !== undefined
    const fetches = [
      ...asked.map(({ cut, variant }) => live(request, variant, cut)),
      ...(isWhole
        ? asked.flatMap(({ cut, variant }) => [gone(request, variant, cut), merged(request, variant, cut)])
        : [])
    ]
    return Effect.flatMap(inOrder("hubspot", fetches)(request.position, request.limit), (page) =>
      Effect.map(Effect.forEach(page.records, withAllLinks(request.connection)), (records) => ({
        ...page,
        records: records.map(withMerged)
      }))
    )
  }

  /** https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm */
  const batch = Effect.fnUntraced(function* ({ connection, ids, variant }: Targets) {
    const { associations, properties } = wanted(variant)
    const { nativeType } = variant
    const operation = `${nativeType}.read`
    const byId = yield* readBatch(call, connection, operation, `${path}/${nativeType}`, ids, properties)
    const records = [...byId.values()].map((record): NativeRecord => ({ nativeType, record }))
    const linked = yield* withLinks(call, connection, nativeType, associations, records)
    return yield* Effect.forEach(linked, withAllLinks(connection))
  })

  return {
    ...plain,
    getMany: (targets: Targets) =>
      Effect.map(
        Effect.forEach(Array.chunksOf(targets.ids, mostIds), (ids) => batch({ ...targets, ids }), {
          concurrency: "unbounded"
        }),
        (found) => found.flat()
      ),
    finds: [...foundByAll(Object.values(filters)), "include_deleted"],
    list,
    get: (target: Target) =>
      plain.get({ ...target, variant: shortened(target.variant) }).pipe(
        Effect.tap(({ nativeType, record }) => checkId(`${nativeType}.get`, target.id)(record)),
        Effect.flatMap((found) => complete(target.connection, target.variant, [found])),
        Effect.flatMap(Array.head),
        Effect.catchTag("NoSuchElementException", () => Effect.fail(goneMeanwhile(target.variant))),
        Effect.flatMap(withAllLinks(target.connection))
      ),
    create: (request: CreateRequest): Effect.Effect<Written, ProviderError> =>
      Effect.gen(function* () {
        const { connection, encoded, variant } = request
        const type = variant.nativeType
        const now = DateTime.formatIso(yield* DateTime.now)
        const given = encoded.record.properties
        const associations = (yield* typed(connection, type, encoded.steps)).flatMap(({ link, types }) =>
          link.map((id) => ({ to: { id }, types }))
        )
        const properties = { ...initial(type, now), ...(isNative(given) ? given : {}) }
        return yield* plain.create({ ...request, encoded: { ...encoded, record: { properties, associations } } })
      }),
    replace: update,
    patch: update,
    // under the id of a merged contact HubSpot archives the one that it was merged into
    readsBeforeRemove: true,
    remove: plain.remove
  }
}
