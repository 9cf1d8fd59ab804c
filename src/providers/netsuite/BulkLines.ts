import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { isNote, laid } from "./Bodies.ts"
import { entityType } from "./Heads.ts"
import type { Part } from "./RecordType.ts"
import { flag, number, ref, type Select, text } from "./Select.ts"
import type { Suite } from "./Suite.ts"
import { taxCodeOf, taxCodes } from "./Taxes.ts"

/**
 * Lines of transactions, all of a page at once. Debit is above 0 in queries and credit below, so that the lines of sales are
 * below 0; records have both without a sign. Of the lines, some are the record's: others are its main line, taxes, shipping
 * and what the goods cost.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

/** Quantities and rates are of an item's base unit, whatever unit the line has. */
const inUnits = "LEFT JOIN unitstypeuom u ON u.internalid = l.units"

export const lineSelect: Select = {
  from: "transactionline l",
  joins: [
    {
      alias: "a",
      sql: "LEFT JOIN transactionaccountingline a ON a.transaction = l.transaction AND a.transactionline = l.id AND a.accountingbook = :book"
    },
    { alias: "e", sql: "LEFT JOIN entity e ON e.id = l.entity" },
    { alias: "x", sql: "LEFT JOIN salestaxitem x ON x.id = l.taxcode" },
    { alias: "u", sql: inUnits }
  ],
  columns: {
    transaction: text("l.transaction"),
    line: number("l.id"),
    isMain: flag("l.mainline"),
    isTax: flag("l.taxline"),
    isCost: flag("l.iscogs"),
    isMember: flag("l.kitcomponent"),
    isDiscount: flag("l.transactiondiscount"),
    item: ref("l.item"),
    itemType: text("l.itemtype"),
    memo: text("l.memo"),
    quantity: number("l.quantity"),
    rate: number("l.rate"),
    signed: number("l.foreignamount", "l.netamount"),
    expenseAccount: ref("l.expenseaccount"),
    account: ref("a.account"),
    category: ref("l.category"),
    "taxCode.id": text("l.taxcode"),
    taxItem: text("x.id"),
    subsidiary: ref("l.subsidiary"),
    class: ref("l.class"),
    department: ref("l.department"),
    location: ref("l.location"),
    "entity.id": text("l.entity"),
    "entity.recordType": entityType,
    isBillable: flag("l.isbillable"),
    isClosed: flag("l.isclosed"),
    "orderDoc.id": text("l.createdfrom"),
    units: text("l.units"),
    inBase: number("u.conversionrate")
  },
  order: "l.transaction, l.linesequencenumber, l.id"
}

const shipping = "ShipItem"

/** Items that no line of a record has: taxes and shipping have members of their own. */
const apart = new Set(["TaxItem", "TaxGroup", shipping])

/** Whether a line is one of the record's own. */
export const isOwn = (line: Native) =>
  line.isMain !== true &&
  line.isTax !== true &&
  line.isCost !== true &&
  line.isMember !== true &&
  line.isDiscount !== true &&
  !apart.has(String(line.itemType))

const decimal = (value: unknown) => (typeof value === "number" ? new Decimal(value) : undefined)

/** An amount, or a quantity, as the record has it; null where the query does not tell. */
const turned = (value: unknown, sign: 1 | -1) => decimal(value)?.times(sign).plus(0).toNumber()

/** Turns quantities and prices by the base unit into those by the line's own; null where its size is not known. */
export const inLineUnits = ({ inBase, quantity, rate, units }: Native, sign: 1 | -1) => {
  const factor = units === undefined ? new Decimal(1) : decimal(inBase)
  return {
    quantity: factor === undefined ? undefined : decimal(quantity)?.times(sign).div(factor).plus(0).toNumber(),
    rate: factor === undefined ? undefined : decimal(rate)?.times(factor).toNumber()
  }
}

const parties = new Set(["customer", "job"])

/** A line of a sale or a purchase. */
const lineOf = (line: Native, sign: 1 | -1): Native => {
  const { account, entity, expenseAccount, memo, orderDoc, taxCode, taxItem } = line
  const type = getPath(entity, "recordType")
  return {
    ...line,
    ...inLineUnits(line, sign),
    description: memo,
    amount: turned(line.signed, sign),
    account: line.item === undefined ? (expenseAccount ?? account) : account,
    taxCode: taxCodeOf(getPath(taxCode, "id"), taxItem),
    orderDoc: getPath(orderDoc, "id") === undefined ? undefined : orderDoc,
    customer: parties.has(String(type)) ? entity : undefined,
    job: type === "job" ? entity : undefined
  }
}

/** Rows of lines by their transactions. */
export const byTransaction = (rows: ReadonlyArray<Native>) => {
  const found = new Map<unknown, Array<Native>>()
  for (const row of rows) {
    const known = found.get(row.transaction)
    if (known === undefined) found.set(row.transaction, [row])
    else known.push(row)
  }
  return found
}

export const allLines = (own: Suite, connection: ConnectionRef, records: ReadonlyArray<Native>) =>
  Effect.map(
    own.allOf(
      connection,
      lineSelect,
      "l.transaction",
      records.map(({ id }) => id)
    ),
    byTransaction
  )

/** A sum, null where one of its parts is not told. */
const sumOf = (lines: ReadonlyArray<Native>, sign: 1 | -1): number | undefined => {
  const parts = lines.map(({ signed }) => decimal(signed))
  return parts.includes(undefined)
    ? undefined
    : parts
        .reduce<Decimal>((sum, part) => sum.plus(part ?? 0), new Decimal(0))
        .times(sign)
        .plus(0)
        .toNumber()
}

export interface Documents {
  /** Sales have their lines below 0, purchases above; credits the other way round. */
  readonly sign: 1 | -1
  /** Lines with an item are of `item`, others of the other one; without it they are none of the record's. */
  readonly sublists: ReadonlyArray<"item" | "expense">
}

/** The lines of sales and purchases with their taxes, and what these add up to. */
export const documentLines =
  ({ sign, sublists }: Documents): Part<Native> =>
  (own, connection, records) =>
    Effect.gen(function* () {
      const [lines, codeOf] = yield* Effect.all(
        [allLines(own, connection, records), taxCodes(own, connection, records)],
        { concurrency: "unbounded" }
      )
      return ({ id }) => {
        const all = lines.get(id) ?? []
        const own = all.filter(isOwn)
        const shaped = (sublist: string) => ({
          items: own
            .filter((line) => (line.item === undefined && !isNote(line)) === (sublist === "expense"))
            .map((line) => {
              const tax = codeOf(id, line.line)
              const made = lineOf(line, sign)
              return tax === undefined ? made : { ...made, taxCode: tax }
            })
        })
        const isTold = (member: string) => all.every((line) => line[member] !== undefined)
        const shipped = all.filter(({ itemType }) => itemType === shipping)
        return {
          ...(shipped.length === 0 ? {} : { shippingCost: sumOf(shipped, sign) }),
          ...Object.fromEntries(sublists.map((sublist) => [sublist, shaped(sublist)])),
          ...(isTold("isTax")
            ? {
                taxTotal: sumOf(
                  all.filter(({ isTax }) => isTax === true),
                  sign
                )
              }
            : {}),
          ...(isTold("isDiscount")
            ? {
                subtotal: sumOf(
                  own.filter((line) => !isNote(line)),
                  sign
                ),
                discountTotal: sumOf(
                  all.filter(({ isDiscount }) => isDiscount === true),
                  sign
                )
              }
            : {})
        }
      }
    })

/** Gives a record that says no total of taxes what its lines say of them. */
export const withTaxes =
  (documents: Documents): Part<Native> =>
  (own, connection, records) =>
    records.every(({ taxTotal }) => taxTotal !== undefined)
      ? Effect.succeed((record) => record)
      : Effect.map(documentLines(documents)(own, connection, records), (toldOf) => (record) => {
          const told = laid(documents.sublists, toldOf(record))
          const codes = new Map(natives(told.lines).map(({ key, taxCode }) => [key, taxCode]))
          return {
            ...record,
            taxTotal: told.taxTotal,
            lines: natives(record.lines).map((line) => ({ ...line, taxCode: line.taxCode ?? codes.get(line.key) }))
          }
        })
