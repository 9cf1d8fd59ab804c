import { createHash } from "node:crypto"
import type { Account } from "../../simulation/Account.ts"

/** Derives an id from a text; the same text gives the same id. */
export const uuidOf = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-4$3-a$4-$5")

/** The id of an account's organisation, as in the header `xero-tenant-id`. */
export const tenantOf = (account: string): string => uuidOf(`tenant ${account}`)

/** The organisations of a login; all are the same size. */
export const names = ["Liffey Cycle Works", "Lagan Cycle Hire"] as const

export const baseCurrency = "EUR"
const timeZone = "Europe/Dublin"

/** The organisation's currencies, with the default number of units for one of the base currency. */
export const currencies: { readonly [code: string]: { readonly name: string; readonly rate: number } } = {
  EUR: { name: "Euro", rate: 1 },
  GBP: { name: "British Pound", rate: 0.8571 },
  JPY: { name: "Japanese Yen", rate: 162.35 },
  KWD: { name: "Kuwaiti Dinar", rate: 0.3326 },
  USD: { name: "United States Dollar", rate: 1.0842 }
}

/** Month (1 to 12) and day on which the financial year ends. */
export const yearEnd = { month: 3, day: 31 }

const calendar = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" })

/** Today's date in the organisation's time zone. */
export const today = (account: Account): string => calendar.format(account.now)

/** The books are closed for good up to and including this day. */
export const yearLock = (account: Account): string => `${Number(today(account).slice(0, 4)) - 10}-03-31`

const street = {
  AddressLine1: "14 Usher's Quay",
  City: "Dublin",
  Region: "Leinster",
  PostalCode: "D08 X2K3",
  Country: "Ireland",
  AttentionTo: ""
}

const nameOf = (account: Account): string => String(account.get("Organisation", "1")?.Name ?? names[0])

/** https://developer.xero.com/documentation/api/accounting/organisation */
export const organisation = (account: Account) => ({
  OrganisationID: tenantOf(account.name),
  Name: nameOf(account),
  LegalName: `${nameOf(account)} Limited`,
  PaysTax: true,
  Version: "GLOBAL",
  OrganisationType: "COMPANY",
  BaseCurrency: baseCurrency,
  CountryCode: "IE",
  IsDemoCompany: false,
  OrganisationStatus: "ACTIVE",
  RegistrationNumber: "612874",
  TaxNumber: "IE3384127KH",
  FinancialYearEndDay: yearEnd.day,
  FinancialYearEndMonth: yearEnd.month,
  EndOfYearLockDate: yearLock(account),
  SalesTaxBasis: "ACCRUALS",
  SalesTaxPeriod: "QUARTERLY",
  DefaultSalesTax: "Tax Exclusive",
  DefaultPurchasesTax: "Tax Exclusive",
  CreatedDateUTC: Number(account.get("Organisation", "1")?.CreatedDateUTC ?? account.now),
  OrganisationEntityType: "COMPANY",
  Timezone: "GMTSTANDARDTIME",
  ShortCode: "!x7LcW",
  Edition: "BUSINESS",
  Class: "COMPREHENSIVE",
  LineOfBusiness: "Bicycle making and repair",
  Addresses: [
    { AddressType: "STREET", ...street },
    { AddressType: "POBOX", ...street }
  ],
  Phones: [
    { PhoneType: "DEFAULT", PhoneNumber: "5550142", PhoneAreaCode: "01", PhoneCountryCode: "353" },
    { PhoneType: "OFFICE", PhoneNumber: "5550143", PhoneAreaCode: "01", PhoneCountryCode: "353" }
  ],
  ExternalLinks: [
    { LinkType: "Website", Url: `https://${nameOf(account).toLowerCase().replaceAll(" ", "-")}.example` }
  ],
  PaymentTerms: {
    Bills: { Day: 30, Type: "DAYSAFTERBILLDATE" },
    Sales: { Day: 30, Type: "DAYSAFTERBILLDATE" }
  }
})
