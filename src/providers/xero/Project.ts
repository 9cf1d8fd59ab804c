import { Effect, Option } from "effect"
import { Project } from "../../canonical/accounting/Project.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, exact, foundBy } from "../Filtering.ts"
import type { NativeRecord, ResourceAdapter, UpdateRequest } from "../ProviderAdapter.ts"
import { ProviderError } from "../ProviderError.ts"
import { changesOf } from "./Changes.ts"
import { company, mappingOf, toContact, unstampedIdentity } from "./Common.ts"
import { allOf, guid } from "./Filters.ts"
import { malformed, repeatable } from "./Objects.ts"
import { numbered } from "./Pages.ts"

/**
 * Projects have an API of their own, for connections with the scope `projects`. A project keeps its contact for good, and
 * can be closed but not deleted.
 * https://developer.xero.com/documentation/api/projects/projects
 */

const isActive = computed({
  canonical: "is_active",
  native: ["status"],
  decode: ({ record }) => record.status === "INPROGRESS",
  encode: (value, { set }) => {
    if (value !== null) set("status", value === true ? "INPROGRESS" : "CLOSED")
  }
})

const contact = computed({
  canonical: "contact",
  native: ["contactId"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    typeof record.contactId === "string" ? toContact.decode(record.contactId, context) : null,
  encode: (value, encoding) => {
    const { current, prefix, set, warn } = encoding
    const path = `${prefix}contact`
    const id = value === null ? undefined : toContact.encode(value, encoding, path)
    if (current === undefined) set("contactId", id)
    else if (id !== undefined && id !== current.record.contactId)
      warn(path, "CHANGED", "stays the one the project was made for")
  }
})

const noTimes = "Xero states no timestamps for projects."

const mapping = mappingOf(Project, (of) => [
  of.variant({
    nativeType: "Project",
    entries: [
      ...unstampedIdentity(of, "projectId"),
      of.field("name", "name", text),
      isActive(of),
      contact(of),
      company(of)
    ],
    notHeld: { remote_created_at: noTimes, remote_updated_at: noTimes }
  })
])

const base = "/projects.xro/2.0/Projects"
const nativeType = "Project"

/** https://developer.xero.com/documentation/api/projects/overview (paging) */
const pageSize = 500

const filters: Clauses<{ readonly [name: string]: string }> = {
  contact: exact(({ record }) =>
    record !== undefined && guid.test(record.remoteId) ? { contactID: record.remoteId } : null
  )
}

const idOf = ({ record }: NativeRecord) => String(record.projectId)

/** Members that every change must repeat, as Xero clears them otherwise. */
const kept = (held: Native): Native => ({
  name: held.name,
  ...(typeof held.deadlineUtc === "string" ? { deadlineUtc: held.deadlineUtc } : {}),
  ...(getPath(held, "estimate.value") === undefined ? {} : { estimateAmount: getPath(held, "estimate.value") })
})

export const project = (call: Caller): ResourceAdapter => {
  const read = (connection: ConnectionRef, id: string) =>
    Effect.flatMap(
      call(connection, { operation: "Projects.get", method: "GET", path: `${base}/:id`, params: { id } }),
      ({ body, status }) =>
        isNative(body)
          ? Effect.succeed({ nativeType, record: body })
          : Effect.fail(malformed("Projects.get", status, "no project in the answer"))
    )

  const setStatus = (connection: ConnectionRef, id: string, status: unknown, done: ReadonlyArray<string>) =>
    call(connection, {
      operation: "Projects.status",
      method: "PATCH",
      path: `${base}/:id`,
      params: { id },
      json: { status }
    }).pipe(Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done }))))

  const save = Effect.fnUntraced(function* ({ connection, current, encoded, id }: UpdateRequest) {
    const { status: _, ...whole } = encoded.record
    // changing only the state does not need the current project
    const isKnown = current !== undefined || Object.keys(whole).length === 0
    const held = isKnown ? (current?.record ?? {}) : (yield* read(connection, id)).record
    const { status, ...changes } = changesOf(held, encoded.record)
    const isChanged = Object.keys(changes).length > 0
    if (isChanged) {
      yield* call(connection, {
        operation: "Projects.update",
        method: "PUT",
        path: `${base}/:id`,
        params: { id },
        json: { ...kept(held), ...changes },
        repeatable: true
      })
    }
    if (status !== undefined) yield* setStatus(connection, id, status, isChanged ? ["record"] : [])
    return { id }
  })

  return {
    mapping,
    needs: ["contact"],
    consistency: "anchored",
    finds: foundBy(filters),
    repeatsCreates: true,

    list: ({ connection, limit, position, wanted }) =>
      Option.match(clausesFor(filters, { wanted }), {
        onNone: () => Effect.succeed({ records: [], next: null }),
        onSome: (asked) =>
          numbered(pageSize, idOf, (at) => {
            const query = { ...at, ...allOf(asked) }
            return Effect.map(
              call(connection, { operation: "Projects.list", method: "GET", path: base, query }),
              ({ body }) => ({
                records: natives(getPath(body, "items")).map((record) => ({ nativeType, record })),
                count: getPath(body, "pagination.itemCount")
              })
            )
          })(position, limit)
      }),

    get: ({ connection, id }) => read(connection, id),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey }) {
      const { status, ...json } = encoded.record
      const { body: made, status: answered } = yield* call(connection, {
        operation: "Projects.create",
        method: "POST",
        path: base,
        json,
        ...repeatable(connection, nativeType, idempotencyKey)
      })
      const id = getPath(made, "projectId")
      if (!isNative(made) || typeof id !== "string")
        return yield* malformed("Projects.create", answered, "no id in the answer")
      if (status !== "CLOSED") return { id, record: { nativeType, record: made } }
      yield* setStatus(connection, id, status, ["record"])
      return { id }
    }),

    replace: save,
    patch: save
  }
}
