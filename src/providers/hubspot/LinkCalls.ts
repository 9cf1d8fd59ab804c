import { Effect } from "effect"
import { getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import { everything } from "../base/Paginator.ts"
import { textOf } from "../base/Paging.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { next, recordsOf } from "./Answers.ts"
import { blameLink, isLinks, type Links } from "./Links.ts"
import { isPrimary, type LinkTypes } from "./LinkTypes.ts"

/** Page size of links. */
const linkPageSize = 500

/** Association type in the form that writes use. */
interface Spec {
  readonly associationCategory: string
  readonly associationTypeId: number
}

const specs = (typeId: number): ReadonlyArray<Spec> => [
  { associationCategory: "HUBSPOT_DEFINED", associationTypeId: typeId }
]

/** Converts a label that was read to the form that writes use. Empty for an unlabelled link. */
const labelSpec = ({ category, label, typeId }: Native): ReadonlyArray<Spec> =>
  typeof category === "string" && typeof typeId === "number" && typeof label === "string"
    ? [{ associationCategory: category, associationTypeId: typeId }]
    : []

/** Links that a write changes, with the kind that new ones have. */
interface TypedLinks extends Links {
  readonly types: ReadonlyArray<Spec>
  /** Whether new links get the primary label, which a record has once. */
  readonly hasPrimary: boolean
}

/** Object types with more links than the answer contains. */
const cutShort = ({ record: { associations } }: NativeRecord): ReadonlyArray<string> =>
  isNative(associations)
    ? Object.keys(associations).filter((to) => isNative(getPath(associations[to], "paging.next")))
    : []

/** Reads and changes links of records. */
export const linkCalls = (call: Caller, typeOf: LinkTypes) => {
  /** Resolves the association types of the links that a write adds. */
  const typed = (connection: ConnectionRef, type: string, steps: { readonly [name: string]: unknown }) =>
    Effect.forEach(Object.values(steps).filter(isLinks), (links) =>
      Effect.map(
        links.link.length === 0 ? Effect.succeed(undefined) : typeOf(connection, type, links.to, links.primary),
        (kind): TypedLinks => ({
          ...links,
          types: kind === undefined ? [] : specs(kind.id),
          hasPrimary: kind?.isPrimary === true
        })
      )
    )

  /** All links of a record to records of a type. */
  const linksTo = (connection: ConnectionRef, type: string, id: string, to: string) => {
    const operation = `${type}.associations`
    return everything("hubspot", operation, (after) => {
      const request: Call = {
        operation,
        method: "GET",
        path: `/crm/v4/objects/${type}/:id/associations/${to}`,
        params: { id },
        query: { limit: linkPageSize, after: after ?? undefined }
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => Effect.map(recordsOf(request, answer), (found) => ({ answer, found }))),
        Effect.map(({ answer, found }) => ({
          next: textOf(getPath(answer.body, next)),
          records: found.flatMap((record): ReadonlyArray<Native> => {
            const kinds = record.associationTypes
            return (Array.isArray(kinds) ? kinds : []).map((kind) => ({
              id: record.toObjectId,
              label: getPath(kind, "label"),
              category: getPath(kind, "category"),
              typeId: getPath(kind, "typeId")
            }))
          })
        }))
      )
    })
  }

  /**
   * A record comes with one page of its links to a type. If there are more, they are read on their own.
   * https://developers.hubspot.com/changelog/announcing-a-change-to-how-v3-crm-apis-return-association-data
   */
  const withAllLinks =
    (connection: ConnectionRef) =>
    (found: NativeRecord): Effect.Effect<NativeRecord, ProviderError> => {
      const cut = cutShort(found)
      if (cut.length === 0) return Effect.succeed(found)
      const { associations, id } = found.record
      const inline = isNative(associations) ? associations : {}
      return Effect.map(
        Effect.forEach(cut, (to) =>
          Effect.map(linksTo(connection, found.nativeType, String(id), to), (results) => [to, { results }] as const)
        ),
        (whole) => ({
          ...found,
          record: { ...found.record, associations: { ...inline, ...Object.fromEntries(whole) } }
        })
      )
    }

  /**
   * Adds links before it removes links, so that a failure leaves one link too many rather than none. A link with custom labels
   * is never removed, because its labels would be lost. HubSpot itself moves the primary label to the new link; the old link
   * stays without it. A PUT replaces all labels of a link, so the existing ones are sent too.
   * https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide
   */
  const applyLinks = (
    connection: ConnectionRef,
    type: string,
    id: string,
    { hasPrimary, link, to, types, unlink }: TypedLinks
  ) =>
    Effect.gen(function* () {
      const operation = `${type}.associate`
      const onePath = `/crm/v4/objects/${type}/:id/associations/${to}/:toId`
      // The field can be empty although there are links, if none of them is primary.
      const held = unlink.length > 0 || hasPrimary ? yield* linksTo(connection, type, id, to) : []
      const kindsOf = (toId: string) => held.filter((one) => String(one.id) === toId)
      for (const toId of link) {
        const json = [...types, ...kindsOf(toId).flatMap(labelSpec)]
        yield* call(connection, { operation, method: "PUT", path: onePath, params: { id, toId }, json })
      }
      for (const toId of hasPrimary && link.length > 0 ? [] : unlink) {
        const kinds = kindsOf(toId)
        if (!kinds.some(({ category }) => category === "USER_DEFINED")) {
          yield* call(connection, { operation, method: "DELETE", path: onePath, params: { id, toId } })
          continue
        }
        const primary = kinds.filter(({ category, label }) => category === "HUBSPOT_DEFINED" && isPrimary(label))
        if (primary.length === 0) continue
        const inputs = [{ from: { id }, to: { id: toId }, types: primary.flatMap(labelSpec) }]
        const path = `/crm/v4/associations/${type}/${to}/batch/labels/archive`
        yield* call(connection, { operation, method: "POST", path, json: { inputs } })
      }
    }).pipe(Effect.mapError(blameLink(to)))

  return { typed, withAllLinks, applyLinks }
}
