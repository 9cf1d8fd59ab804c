import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text, type Transform } from "../../mapping/Transform.ts"
import { activity, companies, noCreationTime, undated } from "./Common.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Part } from "./RecordType.ts"
import { orNone, type Suite } from "./Suite.ts"

/**
 * Taxes, and groups of taxes that are charged together; accounts with SuiteTax have neither.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159550037403.html
 */

/** Percent points, as a number or as `7.5%`. */
const percentOf = (native: unknown) => {
  const value = Number(String(native ?? "none").replace(/%$/, ""))
  return Number.isFinite(value) ? value : null
}

const percentPoints: Transform = {
  name: "percentPoints",
  decode: percentOf,
  encode: (canonical) => canonical
}

/** The side a tax is for; null where it is for both. */
const sides = new Map([
  ["SALE", "SALES"],
  ["PURCHASE", "PURCHASE"]
])

const shared = (of: EntriesOf<typeof TaxRate>) => [
  ...undated(of),
  of.field("name", "itemId", text),
  of.field("code", "displayName", text),
  of.field("description", "description", text),
  activity(of, "ARCHIVED"),
  of.field("country", "nexusCountry.id", text),
  of.readField("effective_tax_rate", "rate", percentPoints),
  companies(of)
]

/** A tax has no parts: it is one of a group. */
const ownComponent = computed({
  canonical: "tax_components",
  native: ["itemId", "rate", "available"],
  needsCurrent: true,
  decode: ({ record }, context) => [
    {
      id: null,
      remote_id: null,
      name: record.itemId,
      rate: percentPoints.decode(record.rate, context),
      is_compound: false,
      component_type: sides.get(String(getPath(record, "available.id"))) ?? null,
      remote_was_deleted: false
    }
  ],
  encode: (value, { body, get, prefix, refuse, set, warn }) => {
    const parts = natives(value)
    const path = `${prefix}tax_components`
    if (parts.length === 0) return
    if (parts.length > 1 && parts.some((part) => part.is_compound === true)) {
      refuse(path, "are reckoned on one another, which a tax of NetSuite is not; give one rate")
      return
    }
    const sum = Decimal.sum(0, ...parts.map(({ rate }) => (typeof rate === "number" ? rate : 0))).toNumber()
    const whole = typeof body.total_tax_rate === "number" ? body.total_tax_rate : sum
    if (sum !== whole) refuse(path, `come to ${sum}, not to the total_tax_rate`)
    const isSame = parts.length === 1 && parts[0]?.name === get("itemId")
    if (!isSame) warn(path, "CHANGED", "is held as one rate, which a tax of NetSuite is")
    if (percentOf(get("rate")) !== whole) set("rate", whole)
  }
})

/** Taxes of a group are records of their own, put together in NetSuite. */
const groupComponents = computed({
  canonical: "tax_components",
  native: ["taxItem", "piggyback"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    natives(getPath(record, "taxItem.items")).map((line) => ({
      id: null,
      remote_id: getPath(line, "taxName.id") ?? null,
      name: getPath(line, "taxName.refName") ?? null,
      rate: percentPoints.decode(line.rate, context),
      is_compound: record.piggyback === true,
      component_type: null,
      remote_was_deleted: false
    })),
  encode: (value, { current, prefix, warn }) => {
    const held = natives(getPath(current?.record, "taxItem.items"))
    const given = natives(value)
    const isSame =
      given.length === held.length && given.every((one, i) => one.name === getPath(held[i], "taxName.refName"))
    if (given.length > 0 && !isSame) {
      warn(`${prefix}tax_components`, "CHANGED", "stays as it was put together of taxes in NetSuite")
    }
  }
})

const mapping = plainMapping(TaxRate, (of) => [
  of.variant({
    nativeType: "salesTaxItem",
    when: {},
    entries: [...shared(of), of.field("total_tax_rate", "rate", percentPoints), ownComponent(of)],
    notHeld: { remote_created_at: noCreationTime("tax codes") }
  }),
  of.variant({
    nativeType: "taxGroup",
    entries: [...shared(of), of.readField("total_tax_rate", "rate", percentPoints), groupComponents(of)],
    notHeld: { remote_created_at: noCreationTime("tax groups") }
  })
])

const select: Query.Select = {
  from: "salestaxitem x",
  columns: {
    id: Query.text("x.id"),
    itemId: Query.text("x.itemid", "x.fullname"),
    description: Query.text("x.description"),
    rate: Query.number("x.rate"),
    isInactive: Query.flag("x.isinactive"),
    lastModifiedDate: Query.instant("x.lastmodifieddate")
  },
  order: "x.id"
}

/** Whether a rate of queries is a share or a percentage, one tells that is read whole; else it is not known. */
const percents: Part<Native> = (own, connection, records) => {
  const known = records.find(({ rate }) => typeof rate === "number" && rate !== 0)
  if (known === undefined) return Effect.succeed(() => ({}))
  return Effect.map(orNone(own.kept(connection, "salesTaxItem", String(known.id))), (record) => {
    const [told, asked] = [percentOf(record?.rate), Number(known.rate)]
    const factor = told === null ? undefined : Math.abs(told - asked) < Math.abs(told - asked * 100) ? 1 : 100
    return ({ rate }) => ({
      rate:
        typeof rate !== "number" || (factor === undefined && rate !== 0)
          ? undefined
          : new Decimal(rate).times(factor ?? 1).toNumber()
    })
  })
}

/** With SuiteTax only queries tell what a tax is called. */
const names: Part<Native> = (own, connection, records) =>
  records.every(({ itemId }) => itemId !== undefined)
    ? Effect.succeed((record) => record)
    : Effect.map(
        own.allOf(
          connection,
          select,
          select.order,
          records.map(({ id }) => id)
        ),
        (rows) => (record) => ({ ...record, itemId: record.itemId ?? rows.find(({ id }) => id === record.id)?.itemId })
      )

export const taxRate = (own: Suite) =>
  records(
    own,
    mapping,
    [
      {
        name: "salesTaxItem",
        list: { select, beside: percents, retells: ["rate"] },
        supplement: names,
        retires: true
      },
      // no published table of queries has groups with what is in them
      { name: "taxGroup", list: {}, retires: true }
    ],
    ["code", "country", "remote_updated_at", "company", "tax_components[].component_type"]
  )
