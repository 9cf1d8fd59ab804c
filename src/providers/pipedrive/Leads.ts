import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { afterDoing, beneath, differences, type Made, orTakeBack } from "../axes/Linked.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { foundBy } from "../Filtering.ts"
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
import { Invalid, Missing, type ProviderError } from "../ProviderError.ts"
import { foundLeads, leadFilters } from "./LeadList.ts"
import { batch, changes, failure, madeBy, recordOf, recordsOf } from "./Objects.ts"
import { nameOf, shown, withName } from "./Person.ts"

/**
 * Leads, of API v1. A lead hangs on a person, an organization or both, and most of its fields are theirs: they are read
 * beside it, as `person` and `organization` of the native record, and written before it.
 * https://developers.pipedrive.com/docs/api/v1/Leads
 */

const type = "leads"

/**
 * What a lead hangs on: its place in the native record, the type of record, the lead's field for its id, and what callers
 * know it as.
 */
const links = [
  { place: "person", of: "persons", id: "person_id", owner: "contact" },
  { place: "organization", of: "organizations", id: "organization_id", owner: "account" }
] as const
type Link = (typeof links)[number]

const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** One of the records that a written lead hangs on. */
interface Hung {
  readonly ids?: Native
  readonly name?: unknown
}

const hangsOnNothing = "cannot be cleared: a Pipedrive lead hangs on a contact, an account or both"

const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** A write on its way: what it did to other records. */
interface Work {
  readonly done: Array<string>
  readonly made: Array<Made>
}

export const leads = (call: Caller, mapping: Mapping): ResourceAdapter => {
  const found = foundLeads(call)

  const related = (connection: ConnectionRef, { of }: Link, ids: ReadonlyArray<unknown>) => {
    const wanted = [...new Set(ids.filter((id) => typeof id === "number"))]
    const query = { ids: wanted.join(","), limit: batch }
    const request: Call = { operation: `${of}.list`, method: "GET", path: `/api/v2/${of}`, query }
    return wanted.length === 0
      ? Effect.succeed(new Map<unknown, Native>())
      : call(connection, request).pipe(
          Effect.flatMap((answer) => recordsOf(request, answer)),
          Effect.map((found) => new Map(found.map((record) => [record.id, record])))
        )
  }

  /** Leads with what they hang on, as far as the mapping reads it. */
  const complete = (connection: ConnectionRef, { reads }: CompiledVariant, found: ReadonlyArray<NativeRecord>) =>
    Effect.map(
      Effect.forEach(
        links.filter(({ place }) => reads.some((read) => read.startsWith(`${place}.`))),
        (link) =>
          Effect.map(
            related(
              connection,
              link,
              found.map(({ record }) => record[link.id])
            ),
            (records) => ({ ...link, records })
          ),
        { concurrency: "unbounded" }
      ),
      (parts) =>
        found.map(({ record }): NativeRecord => ({
          nativeType: type,
          record: {
            ...record,
            ...Object.fromEntries(parts.map(({ id, place, records }) => [place, records.get(record[id]) ?? null]))
          }
        }))
    )

  const list = (request: ListRequest): Effect.Effect<Page, ProviderError> => {
    const [variant] = request.mapping.variants
    return variant === undefined
      ? Effect.succeed({ records: [], next: null })
      : Effect.flatMap(found({ ...request, limit: Math.min(request.limit, batch) }), (page) =>
          Effect.map(complete(request.connection, variant, page.records), (records) => ({ ...page, records }))
        )
  }

  const get = ({ connection, id, variant }: Target): Effect.Effect<NativeRecord, ProviderError> => {
    const request: Call = { operation: `${type}.get`, method: "GET", path: "/api/v1/leads/:id", params: { id } }
    if (!isId(id)) return failure(request.operation, new Missing())
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordOf(request, answer)),
      Effect.flatMap((record) => complete(connection, variant, [{ nativeType: type, record }])),
      Effect.flatMap(([found]) =>
        found === undefined ? failure(request.operation, new Missing()) : Effect.succeed(found)
      )
    )
  }

  /**
   * Writes what a lead hangs on, and answers what it is called and which ids the lead is to be given: what is not there is
   * made. What the lead is newly put on is not its alone: what is said of it changes nothing there, and a strict write is
   * refused where it is not so already.
   */
  const writeLink = Effect.fnUntraced(function* (
    { connection, encoded: { record }, handling, variant }: Omit<CreateRequest, "idempotencyKey">,
    link: Link,
    held: Native | undefined,
    { done, made }: Work
  ) {
    const { id: field, of, owner, place } = link
    const value = record[place]
    const kept = held?.[field]
    const id = record[field] === undefined ? kept : record[field]
    if (!isNative(value)) return {}
    if (typeof id !== "number") {
      const json = withName(Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one))))
      if (Object.keys(json).length === 0) return {}
      const request: Call = { operation: `${of}.create`, method: "POST", path: `/api/v2/${of}`, json }
      const { id: fresh } = yield* madeBy(call, connection, request).pipe(Effect.mapError(beneath(place)))
      const params = { id: String(fresh) }
      const remove: Call = { operation: `${of}.remove`, method: "DELETE", path: `/api/v2/${of}/:id`, params }
      made.push({ name: place, remove: call(connection, remove) })
      return { ids: { [field]: fresh }, name: json.name ?? nameOf(json) }
    }
    const known = held?.[place]
    const before = isNative(known) && known.id === id ? known : (yield* related(connection, link, [id])).get(id)
    if (before === undefined) {
      return yield* failure(`${of}.get`, new Invalid({ fields: { [field]: `is not one of the ${of}` } }))
    }
    if (id !== kept) {
      const fields =
        handling === "strict" ? differences(variant, { [place]: shown(before) }, { owner, place, said: value }) : {}
      if (Object.keys(fields).length > 0) return yield* failure(`${of}.get`, new Invalid({ fields }))
      return { name: before.name }
    }
    const json = withName(changes(value, before), before)
    if (Object.keys(json).length === 0) return {}
    yield* call(connection, {
      operation: `${of}.patch`,
      method: "PATCH",
      path: `/api/v2/${of}/:id`,
      params: { id: String(id) },
      json
    }).pipe(Effect.mapError(beneath(place)))
    done.push(place)
    return {}
  })

  const writeLinks = (
    request: Omit<CreateRequest, "idempotencyKey">,
    held: Native | undefined,
    work: Work
  ): Effect.Effect<{ readonly ids: Native; readonly title: string }, ProviderError> =>
    Effect.map(
      Effect.forEach(links, (link): Effect.Effect<Hung, ProviderError> => writeLink(request, link, held, work)),
      (found) => ({
        ids: found.reduce<Native>((all, { ids }) => ({ ...all, ...ids }), {}),
        title: found.flatMap(({ name }) => (typeof name === "string" && name !== "" ? [name] : [])).join(", ")
      })
    )

  const patch = (connection: ConnectionRef, operation: string, id: string, json: Native) =>
    call(connection, { operation, method: "PATCH", path: "/api/v1/leads/:id", params: { id }, json })

  const create = (request: CreateRequest): Effect.Effect<Written, ProviderError> => {
    const { connection, encoded } = request
    const operation = `${type}.create`
    const work: Work = { done: [], made: [] }
    // a lead is made in work, whatever it is to be
    const { is_archived, organization: _, person: __, ...own } = encoded.record
    const lead = Effect.gen(function* () {
      const { ids, title } = yield* writeLinks(request, undefined, work)
      const json = { title, ...own, ...ids }
      const post: Call = { operation, method: "POST", path: "/api/v1/leads", json }
      return String((yield* madeBy(call, connection, post)).id)
    })
    return Effect.gen(function* () {
      const id = yield* orTakeBack(lead, work.made)
      const done = [...work.made.map(({ name }) => name), "record"]
      if (is_archived === true) {
        yield* Effect.mapError(patch(connection, operation, id, { is_archived }), afterDoing(done))
      }
      return { id }
    })
  }

  const update = (request: UpdateRequest): Effect.Effect<Written, ProviderError> => {
    const { connection, current, encoded, id, mode } = request
    const work: Work = { done: [], made: [] }
    const { organization: _, person: __, ...own } = encoded.record
    const lead = Effect.gen(function* () {
      const { record: held } = current ?? (yield* get(request))
      const { ids } = yield* writeLinks(request, held, work)
      const json = changes({ ...own, ...ids }, held)
      const cleared = links.filter((link) => json[link.id] === null)
      if (cleared.length > 0 && links.every((link) => ({ ...held, ...json })[link.id] === null)) {
        const fields = Object.fromEntries(cleared.map((link) => [link.id, hangsOnNothing]))
        return yield* failure(`${type}.${mode}`, new Invalid({ fields }))
      }
      if (Object.keys(json).length > 0) yield* patch(connection, `${type}.${mode}`, id, json)
      return { id }
    })
    return Effect.mapError(orTakeBack(lead, work.made), (error) => afterDoing(work.done)(error))
  }

  return {
    mapping,
    consistency: "anchored",
    finds: foundBy(leadFilters),
    list,
    get,
    create,
    replace: update,
    patch: update,
    remove: ({ connection, id }) => {
      const operation = `${type}.remove`
      return isId(id)
        ? Effect.asVoid(call(connection, { operation, method: "DELETE", path: "/api/v1/leads/:id", params: { id } }))
        : failure(operation, new Missing())
    }
  }
}
