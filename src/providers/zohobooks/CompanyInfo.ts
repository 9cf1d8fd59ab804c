import { CompanyInfo } from "../../canonical/accounting/CompanyInfo.ts"
import { Effect } from "effect"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, Target } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { addressAt, mappingOf, unstamped } from "./Common.ts"
import { booksOf, type Kind, records } from "./Records.ts"

/**
 * The organisation of the connection. Its fiscal year begins with a month, which is written by name. Real accounts answer its
 * number as a text, where 1 is January; the documentation has a number, where 0 is.
 * https://www.zoho.com/books/api/v3/organizations/
 */

const months = "january february march april may june july august september october november december".split(" ")

/** The month that the fiscal year begins with, counted from 0. */
const firstMonth = (native: unknown): number | undefined => {
  if (typeof native === "number") return native
  const text = String(native ?? "").toLowerCase()
  const month = /^\d+$/.test(text) ? Number(text) - 1 : months.indexOf(text)
  return month >= 0 && month < 12 ? month : undefined
}

/** The day before the year begins; February has 28. */
const yearEnd = <N extends string>(of: Entries<N>, canonical: N, read: (lastDay: Date) => number) =>
  of.computed({
    canonical,
    native: ["fiscal_year_start_month"],
    decode: ({ record }) => {
      const first = firstMonth(record.fiscal_year_start_month)
      return first === undefined ? null : read(new Date(Date.UTC(2001, first, 0)))
    }
  })

const urls = computed({
  canonical: "urls",
  native: ["website"],
  decode: ({ record }) => (typeof record.website === "string" && record.website !== "" ? [record.website] : []),
  encode: (value, { prefix, set, warn }) => {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const [first, ...more] = all
    for (const i of more.keys()) warn(`${prefix}urls.${i + 1}`, "NOT_HELD", "Zoho Books holds one here")
    set("website", first ?? "")
  }
})

const mapping = mappingOf(CompanyInfo, (of) => [
  of.variant({
    nativeType: "organization",
    entries: [
      ...unstamped(of, "organization_id"),
      of.readField("remote_created_at", "account_created_date", dateTime),
      of.field("name", "name", text),
      of.field("tax_number", "tax_id_value", text),
      yearEnd(of, "fiscal_year_end_month", (day) => day.getUTCMonth() + 1),
      yearEnd(of, "fiscal_year_end_day", (day) => day.getUTCDate()),
      of.readField("currency", "currency_code", text),
      urls(of),
      of.slots("addresses", "type", (of) => [
        { is: "BILLING", entries: addressAt(of, "address", ["street_address1", "street_address2"]) }
      ]),
      of.labelled("phone_numbers", "type", "number", { MAIN: "phone", FAX: "fax" }, text)
    ],
    notHeld: {
      legal_name: "A Zoho Books organization has one name, which `name` shows.",
      remote_updated_at: "Zoho Books does not say when an organization was changed."
    }
  })
])

/** The address is written with the name that the label of the tax number has. */
const organizations: Kind = {
  nativeType: "organization",
  path: "organizations",
  id: "organization_id",
  write: ({ tax_id_value, ...record }: Native) =>
    tax_id_value === undefined ? record : { ...record, taxid_value: tax_id_value }
}

/** The organisation's own record. */
export const readOrganization = (client: Caller) => {
  const call = booksOf(client)
  return (connection: ConnectionRef) =>
    Effect.map(
      call(connection, { operation: "organization.get", method: "GET", path: "organizations/:organizationId" }),
      ({ body }) => getPath(body, "organization")
    )
}

export const companyInfo = (client: Caller): ResourceAdapter => {
  const { patch, replace } = records(client, mapping, [organizations])
  const read = readOrganization(client)
  const own = (connection: ConnectionRef) =>
    Effect.map(read(connection), (record): NativeRecord => ({
      nativeType: "organization",
      record: isNative(record) ? record : {}
    }))
  const isOwn = (target: Target) =>
    Effect.filterOrFail(
      own(target.connection),
      ({ record }) => record.organization_id === target.id,
      () => new ProviderError({ provider: "zoho_books", operation: "organization.get", reason: new Missing() })
    )
  return {
    mapping,
    consistency: "exact",
    list: ({ connection }) => Effect.map(own(connection), (record) => ({ records: [record], next: null })),
    get: isOwn,
    replace,
    patch
  }
}
