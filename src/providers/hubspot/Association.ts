import { type ComputedEntry, computed, getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import type { Links } from "./Objects.ts"

/** The record that the field shows: the one linked in the given way, else the first that is linked at all. */
const linked = (record: Native, to: string, type: string): string | undefined => {
  const results = getPath(record, `associations.${to}.results`)
  const links = Array.isArray(results) ? results.filter(isNative) : []
  const shown = links.find((link) => link.type === type) ?? links[0]
  return shown === undefined ? undefined : String(shown.id)
}

/**
 * A field that holds the id of another record, which HubSpot keeps as an association. Writing it replaces the link that
 * the field shows; other links of the record stay. `type` is how a read names the association, `typeId` how a write does:
 * https://developers.hubspot.com/docs/guides/api/crm/associations/associations-v4#association-type-id-values
 */
export const association = (
  canonical: string,
  { to, type, typeId }: { readonly to: string; readonly type: string; readonly typeId: number }
): ComputedEntry =>
  computed({
    canonical,
    native: [`associations.${to}`],
    needsCurrent: true,
    decode: ({ record }) => linked(record, to, type),
    encode: (value, { current, step }) => {
      const before = current === undefined ? undefined : linked(current.record, to, type)
      const after = value === null || value === "" ? undefined : String(value)
      if (before === after) return
      step(`associations.${to}`, {
        to,
        link: after === undefined ? [] : [{ id: after, typeId }],
        unlink: before === undefined ? [] : [before]
      } satisfies Links)
    }
  })
