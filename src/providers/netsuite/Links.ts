import { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { transactionTypes } from "./Heads.ts"
import type { Part } from "./RecordType.ts"
import { day, number, type Select, text } from "./Select.ts"
import type { Suite } from "./Suite.ts"

/**
 * How transactions hang together: a row for each two lines of which one came of the other.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

export type Side = "previous" | "next"

/** Links with what stands at one end of them. */
const linksTo = (end: Side): Select => ({
  from: "nexttransactionlinelink k",
  joins: [{ alias: "t", sql: `LEFT JOIN transaction t ON t.id = k.${end}doc` }],
  columns: {
    previous: text("k.previousdoc"),
    previousLine: number("k.previousline"),
    next: text("k.nextdoc"),
    nextLine: number("k.nextline"),
    amount: number("k.foreignamount"),
    type: text("t.type"),
    day: day("t.trandate")
  },
  order: "k.previousdoc, k.previousline, k.nextdoc, k.nextline"
})

/** Links of one kind of some transactions, with what stands at the other end. */
export const linksOf = (
  own: Suite,
  connection: ConnectionRef,
  kind: "Payment" | "ShipRcpt",
  here: Side,
  records: ReadonlyArray<Native>
) =>
  own.allOf(
    connection,
    linksTo(here === "next" ? "previous" : "next"),
    `k.${here}doc`,
    records.map(({ id }) => id),
    [`k.linktype = '${kind}'`]
  )

/** Pairs of documents of which one settles the other, with what all their lines come to. */
export const settling = (own: Suite, connection: ConnectionRef, here: Side, records: ReadonlyArray<Native>) =>
  Effect.map(linksOf(own, connection, "Payment", here, records), (links) => {
    const there = here === "next" ? "previous" : "next"
    const pairs = new Map<string, { readonly here: unknown; readonly link: Native; readonly amount: Decimal }>()
    for (const link of links) {
      const key = `${String(link.previous)}:${String(link.next)}`
      const amount = new Decimal(typeof link.amount === "number" ? link.amount : 0).abs()
      const before = pairs.get(key)
      pairs.set(key, { here: link[here], link, amount: before === undefined ? amount : before.amount.plus(amount) })
    }
    const all = [...pairs.values()]
    return (id: unknown) =>
      all
        .filter((pair) => pair.here === id)
        .map(({ amount, link }) => ({
          id: link[there],
          type: link.type,
          day: link.day ?? null,
          amount: amount.toNumber()
        }))
  })

/** Applications of payments and credits, in the form of their records. */
export const applications: Part<Native> = (own, connection, records) =>
  Effect.map(settling(own, connection, "next", records), (appliedOf) => ({ id }) => ({
    apply: {
      items: appliedOf(id).map(({ amount, id, type }) => ({
        doc: { id, recordType: transactionTypes.get(String(type)) },
        apply: true,
        amount
      }))
    }
  }))

/** Several things that queries tell beside a list, at once. */
export const together =
  (...parts: ReadonlyArray<Part<Native>>): Part<Native> =>
  (own, connection, records) =>
    Effect.map(
      Effect.forEach(parts, (part) => part(own, connection, records), { concurrency: "unbounded" }),
      (all) => (record) => all.reduce<Native>((told, of) => ({ ...told, ...of(record) }), {})
    )
