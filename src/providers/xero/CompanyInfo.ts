import { Effect } from "effect"
import { CompanyInfo } from "../../canonical/accounting/CompanyInfo.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import type { Calendar } from "../base/Report.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, xeroTime } from "./Common.ts"
import { byType, places } from "./Contact.ts"
import { accounting, endpoints, missing } from "./Objects.ts"

/**
 * The organisation of the connection, which the API does not change.
 * https://developer.xero.com/documentation/api/accounting/organisation
 */

const numbers = ["TaxNumber", "RegistrationNumber", "EmployerIdentificationNumber"]

const mapping = mappingOf(CompanyInfo, (of) => [
  of.variant({
    nativeType: "Organisation",
    entries: [
      of.readField("remote_id", "OrganisationID", text),
      of.readField("remote_created_at", "CreatedDateUTC", xeroTime),
      of.constant("remote_was_deleted", false),
      of.readField("name", "Name", text),
      of.readField("legal_name", "LegalName", text),
      of.computed({
        canonical: "tax_number",
        native: numbers,
        decode: ({ record }) => numbers.map((name) => record[name]).find((one) => typeof one === "string" && one !== "")
      }),
      of.readField("fiscal_year_end_month", "FinancialYearEndMonth", integer),
      of.readField("fiscal_year_end_day", "FinancialYearEndDay", integer),
      of.readField("currency", "BaseCurrency", text),
      of.computed({
        canonical: "urls",
        native: ["ExternalLinks"],
        decode: ({ record }) =>
          natives(record.ExternalLinks).flatMap(({ Url }) => (typeof Url === "string" ? [Url] : []))
      }),
      ...places(of)
    ],
    notHeld: { remote_updated_at: "Xero does not say when the organisation's settings were last changed." }
  })
])

/** The organisation itself, its addresses and phones also by their types. */
export const readOrganisation = (call: Caller) => {
  const { askOne } = endpoints(call)
  return (connection: ConnectionRef) =>
    Effect.map(
      askOne(connection, "Organisations", {
        operation: "Organisation.get",
        method: "GET",
        path: `${accounting}/Organisation`
      }),
      byType
    )
}

/** When its financial year begins. Xero's names of time zones are not those of others. */
export const calendarOf = ({ FinancialYearEndDay, FinancialYearEndMonth }: Native): Calendar => {
  // a year that ends with February starts in March, also when that has 29 days
  const lastDay = new Date(Date.UTC(2001, Number(FinancialYearEndMonth ?? 12) - 1, Number(FinancialYearEndDay ?? 31)))
  const start = new Date(lastDay.getTime() + 24 * 60 * 60 * 1000)
  return { yearStart: start.toISOString().slice(5, 10), zone: undefined }
}

export const companyInfo = (call: Caller): ResourceAdapter => {
  const read = readOrganisation(call)
  const nativeType = "Organisation"
  return {
    mapping,
    consistency: "exact",
    list: ({ connection, position }) =>
      position === null
        ? Effect.map(read(connection), (record) => ({ records: [{ nativeType, record }], next: null }))
        : Effect.succeed({ records: [], next: null }),
    getMany: ({ connection, ids }) =>
      Effect.map(read(connection), (record) =>
        ids.includes(String(record.OrganisationID)) ? [{ nativeType, record }] : []
      ),
    get: ({ connection, id }) =>
      Effect.flatMap(read(connection), (record) =>
        record.OrganisationID === id ? Effect.succeed({ nativeType, record }) : Effect.fail(missing("Organisation.get"))
      )
  }
}
