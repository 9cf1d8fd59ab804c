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

/** Most links a page of them may have. */
const linkPageSize = 500

/** A kind of link as a write names it. */
interface Spec {
  readonly associationCategory: string
  readonly associationTypeId: number
}

const specs = (typeId: number): ReadonlyArray<Spec> => [
  { associationCategory: "HUBSPOT_DEFINED", associationTypeId: typeId }
]

/** The label of a link that was read, as a write names it; none where the link is unlabelled. */
const labelSpec = ({ category, label, typeId }: Native): ReadonlyArray<Spec> =>
  typeof category === "string" && typeof typeId === "number" && typeof label === "string"
    ? [{ associationCategory: category, associationTypeId: typeId }]
    : []

/** Links that a write changes, with the kind that new ones have. */
interface TypedLinks extends Links {
  readonly types: ReadonlyArray<Spec>
  /** New links are of the kind that a record has one of. */
  readonly hasPrimary: boolean
}

/** Types to which a record has more links than came with it. */
const cutShort = ({ record: { associations } }: NativeRecord): ReadonlyArray<string> =>
  isNative(associations)
    ? Object.keys(associations).filter((to) => isNative(getPath(associations[to], "paging.next")))
    : []

/** Reads and changes links of records. */
export const linkCalls = (call: Caller, typeOf: LinkTypes) => {
  /** Links that a write makes and removes, with the ids of their kinds if there are any to make. */
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
   * Makes links, then removes links, so that a failure leaves a link too many rather than none. A link that carries a label
   * of the account's own is never removed, since its labels would go with it; where a record has one primary link, HubSpot
   * moves that label to the new link, and the old link stays without it. A PUT replaces the labels of a link, so those that
   * it has are sent along.
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
      // without a primary link, a field shows none although there may be links
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
