import { createHash } from "node:crypto"
import type { Account } from "../../simulation/Account.ts"
import { type Currencies, currenciesIn, firstRegion, type Region, regions } from "./Regions.ts"

/** Derives an id from a text; the same text gives the same id. */
export const uuidOf = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-4$3-a$4-$5")

/** The id of an account's organisation, as in the header `xero-tenant-id`. */
export const tenantOf = (account: string): string => uuidOf(`tenant ${account}`)

/** An account's name for the books of one of its organisations, by its place among them. */
export const booksAt = (account: string, place: number): string => (place === 0 ? account : `${account} ${place}`)

/** The organisations of a login; all are the same size. */
export const names = regions.map(({ name }) => name)

/** The region of an account's organisation, which is kept by its version. */
export const regionOf = (account: Account): Region => {
  const version = account.get("Organisation", "1")?.Version
  return regions.find((one) => one.version === version) ?? firstRegion
}

export const baseCurrencyOf = (account: Account): string => regionOf(account).baseCurrency

const known = new Map(regions.map((region) => [region.version, currenciesIn(region)]))

/** The organisation's currencies, with the default number of units for one of the base currency. */
export const currenciesOf = (account: Account): Currencies => known.get(regionOf(account).version) ?? {}

/** Month (1 to 12) and day on which the financial year ends. */
export const yearEndOf = (account: Account) => regionOf(account).yearEnd

const calendars = new Map(
  regions.map(({ version, zone }) => [
    version,
    new Intl.DateTimeFormat("en-CA", { timeZone: zone.iana, year: "numeric", month: "2-digit", day: "2-digit" })
  ])
)

/** Today's date in the organisation's time zone. */
export const today = (account: Account): string => calendars.get(regionOf(account).version)?.format(account.now) ?? ""

/** The books are closed for good up to and including this day. */
export const yearLock = (account: Account): string => `${Number(today(account).slice(0, 4)) - 10}-03-31`

const nameOf = (account: Account): string => String(account.get("Organisation", "1")?.Name ?? firstRegion.name)

/** https://developer.xero.com/documentation/api/accounting/organisation */
export const organisation = (account: Account) => {
  const { address, phone, version, yearEnd, zone, ...region } = regionOf(account)
  const street = { ...address, AttentionTo: "" }
  return {
    OrganisationID: tenantOf(account.name),
    Name: nameOf(account),
    LegalName: `${nameOf(account)} Limited`,
    PaysTax: true,
    Version: version,
    OrganisationType: "COMPANY",
    BaseCurrency: region.baseCurrency,
    CountryCode: region.countryCode,
    IsDemoCompany: false,
    OrganisationStatus: "ACTIVE",
    RegistrationNumber: "612874",
    TaxNumber: region.taxNumber,
    TaxNumberName: `${region.taxName} Number`,
    FinancialYearEndDay: yearEnd.day,
    FinancialYearEndMonth: yearEnd.month,
    EndOfYearLockDate: yearLock(account),
    SalesTaxBasis: "ACCRUALS",
    SalesTaxPeriod: "QUARTERLY",
    DefaultSalesTax: "Tax Exclusive",
    DefaultPurchasesTax: "Tax Exclusive",
    CreatedDateUTC: Number(account.get("Organisation", "1")?.CreatedDateUTC ?? account.now),
    OrganisationEntityType: "COMPANY",
    Timezone: zone.xero,
    ShortCode: "!x7LcW",
    Edition: "BUSINESS",
    Class: "COMPREHENSIVE",
    LineOfBusiness: "Bicycle making and repair",
    Addresses: [
      { AddressType: "STREET", ...street },
      { AddressType: "POBOX", ...street }
    ],
    Phones: [
      { PhoneType: "DEFAULT", ...phone },
      { PhoneType: "OFFICE", ...phone, PhoneNumber: phone.PhoneNumber.replace(/.$/, "3") }
    ],
    ExternalLinks: [
      { LinkType: "Website", Url: `https://${nameOf(account).toLowerCase().replaceAll(" ", "-")}.example` }
    ],
    PaymentTerms: {
      Bills: { Day: 30, Type: "DAYSAFTERBILLDATE" },
      Sales: { Day: 30, Type: "DAYSAFTERBILLDATE" }
    }
  }
}
