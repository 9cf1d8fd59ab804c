import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { identityOf } from "../../mapping/Transform.ts"

/**
 * References that may lead to records of several types. NetSuite says the type in the link of a reference.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545222128.html
 */

/** The one of some types that a reference leads to; references that are made of queries name it. */
export const typeIn = (reference: unknown, types: ReadonlyArray<string>): string | undefined => {
  const [link] = natives(getPath(reference, "links"))
  const [, linked] = /\/record\/v1\/(\w+)\/\d+$/.exec(String(link?.href)) ?? []
  const found = String(getPath(reference, "recordType") ?? linked).toLowerCase()
  return types.find((type) => type.toLowerCase() === found)
}

interface Options<N extends string> {
  readonly canonical: N
  /** Where the reference stands. */
  readonly native: string
  readonly resource: string
  /** Types of the resource's records. */
  readonly types: ReadonlyArray<string>
  /** Other references at the same place: canonical names, each with the types of its records. */
  readonly besides?: { readonly [canonical: string]: ReadonlyArray<string> }
  /** Those of them that say more, and are held instead where both are given. */
  readonly yieldsTo?: ReadonlyArray<string>
  /** No record is without one: leaving it out changes nothing. */
  readonly isKept?: boolean
}

const isText = (body: Native, name: string) => typeof body[name] === "string"

export const referenceAt = <N extends string>(
  of: Entries<N>,
  { besides = {}, canonical, isKept, native, resource, types, yieldsTo = [] }: Options<N>
): ComputedEntry =>
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
      const equal = others.find((name) => !(yieldsFor[name] ?? []).includes(canonical))
      if (equal !== undefined) encoding.refuse(path, `stands where the ${equal} does; give one`)
      if (others.length === 0) sayGone(encoding, native, besides, canonical)
      if (found !== undefined && found.remoteId !== getPath(encoding.get(native), "id")) {
        encoding.set(native, { id: found.remoteId })
      }
    }
  })

/** Says what else stood at the place, which is taken from it. */
const sayGone = (
  { current, mode, prefix, warn }: Encoding,
  native: string,
  besides: NonNullable<Options<string>["besides"]>,
  canonical: string
) => {
  if (mode !== "patch") return
  const held = getPath(current?.record, native)
  const gone = Object.entries(besides).find(([, types]) => typeIn(held, types) !== undefined)?.[0]
  if (gone !== undefined) {
    warn(prefix + gone, "CHANGED", `is no longer held: NetSuite holds one here, now the ${canonical}`)
  }
}

/** Parties that there may be room for, by resource: types of their records. */
const parties = { contact: ["customer", "vendor"], employee: ["employee"], project: ["job"] }

/** A project says its customer too. */
const yieldsFor: { readonly [name: string]: ReadonlyArray<string> } = { project: ["contact"] }

/** Who a document or line is about, where there is room for one of several: a contact, an employee or a project. */
export const partyAt = <N extends keyof typeof parties>(
  of: Entries<N>,
  native: string,
  ...names: ReadonlyArray<N>
): ReadonlyArray<ComputedEntry> =>
  names.map((name) =>
    referenceAt(of, {
      canonical: name,
      native,
      resource: name,
      types: parties[name],
      besides: Object.fromEntries(names.flatMap((other) => (other === name ? [] : [[other, parties[other]]]))),
      yieldsTo: names.filter((other) => yieldsFor[other]?.includes(name) === true)
    })
  )

/** The tax code of a line or item: a tax, or a group of taxes. */
export const taxAt = <N extends string>(of: Entries<N>, canonical: N, native: string): ComputedEntry =>
  referenceAt(of, { canonical, native, resource: "tax_rate", types: ["salesTaxItem", "taxGroup"] })

/** The customer or vendor of a document, who stays. */
export const contactAt = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  type: "customer" | "vendor"
): ComputedEntry => referenceAt(of, { canonical, native, resource: "contact", types: [type], isKept: true })
