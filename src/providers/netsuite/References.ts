import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { identityOf } from "../../mapping/Transform.ts"

/**
 * References to records of several types. The link of a reference names the type.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545222128.html
 */

/** The type that a reference leads to, out of `types`; references built from queries name it themselves. */
export const typeIn = (reference: unknown, types: ReadonlyArray<string>): string | undefined => {
  const [link] = natives(getPath(reference, "links"))
  const [, linked] = /\/record\/v1\/(\w+)\/\d+$/.exec(String(link?.href)) ?? []
  const found = String(getPath(reference, "recordType") ?? linked).toLowerCase()
  return types.find((type) => type.toLowerCase() === found)
}

interface Options {
  /** Path of the reference. */
  readonly native: string
  readonly resource: string
  /** Types of the resource's records. */
  readonly types: ReadonlyArray<string>
  /** Other references at the same place: canonical names, each with the types of its records. */
  readonly besides?: { readonly [canonical: string]: ReadonlyArray<string> }
  /** Those of `besides` that say more, and win where both are given. */
  readonly yieldsTo?: ReadonlyArray<string>
  /** True where every record has one: leaving it out changes nothing. */
  readonly isKept?: boolean
}

const isText = (body: Native, name: string) => typeof body[name] === "string"

export const referenceAt = <N extends string>(
  of: Entries<N>,
  canonical: N,
  { besides = {}, isKept, native, resource, types, yieldsTo = [] }: Options
): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: [native],
    needsCurrent: true,
    decode: ({ record }, context) => {
      const held = getPath(record, native)
      const [id, type] = [getPath(held, "id"), typeIn(held, types)]
      return typeof id === "string" && type !== undefined ? context.reference(resource, type, id) : null
    },
    encode: (value, encoding) => {
      const path = encoding.prefix + canonical
      if (value === null) {
        const held = encoding.get(native)
        if (isKept !== true && typeIn(held, types) !== undefined) encoding.set(native, null)
        return
      }
      const found = identityOf(value, resource, types, encoding, path)
      const others = Object.keys(besides).filter((name) => isText(encoding.body, name))
      const more = others.find((name) => yieldsTo.includes(name))
      if (more !== undefined) {
        encoding.warn(path, "NOT_HELD", `is not held: NetSuite holds one here, the ${more}`)
        return
      }
      const equal = others.find((name) => yieldsFor[canonical]?.includes(name) !== true)
      if (equal !== undefined) encoding.refuse(path, `stands where the ${equal} does; give one`)
      if (others.length === 0) sayGone(encoding, native, besides, canonical)
      if (found !== undefined && found.remoteId !== getPath(encoding.get(native), "id")) {
        encoding.set(native, { id: found.remoteId })
      }
    }
  })

/** Warns about another reference at the same place, which this one replaces. */
const sayGone = (
  { current, mode, prefix, warn }: Encoding,
  native: string,
  besides: NonNullable<Options["besides"]>,
  canonical: string
) => {
  if (mode !== "patch") return
  const held = getPath(current?.record, native)
  const gone = Object.entries(besides).find(([, types]) => typeIn(held, types) !== undefined)?.[0]
  if (gone !== undefined) {
    warn(prefix + gone, "CHANGED", `is no longer held: NetSuite holds one here, now the ${canonical}`)
  }
}

/** Parties that a reference may lead to, with the types of their records, by resource. */
const parties = { contact: ["customer", "vendor"], employee: ["employee"], project: ["job"] }

/** A project also implies its customer. */
const yieldsFor: { readonly [name: string]: ReadonlyArray<string> } = { project: ["contact"] }

/** The contact, employee or project of a document or line, where NetSuite has one reference for several of them. */
export const partyAt = <N extends keyof typeof parties>(
  of: Entries<N>,
  native: string,
  ...names: ReadonlyArray<N>
): ReadonlyArray<ComputedEntry<N>> =>
  names.map((name) =>
    referenceAt(of, name, {
      native,
      resource: name,
      types: parties[name],
      besides: Object.fromEntries(names.flatMap((other) => (other === name ? [] : [[other, parties[other]]]))),
      yieldsTo: names.filter((other) => yieldsFor[other]?.includes(name) === true)
    })
  )

/** The tax code of a line or item: a tax, or a group of taxes. */
export const taxAt = <N extends string>(of: Entries<N>, canonical: N, native: string): ComputedEntry<N> =>
  referenceAt(of, canonical, { native, resource: "tax_rate", types: ["salesTaxItem", "taxGroup"] })

/** The customer or vendor of a document, which cannot be taken off. */
export const contactAt = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  type: "customer" | "vendor"
): ComputedEntry<N> => referenceAt(of, canonical, { native, resource: "contact", types: [type], isKept: true })
