import { Effect } from "effect"
import { type Native, natives } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Part } from "./RecordType.ts"
import { type Columns, flag, number, ref, type Select, text } from "./Select.ts"
import type { Suite } from "./Suite.ts"

/**
 * Addresses as queries tell them. Some roles are told no address book, but the usual addresses of each entity.
 */

/** An address that is joined under an alias, as a record has it. */
export const addressColumns = (alias: string, prefix = ""): Columns => ({
  [`${prefix}addressee`]: text(`${alias}.addressee`),
  [`${prefix}attention`]: text(`${alias}.attention`),
  [`${prefix}addrPhone`]: text(`${alias}.addrphone`),
  [`${prefix}addr1`]: text(`${alias}.addr1`),
  [`${prefix}addr2`]: text(`${alias}.addr2`),
  [`${prefix}addr3`]: text(`${alias}.addr3`),
  [`${prefix}city`]: text(`${alias}.city`),
  // a state that is chosen from a list stands in a column of its own
  [`${prefix}state`]: text(
    `COALESCE(${alias}.state, ${alias}.dropdownstate)`,
    `${alias}.state`,
    `${alias}.dropdownstate`
  ),
  [`${prefix}zip`]: text(`${alias}.zip`),
  [`${prefix}country`]: ref(`${alias}.country`)
})

const bookOf = (table: string): Select => ({
  from: `${table}addressbook b`,
  joins: [
    {
      alias: "a",
      sql: `INNER JOIN ${table}addressbookentityaddress a ON a.nkey = b.addressbookaddress`,
      isNeeded: true
    }
  ],
  columns: {
    entity: text("b.entity"),
    id: number("b.internalid"),
    defaultBilling: flag("b.defaultbilling"),
    defaultShipping: flag("b.defaultshipping"),
    ...addressColumns("a", "addressBookAddress.")
  },
  order: "b.entity, b.internalid"
})

const usual: Select = {
  from: "entityaddress a",
  columns: { key: text("a.nkey"), ...addressColumns("a") },
  order: "a.nkey"
}

/** The usual addresses of entities, by their keys. */
const usualOf = (own: Suite, connection: ConnectionRef, records: ReadonlyArray<Native>) =>
  Effect.map(
    own.allOf(
      connection,
      usual,
      "a.nkey",
      records.flatMap(({ defaultBillingAddress, defaultShippingAddress }) => [
        defaultBillingAddress,
        defaultShippingAddress
      ])
    ),
    (rows) => {
      const byKey = new Map(rows.map(({ key, ...address }) => [key, address]))
      return ({ defaultBillingAddress: billing, defaultShippingAddress: shipping }: Native) =>
        [...new Set([billing, shipping])].flatMap((key) => {
          const address = byKey.get(key)
          const uses = { defaultBilling: key === billing, defaultShipping: key === shipping }
          return address === undefined ? [] : [{ id: Number(key), ...uses, addressBookAddress: address }]
        })
    }
  )

/** The address books of customers or vendors. */
export const addressBooks =
  (table: string): Part<Native> =>
  (own, connection, records) =>
    Effect.gen(function* () {
      const rows = (yield* own.has(connection, `${table}addressbook`, "entity"))
        ? yield* own.allOf(
            connection,
            bookOf(table),
            "b.entity",
            records.map(({ id }) => id)
          )
        : []
      const hasUsual = records.some(({ defaultBillingAddress }) => defaultBillingAddress !== undefined)
      if (rows.length === 0 && hasUsual) {
        const addressesOf = yield* usualOf(own, connection, records)
        return (record) => ({ addressBook: { items: addressesOf(record) } })
      }
      const books = new Map<unknown, Array<Native>>()
      for (const { entity, ...entry } of natives(rows)) books.set(entity, [...(books.get(entity) ?? []), entry])
      return ({ id }) => ({ addressBook: { items: books.get(id) ?? [] } })
    })
