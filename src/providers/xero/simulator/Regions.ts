/**
 * The regions of Xero, which differ in their tax types: https://developer.xero.com/documentation/api/accounting/types#tax-rates.
 * "GLOBAL" is every country without a version of its own.
 */

type Tax = readonly [type: string, name: string, rate: number, isSystem: boolean]

/** What the sample company needs of the taxes of its region. */
interface UsualTaxes {
  readonly sales: string
  readonly purchases: string
  readonly reduced: string
  /** That of documents without tax, too. */
  readonly none: string
}

export interface Region {
  /** The organisation's name. */
  readonly name: string
  readonly version: "AU" | "NZ" | "UK" | "US" | "GLOBAL"
  readonly countryCode: string
  readonly baseCurrency: string
  /** Another currency that it has a bank account in. */
  readonly secondCurrency: string
  readonly zone: { readonly iana: string; readonly xero: string }
  /** Month (1 to 12) and day on which the financial year ends. */
  readonly yearEnd: { readonly month: number; readonly day: number }
  readonly taxName: string
  readonly taxNumber: string
  readonly usual: UsualTaxes
  readonly taxes: ReadonlyArray<Tax>
  readonly address: { readonly [member: string]: string }
  readonly phone: { readonly PhoneNumber: string; readonly PhoneAreaCode: string; readonly PhoneCountryCode: string }
}

const ireland: Region = {
  name: "Liffey Cycle Works",
  version: "GLOBAL",
  countryCode: "IE",
  baseCurrency: "EUR",
  secondCurrency: "USD",
  zone: { iana: "Europe/Dublin", xero: "GMTSTANDARDTIME" },
  yearEnd: { month: 3, day: 31 },
  taxName: "VAT",
  taxNumber: "IE3384127KH",
  usual: { sales: "OUTPUT", purchases: "INPUT", reduced: "TAX001", none: "NONE" },
  taxes: [
    ["OUTPUT", "VAT on Sales (23%)", 23, true],
    ["INPUT", "VAT on Purchases (23%)", 23, true],
    ["NONE", "Tax Exempt", 0, true],
    ["GSTONIMPORTS", "VAT on Imports", 0, true],
    ["TAX001", "Reduced VAT on Sales (13.5%)", 13.5, false],
    ["TAX002", "Reduced VAT on Purchases (13.5%)", 13.5, false],
    ["TAX003", "Zero Rated Exports", 0, false]
  ],
  address: {
    AddressLine1: "14 Usher's Quay",
    City: "Dublin",
    Region: "Leinster",
    PostalCode: "D08 X2K3",
    Country: "Ireland"
  },
  phone: { PhoneNumber: "5550142", PhoneAreaCode: "01", PhoneCountryCode: "353" }
}

const britain: Region = {
  name: "Lagan Cycle Hire",
  version: "UK",
  countryCode: "GB",
  baseCurrency: "GBP",
  secondCurrency: "USD",
  zone: { iana: "Europe/London", xero: "GMTSTANDARDTIME" },
  yearEnd: { month: 3, day: 31 },
  taxName: "VAT",
  taxNumber: "GB 123 4567 89",
  usual: { sales: "OUTPUT2", purchases: "INPUT2", reduced: "RROUTPUT", none: "NONE" },
  taxes: [
    ["OUTPUT2", "20% (VAT on Income)", 20, true],
    ["INPUT2", "20% (VAT on Expenses)", 20, true],
    ["RROUTPUT", "5% (VAT on Income)", 5, true],
    ["RRINPUT", "5% (VAT on Expenses)", 5, true],
    ["ZERORATEDOUTPUT", "Zero Rated Income", 0, true],
    ["ZERORATEDINPUT", "Zero Rated Expenses", 0, true],
    ["EXEMPTOUTPUT", "Exempt Income", 0, true],
    ["EXEMPTINPUT", "Exempt Expenses", 0, true],
    ["NONE", "No VAT", 0, true]
  ],
  address: { AddressLine1: "8 Donegall Quay", City: "Belfast", Region: "", PostalCode: "BT1 3EA", Country: "" },
  phone: { PhoneNumber: "90550142", PhoneAreaCode: "028", PhoneCountryCode: "44" }
}

const australia: Region = {
  name: "Yarra Cycle Works",
  version: "AU",
  countryCode: "AU",
  baseCurrency: "AUD",
  secondCurrency: "USD",
  zone: { iana: "Australia/Melbourne", xero: "AUSEASTERNSTANDARDTIME" },
  yearEnd: { month: 6, day: 30 },
  taxName: "GST",
  taxNumber: "11 222 333 444",
  usual: { sales: "OUTPUT", purchases: "INPUT", reduced: "EXEMPTOUTPUT", none: "BASEXCLUDED" },
  taxes: [
    ["OUTPUT", "GST on Income", 10, true],
    ["INPUT", "GST on Expenses", 10, true],
    ["EXEMPTOUTPUT", "GST Free Income", 0, true],
    ["EXEMPTEXPENSES", "GST Free Expenses", 0, true],
    ["CAPEXINPUT", "GST on Capital", 10, true],
    ["INPUTTAXED", "Input Taxed", 0, true],
    ["GSTONIMPORTS", "GST on Imports", 0, true],
    ["BASEXCLUDED", "BAS Excluded", 0, true]
  ],
  address: { AddressLine1: "21 Southbank Parade", City: "Melbourne", Region: "VIC", PostalCode: "3006", Country: "" },
  phone: { PhoneNumber: "5550142", PhoneAreaCode: "03", PhoneCountryCode: "61" }
}

const newZealand: Region = {
  name: "Waikato Cycle Works",
  version: "NZ",
  countryCode: "NZ",
  baseCurrency: "NZD",
  secondCurrency: "USD",
  zone: { iana: "Pacific/Auckland", xero: "NEWZEALANDSTANDARDTIME" },
  yearEnd: { month: 3, day: 31 },
  taxName: "GST",
  taxNumber: "123-456-789",
  usual: { sales: "OUTPUT2", purchases: "INPUT2", reduced: "ZERORATEDOUTPUT", none: "NONE" },
  taxes: [
    ["OUTPUT2", "15% GST on Income", 15, true],
    ["INPUT2", "15% GST on Expenses", 15, true],
    ["ZERORATEDOUTPUT", "Zero Rated", 0, true],
    ["GSTONIMPORTS", "GST on Imports", 0, true],
    ["NONE", "No GST", 0, true]
  ],
  address: { AddressLine1: "3 Grantham Street", City: "Hamilton", Region: "", PostalCode: "3204", Country: "" },
  phone: { PhoneNumber: "5550142", PhoneAreaCode: "07", PhoneCountryCode: "64" }
}

const america: Region = {
  name: "Hudson Cycle Works",
  version: "US",
  countryCode: "US",
  baseCurrency: "USD",
  secondCurrency: "EUR",
  zone: { iana: "America/New_York", xero: "EASTERNSTANDARDTIME" },
  yearEnd: { month: 12, day: 31 },
  taxName: "Tax",
  taxNumber: "101-2-303",
  usual: { sales: "OUTPUT", purchases: "INPUT", reduced: "TAX001", none: "NONE" },
  taxes: [
    ["OUTPUT", "Tax on Sales", 8.25, true],
    ["INPUT", "Tax on Purchases", 8.25, true],
    ["NONE", "Tax Exempt", 0, true],
    ["TAX001", "Clothing under 110 USD (4.375%)", 4.375, false]
  ],
  address: {
    AddressLine1: "540 West 21st Street",
    City: "New York",
    Region: "NY",
    PostalCode: "10011",
    Country: "USA"
  },
  phone: { PhoneNumber: "555-0142", PhoneAreaCode: "212", PhoneCountryCode: "" }
}

/** Those of the organisations that a login leads to, one of each; the first is that of a connection. */
export const regions = [ireland, britain, australia, newZealand, america] as const

export const firstRegion: Region = ireland

/** Exchange rates: units of the currency for one euro. */
const units: { readonly [code: string]: { readonly name: string; readonly rate: number } } = {
  AUD: { name: "Australian Dollar", rate: 1.6541 },
  EUR: { name: "Euro", rate: 1 },
  GBP: { name: "British Pound", rate: 0.8571 },
  JPY: { name: "Japanese Yen", rate: 162.35 },
  KWD: { name: "Kuwaiti Dinar", rate: 0.3326 },
  NZD: { name: "New Zealand Dollar", rate: 1.7923 },
  USD: { name: "United States Dollar", rate: 1.0842 }
}

const usualCurrencies = ["EUR", "GBP", "JPY", "KWD", "USD"]

export interface Currencies {
  readonly [code: string]: { readonly name: string; readonly rate: number }
}

/** The currencies of an organisation, with the default number of units for one of its base currency. */
export const currenciesIn = ({ baseCurrency }: Region): Currencies =>
  Object.fromEntries(
    Object.entries(units)
      .filter(([code]) => code === baseCurrency || usualCurrencies.includes(code))
      .map(([code, { name, rate }]) => [
        code,
        { name, rate: Number((rate / (units[baseCurrency]?.rate ?? 1)).toFixed(6)) }
      ])
  )
