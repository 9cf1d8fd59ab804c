import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { afterDoing, beneath, differences, type Made, orTakeBack } from "../base/CompoundWrite.ts"
import type { Call, Caller } from "../base/Upstream.ts"
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
 * Records that a lead hangs on: member of the native record, type of record, the lead's field for the id, and the name that
 * callers know.
 */
const links = [
  { member: "person", of: "persons", id: "person_id", owner: "contact" },
  { member: "organization", of: "organizations", id: "organization_id", owner: "account" }
] as const
type Link = (typeof links)[number]

const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** One of the records that a written lead hangs on, as it is now. */
interface Hung {
  readonly ids?: Native
  readonly name?: unknown
  readonly record?: Native
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

  /** Records that leads hang on, by their ids; does not read one that is known. */
  const related = (connection: ConnectionRef, { of }: Link, ids: ReadonlyArray<unknown>, known?: unknown) => {
    const held = isNative(known) && ids.includes(known.id) ? [known] : []
    const wanted = [...new Set(ids.filter((id) => typeof id === "number" && id !== held[0]?.id))]
    const query = { ids: wanted.join(","), limit: batch }
    const request: Call = { operation: `${of}.list`, method: "GET", path: `/api/v2/${of}`, query }
    const read =
      wanted.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(call(connection, request), (answer) => recordsOf(request, answer))
    return Effect.map(read, (found) => new Map([...held, ...found].map((record) => [record.id, record])))
  }

  /** Leads with the records that they hang on, as far as the mapping reads them and they are not known already. */
  const complete = (
    connection: ConnectionRef,
    { reads }: CompiledVariant,
    found: ReadonlyArray<NativeRecord>,
    known: Native = {}
  ) =>
    Effect.map(
      Effect.forEach(
        links.filter(({ member }) => reads.some((read) => read.startsWith(`${member}.`))),
        (link) =>
          Effect.map(
            related(
              connection,
              link,
              found.map(({ record }) => record[link.id]),
              known[link.member]
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
            ...Object.fromEntries(parts.map(({ id, member, records }) => [member, records.get(record[id]) ?? null]))
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
   * Writes a record that a lead hangs on, and makes it if it is not there; returns the lead's name and the ids to give it.
   * A record that the lead is newly put on is not its alone: values for it change nothing there, and a strict write is
   * refused where they differ. A new lead without a title of its own is called like what it is put on.
   */
  const writeLink = Effect.fnUntraced(function* (
    { connection, encoded: { record }, handling, variant }: Omit<CreateRequest, "idempotencyKey">,
    link: Link,
    held: Native | undefined,
    { done, made }: Work
  ) {
    const { id: field, of, owner, member } = link
    const given = record[member]
    const kept = held?.[field]
    const id = record[field] === undefined ? kept : record[field]
    const lendsName = held === undefined && record.title === undefined && typeof id === "number"
    if (!isNative(given) && !lendsName) return {}
    const value = isNative(given) ? given : {}
    if (typeof id !== "number") {
      const json = withName(Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one))))
      if (Object.keys(json).length === 0) return {}
      const request: Call = { operation: `${of}.create`, method: "POST", path: `/api/v2/${of}`, json }
      const fresh = yield* madeBy(call, connection, request).pipe(Effect.mapError(beneath(member)))
      const params = { id: String(fresh.id) }
      const remove: Call = { operation: `${of}.remove`, method: "DELETE", path: `/api/v2/${of}/:id`, params }
      made.push({ name: member, remove: call(connection, remove) })
      return { ids: { [field]: fresh.id }, name: json.name ?? nameOf(json), record: fresh }
    }
    const before = (yield* related(connection, link, [id], held?.[member])).get(id)
    if (before === undefined) {
      return yield* failure(`${of}.get`, new Invalid({ fields: { [field]: `is not one of the ${of}` } }))
    }
    if (id !== kept) {
      const fields =
        handling === "strict"
          ? differences(variant, { [member]: shown(before) }, { owner, base: member, said: value })
          : {}
      if (Object.keys(fields).length > 0) return yield* failure(`${of}.get`, new Invalid({ fields }))
      return { name: before.name, record: before }
    }
    const json = withName(changes(value, before), before)
    if (Object.keys(json).length === 0) return {}
    const params = { id: String(id) }
    const request: Call = { operation: `${of}.patch`, method: "PATCH", path: `/api/v2/${of}/:id`, params, json }
    const answer = yield* call(connection, request).pipe(Effect.mapError(beneath(member)))
    done.push(member)
    return { record: yield* recordOf(request, answer) }
  })

  const writeLinks = (
    request: Omit<CreateRequest, "idempotencyKey">,
    held: Native | undefined,
    work: Work
  ): Effect.Effect<{ readonly ids: Native; readonly known: Native; readonly title: string }, ProviderError> =>
    Effect.map(
      Effect.forEach(links, (link): Effect.Effect<Hung, ProviderError> => writeLink(request, link, held, work)),
      (found) => ({
        ids: found.reduce<Native>((all, { ids }) => ({ ...all, ...ids }), {}),
        known: Object.fromEntries(links.map(({ member }, i) => [member, found[i]?.record ?? held?.[member]])),
        title: found.flatMap(({ name }) => (typeof name === "string" && name !== "" ? [name] : [])).join(", ")
      })
    )

  /** Changes a lead, and returns it as it is then. */
  const patch = (connection: ConnectionRef, operation: string, id: string, json: Native) => {
    const request: Call = { operation, method: "PATCH", path: "/api/v1/leads/:id", params: { id }, json }
    return Effect.flatMap(call(connection, request), (answer) => recordOf(request, answer))
  }

  /** A written lead, with the records that it hangs on; where they cannot be had, it is read back. */
  const written = (
    { connection, variant }: Pick<Target, "connection" | "variant">,
    record: Native,
    known: Native
  ): Effect.Effect<Written> => {
    const id = String(record.id)
    return complete(connection, variant, [{ nativeType: type, record }], known).pipe(
      Effect.map(([whole]) => ({ id, ...(whole === undefined ? {} : { record: whole }) })),
      Effect.orElseSucceed(() => ({ id }))
    )
  }

  const create = (request: CreateRequest): Effect.Effect<Written, ProviderError> => {
    const { connection, encoded } = request
    const operation = `${type}.create`
    const work: Work = { done: [], made: [] }
    // a lead is made unarchived, even if it is to be archived
    const { is_archived, organization: _, person: __, ...own } = encoded.record
    const lead = Effect.gen(function* () {
      const { ids, known, title } = yield* writeLinks(request, undefined, work)
      const json = { title, ...own, ...ids }
      const post: Call = { operation, method: "POST", path: "/api/v1/leads", json }
      return { known, record: yield* madeBy(call, connection, post) }
    })
    return Effect.gen(function* () {
      const { known, record } = yield* orTakeBack(lead, work.made)
      const done = [...work.made.map(({ name }) => name), "record"]
      const now =
        is_archived === true
          ? yield* Effect.mapError(patch(connection, operation, String(record.id), { is_archived }), afterDoing(done))
          : record
      return yield* written(request, now, known)
    })
  }

  const update = (request: UpdateRequest): Effect.Effect<Written, ProviderError> => {
    const { connection, current, encoded, id, mode } = request
    const work: Work = { done: [], made: [] }
    const { organization: _, person: __, ...own } = encoded.record
    const lead = Effect.gen(function* () {
      const { record: held } = current ?? (yield* get(request))
      const { ids, known } = yield* writeLinks(request, held, work)
      const json = changes({ ...own, ...ids }, held)
      const cleared = links.filter((link) => json[link.id] === null)
      if (cleared.length > 0 && links.every((link) => ({ ...held, ...json })[link.id] === null)) {
        const fields = Object.fromEntries(cleared.map((link) => [link.id, hangsOnNothing]))
        return yield* failure(`${type}.${mode}`, new Invalid({ fields }))
      }
      const now = Object.keys(json).length > 0 ? yield* patch(connection, `${type}.${mode}`, id, json) : held
      return yield* written(request, now, known)
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
