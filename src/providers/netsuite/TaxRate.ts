import { computed, field, getPath, natives, readField } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, companies, identity } from "./Common.ts"
import { records } from "./Records.ts"

/**
 * Taxes, and groups of taxes that are charged together; accounts with SuiteTax have neither.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159550037403.html
 */

/** Percent points, as a number or as `7.5%`. */
const percentPoints: Transform = {
  name: "percentPoints",
  decode: (native) => {
    const value = Number(String(native).replace(/%$/, ""))
    return Number.isFinite(value) ? value : null
  },
  encode: (canonical) => canonical
}

/** The side a tax is for; null where it is for both. */
const sides = new Map([
  ["SALE", "SALES"],
  ["PURCHASE", "PURCHASE"]
])

const shared = [
  ...identity(null),
  field("name", "itemId", text),
  field("code", "displayName", text),
  field("description", "description", text),
  activity("ARCHIVED"),
  field("country", "nexusCountry.id", text),
  readField("effective_tax_rate", "rate", percentPoints),
  companies
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
  encode: (value, { get, prefix, refuse }) => {
    const [one, ...more] = natives(value)
    const isSame = one === undefined || (one.name === get("itemId") && one.rate === get("rate"))
    if (!isSame || more.length > 0)
      refuse(`${prefix}tax_components`, "is the rate itself, as a tax of NetSuite has one")
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
  encode: (value, { current, prefix, refuse }) => {
    const held = natives(getPath(current?.record, "taxItem.items"))
    const given = natives(value)
    const isSame =
      given.length === held.length && given.every((one, i) => one.name === getPath(held[i], "taxName.refName"))
    if (given.length > 0 && !isSame) refuse(`${prefix}tax_components`, "is put together of taxes in NetSuite")
  }
})

const mapping = plainMapping([
  {
    nativeType: "salesTaxItem",
    when: {},
    entries: [...shared, field("total_tax_rate", "rate", percentPoints), ownComponent]
  },
  {
    nativeType: "taxGroup",
    entries: [...shared, readField("total_tax_rate", "rate", percentPoints), groupComponents]
  }
])

export const taxRate = (call: Caller) =>
  records(call, mapping, [
    { name: "salesTaxItem", table: "salestaxitem", retires: true },
    { name: "taxGroup", table: "taxgroup", retires: true }
  ])
