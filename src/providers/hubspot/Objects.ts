import { Effect, Schema } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping } from "../../mapping/Mapping.ts"
import { cursor, inOrder, type Slice } from "../axes/Paginator.ts"
import type { Answer, Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Invalid, Malformed, ProviderError } from "../ProviderError.ts"

/**
 * What HubSpot does with CRM objects of any type: the same paths, paging and bodies for contacts, deals, notes and the
 * rest. The object type is the native type of the mapping's variant.
 * https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm
 */

/** Most records a page may have. */
const pageSize = 100

/** A step of a write: links of the record to records of another type, to be made and to be removed. */
export const Links = Schema.Struct({
  to: Schema.String,
  link: Schema.Array(Schema.Struct({ id: Schema.String, typeId: Schema.Int })),
  unlink: Schema.Array(Schema.String)
})
export type Links = typeof Links.Type

export const isLinks = Schema.is(Links)

const malformed = (call: Call, status: number) =>
  new ProviderError({
    provider: "hubspot",
    operation: call.operation,
    reason: new Malformed(),
    status,
    detail: "the answer lacks what the API promises"
  })

/** One page of a list: `{results: [...], paging: {next: {after}}}`. */
export const readPage = (
  call: Call,
  nativeType: string,
  { body, status }: Answer
): Effect.Effect<Slice, ProviderError> => {
  const results = getPath(body, "results")
  if (!Array.isArray(results)) return Effect.fail(malformed(call, status))
  const after = getPath(body, "paging.next.after")
  return Effect.succeed({
    records: results.filter(isNative).map((record) => ({ nativeType, record })),
    next: after === undefined || after === null ? null : String(after)
  })
}

/** A single object. */
export const readRecord = (
  call: Call,
  nativeType: string,
  { body, status }: Answer
): Effect.Effect<NativeRecord, ProviderError> =>
  isNative(body) && body.id !== undefined
    ? Effect.succeed({ nativeType, record: body })
    : Effect.fail(malformed(call, status))

const under = (root: string, paths: ReadonlyArray<string>) =>
  paths.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

/** The properties and associations that a variant reads; HubSpot gives only a few without being asked. */
const wanted = ({ reads }: CompiledVariant) => ({
  properties: under("properties.", reads),
  associations: under("associations.", reads),
  archived: false
})

const specs = (typeId: number) => [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: typeId }]

const linksOf = (steps: { readonly [name: string]: unknown }) => Object.values(steps).filter(isLinks)

/** HubSpot says of an unknown record at the far end of a link only that something is not there. */
const blameLink = (links: Links) => (error: ProviderError) =>
  error.reason._tag === "Missing" || (error.reason._tag === "Invalid" && Object.keys(error.reason.fields).length === 0)
    ? new ProviderError({
        ...error,
        reason: new Invalid({ fields: { [`associations.${links.to}`]: "is not a record that HubSpot can link to" } })
      })
    : error

/** The adapter of a resource whose native types are CRM objects. */
export const objects = (call: Caller, mapping: Mapping): ResourceAdapter => {
  const pages = (connection: ConnectionRef, variant: CompiledVariant) =>
    cursor(pageSize, (after, limit) => {
      const type = variant.nativeType
      const request: Call = {
        operation: `${type}.list`,
        method: "GET",
        path: `/crm/v3/objects/${type}`,
        query: { limit, after, ...wanted(variant) }
      }
      return Effect.flatMap(call(connection, request), (answer) => readPage(request, type, answer))
    })

  /** Makes and removes links: the new ones first, so that a failure leaves a link too many rather than none. */
  const applyLinks = (connection: ConnectionRef, type: string, id: string, links: Links) => {
    const operation = `${type}.associate`
    const path = `/crm/v4/objects/${type}/:id/associations/${links.to}/:toId`
    return Effect.mapError(
      Effect.forEach(
        [
          ...links.link.map((to): Call => {
            return { operation, method: "PUT", path, params: { id, toId: to.id }, json: specs(to.typeId) }
          }),
          ...links.unlink.map((toId): Call => ({ operation, method: "DELETE", path, params: { id, toId } }))
        ],
        (request) => call(connection, request),
        { discard: true }
      ),
      blameLink(links)
    )
  }

  const update = ({ connection, encoded, id, variant }: UpdateRequest): Effect.Effect<Written, ProviderError> =>
    Effect.gen(function* () {
      const type = variant.nativeType
      const done: Array<string> = []
      const properties = encoded.record.properties
      if (isNative(properties) && Object.keys(properties).length > 0) {
        yield* call(connection, {
          operation: `${type}.update`,
          method: "PATCH",
          path: `/crm/v3/objects/${type}/:id`,
          params: { id },
          json: encoded.record
        })
        done.push("record")
      }
      for (const links of linksOf(encoded.steps)) {
        yield* Effect.mapError(
          applyLinks(connection, type, id, links),
          (error) => new ProviderError({ ...error, ...(done.length === 0 ? {} : { done: [...done] }) })
        )
        done.push(`associations.${links.to}`)
      }
      // the answer lacks the associations and what HubSpot computes: the record is read back
      return { id }
    })

  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, mapping: wantedMapping, position }) =>
      inOrder(
        "hubspot",
        wantedMapping.variants.map((variant) => pages(connection, variant))
      )(position, limit),
    get: ({ connection, id, variant }) => {
      const type = variant.nativeType
      const request: Call = {
        operation: `${type}.get`,
        method: "GET",
        path: `/crm/v3/objects/${type}/:id`,
        params: { id },
        query: wanted(variant)
      }
      return Effect.flatMap(call(connection, request), (answer) => readRecord(request, type, answer))
    },
    create: ({ connection, encoded, variant }) => {
      const type = variant.nativeType
      const associations = linksOf(encoded.steps).flatMap(({ link }) =>
        link.map(({ id, typeId }) => ({ to: { id }, types: specs(typeId) }))
      )
      const request: Call = {
        operation: `${type}.create`,
        method: "POST",
        path: `/crm/v3/objects/${type}`,
        json: { properties: {}, ...encoded.record, associations }
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => readRecord(request, type, answer)),
        Effect.map(({ record }) => ({ id: String(record.id) }))
      )
    },
    replace: update,
    patch: update,
    remove: ({ connection, id, variant }) =>
      Effect.asVoid(
        call(connection, {
          operation: `${variant.nativeType}.archive`,
          method: "DELETE",
          path: `/crm/v3/objects/${variant.nativeType}/:id`,
          params: { id }
        })
      )
  }
}
