import type { Entries } from "../../mapping/Entries.ts"
import { getPath, natives, type Native } from "../../mapping/Mapping.ts"
import { identityOf } from "../../mapping/Transform.ts"
import { typeIn } from "./References.ts"

/**
 * Documents that a payment or credit is applied to. NetSuite makes a sublist of the open documents; only marked lines count.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1545142407.html
 */

/** A type of document that can be settled: related type and resource here, native type, and its name in NetSuite's lines. */
interface Settled {
  readonly type: string
  readonly resource: string
  readonly native: string
  readonly called: string
}

const entry: Settled = { type: "JOURNAL_ENTRY", resource: "journal_entry", native: "journalEntry", called: "Journal" }
export const invoices: Settled = { type: "INVOICE", resource: "invoice", native: "invoice", called: "Invoice" }
export const bills: Settled = { type: "INVOICE", resource: "invoice", native: "vendorBill", called: "Bill" }

const appliedIn = (record: unknown) => natives(getPath(record, "apply.items")).filter((line) => line.apply === true)

const idIn = (line: Native) => String(getPath(line, "doc.id"))

interface Form {
  readonly kinds: ReadonlyArray<Settled>
  /** A line in the resource's form. */
  readonly show: (kind: Settled, uuid: string) => Native
  /** The kind and the UUID of a line; `name` is the field that holds them. */
  readonly read: (line: Native) => { readonly kind: Settled | undefined; readonly uuid: unknown; readonly name: string }
}

const applied = (of: Entries<"applied_to_lines">, { kinds, read, show }: Form) => {
  const kindOf = (line: Native) => {
    const type = typeIn(
      line.doc,
      kinds.map(({ native }) => native)
    )
    return kinds.find(({ called, native }) => native === type || (type === undefined && called === line.type))
  }
  return of.computed({
    canonical: "applied_to_lines",
    native: ["id", "apply", "tranDate"],
    needsCurrent: true,
    decode: ({ record }, context) =>
      appliedIn(record).flatMap((line) => {
        const kind = kindOf(line)
        if (kind === undefined) return []
        return [
          {
            remote_id: `${String(record.id)}:${idIn(line)}`,
            applied_amount: line.amount,
            // a line's `applyDate` is the date of the document that it settles
            applied_date: record.tranDate ?? null,
            ...show(kind, context.reference(kind.resource, kind.native, idIn(line)))
          }
        ]
      }),
    encode: (value, encoding) => {
      const held = appliedIn(encoding.current?.record)
      const days = [encoding.get("tranDate"), encoding.current?.record.tranDate]
      const wanted = natives(value).flatMap((line, i) => {
        const path = `${encoding.prefix}applied_to_lines.${i}`
        const { kind, name, uuid } = read(line)
        if (kind === undefined) {
          encoding.refuse(
            `${path}.related_object_type`,
            `must be one of ${kinds.map(({ type }) => type).join(", ")} here`
          )
          return []
        }
        if (typeof line.applied_date === "string" && !days.includes(line.applied_date)) {
          encoding.warn(`${path}.applied_date`, "CHANGED", "is held as the date of the transaction")
        }
        const found = identityOf(uuid, kind.resource, [kind.native], encoding, `${path}.${name}`)
        return found === undefined ? [] : [{ id: found.remoteId, amount: line.applied_amount }]
      })
      // documents without a canonical form stay applied
      const others = held.filter((line) => kindOf(line) === undefined)
      const lines = [...wanted, ...others.map((line) => ({ id: idIn(line), amount: line.amount }))]
      const isAsBefore =
        lines.length === held.length &&
        lines.every(({ amount, id }) => held.some((line) => idIn(line) === id && line.amount === amount))
      if (!isAsBefore) {
        encoding.set("apply", { items: lines.map(({ amount, id }) => ({ doc: { id }, apply: true, amount })) })
      }
    }
  })
}

/** On payments: each line names the type of the document it settles. */
export const settles = (of: Entries<"applied_to_lines">, kind: Settled) => {
  const kinds = [kind, entry]
  return applied(of, {
    kinds,
    show: ({ type }, uuid) => ({ related_object_id: uuid, related_object_type: type }),
    read: ({ related_object_id, related_object_type }) => ({
      kind: kinds.find(({ type }) => type === related_object_type),
      uuid: related_object_id,
      name: "related_object_id"
    })
  })
}

/** On credits: each line names an invoice or bill. */
export const credits = (of: Entries<"applied_to_lines">, kind: Settled) =>
  applied(of, {
    kinds: [kind],
    show: (_, uuid) => ({ invoice: uuid, remote_was_deleted: false }),
    read: ({ invoice }) => ({ kind, uuid: invoice, name: "invoice" })
  })
