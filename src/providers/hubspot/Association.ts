import { type Entries, staysAsItIs } from "../../mapping/Entries.ts"
import { type ComputedEntry, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { isPrimary } from "./LinkTypes.ts"
import type { Links } from "./Links.ts"

/**
 * Links from a record to records of another type. A write names a kind of link by its id, which `LinkTypes` knows; records
 * come with its name, longer lists of links with its label.
 * https://developers.hubspot.com/docs/guides/api/crm/associations/associations-v4
 */
interface Way {
  /** The other type. */
  readonly to: string
  /** The name of the kind in records, where there are several to that type. */
  readonly type?: string
  /** Of the kind that a record has one of. */
  readonly primary?: boolean
}

const linksOf = ({ associations }: Native, { to }: Way): ReadonlyArray<Native> => {
  const links = isNative(associations) ? associations[to] : undefined
  return isNative(links) ? natives(links.results) : []
}

/**
 * The record that a field shows: the one of the primary link, where HubSpot marks one, else the first that is linked. A
 * record whose primary link was removed has none, as `associatedcompanyid` of a contact says too.
 * https://developers.hubspot.com/changelog/changes-to-primary-labels-for-hubspot-defined-association-labels
 */
export const linked = (record: Native, way: Way): string | undefined => {
  const links = linksOf(record, way)
  const marked = links.find(
    ({ label, type }) => (way.type !== undefined && type === way.type) || (way.primary === true && isPrimary(label))
  )
  const shown = way.primary === true ? marked : (marked ?? links[0])
  return shown === undefined ? undefined : String(shown.id)
}

/**
 * A field that holds the id of another record, which HubSpot keeps as an association. Writing it moves the primary label,
 * or replaces the link that the field shows where there is no such label; other links of the record stay. A lasting link
 * can be replaced, not removed.
 */
export const association = <N extends string>(
  of: Entries<N>,
  canonical: N,
  way: Way,
  isLasting = false
): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: [`associations.${way.to}`],
    needsCurrent: true,
    decode: ({ record }) => linked(record, way),
    encode: (value, { body, current, prefix, step, warn }) => {
      const before = current === undefined ? undefined : linked(current.record, way)
      const after = value === null || value === "" ? undefined : String(value)
      if (before === after) return
      if (after === undefined && isLasting) {
        if (body[canonical] !== undefined) warn(prefix + canonical, "CHANGED", staysAsItIs)
        return
      }
      step(`associations.${way.to}`, {
        to: way.to,
        primary: way.primary === true,
        link: after === undefined ? [] : [after],
        unlink: before === undefined ? [] : [before]
      } satisfies Links)
    }
  })

/** A field that holds the ids of all linked records of a type, in HubSpot's order. */
export const associations = <N extends string>(of: Entries<N>, canonical: N, way: Way): ComputedEntry<N> => {
  const all = (record: Native) => [...new Set(linksOf(record, way).map(({ id }) => String(id)))]
  return of.computed({
    canonical,
    native: [`associations.${way.to}`],
    needsCurrent: true,
    decode: ({ record }) => all(record),
    encode: (value, { current, step }) => {
      const before = current === undefined ? [] : all(current.record)
      const after = Array.isArray(value) ? [...new Set(value.map(String))] : []
      step(`associations.${way.to}`, {
        to: way.to,
        primary: way.primary === true,
        link: after.filter((id) => !before.includes(id)),
        unlink: before.filter((id) => !after.includes(id))
      } satisfies Links)
    }
  })
}
