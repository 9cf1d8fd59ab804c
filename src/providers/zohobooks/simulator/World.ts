import type { Doc } from "../../simulation/Account.ts"

// What differs between organisations of several countries: currency, taxes, the names of tax numbers, the fiscal year.
// https://www.zoho.com/books/help/settings/organization-profile.html

export type WorldName = "US" | "IN" | "GB" | "DE" | "KW" | "JP"

/** Name, percentage and type of a tax. */
type Tax = readonly [name: string, percentage: number, type: string]

export interface World {
  readonly country: WorldName
  /** The country as Zoho spells it. */
  readonly countryName: string
  readonly currency: string
  /** How much the prices of the sample company are in this currency. */
  readonly priceFactor: number
  readonly timeZone: string
  /** The month that the fiscal year begins with, as real accounts answer it: 1 is January. */
  readonly fiscalYearStart: string
  readonly taxLabel: string
  readonly taxNumber: string
  readonly taxes: ReadonlyArray<Tax>
  readonly phone: string
  readonly address: Doc
}

const place = (street: string, city: string, state: string, zip: string, country: string): Doc => ({
  street_address1: street,
  street_address2: "",
  city,
  state,
  country,
  zip
})

export const worlds: { readonly [name in WorldName]: World } = {
  US: {
    country: "US",
    countryName: "U.S.A",
    currency: "USD",
    priceFactor: 1,
    timeZone: "America/Los_Angeles",
    fiscalYearStart: "4",
    taxLabel: "Tax ID",
    taxNumber: "94-1234567",
    taxes: [
      ["State tax", 7.25, "tax"],
      ["State and county tax", 8.625, "tax"],
      ["City surcharge", 0.5, "compound_tax"],
      ["Exempt", 0, "tax"],
      ["Reduced tax", 4, "tax"]
    ],
    phone: "+1 415 555 0100",
    address: place("480 Bryant Street", "San Francisco", "CA", "94107", "U.S.A")
  },
  IN: {
    country: "IN",
    countryName: "India",
    currency: "INR",
    priceFactor: 83,
    timeZone: "Asia/Kolkata",
    fiscalYearStart: "4",
    taxLabel: "GSTIN",
    taxNumber: "33AAAAA0000A1Z5",
    taxes: [
      ["GST18", 18, "tax_group"],
      ["GST12", 12, "tax_group"],
      ["IGST18", 18, "tax"],
      ["CGST9", 9, "tax"],
      ["SGST9", 9, "tax"]
    ],
    phone: "+91 44 5555 0100",
    address: place("12 Anna Salai", "Chennai", "Tamil Nadu", "600002", "India")
  },
  GB: {
    country: "GB",
    countryName: "U.K.",
    currency: "GBP",
    priceFactor: 0.8,
    timeZone: "Europe/London",
    fiscalYearStart: "4",
    taxLabel: "VAT Registration Number",
    taxNumber: "GB123456789",
    taxes: [
      ["Standard Rate", 20, "tax"],
      ["Reduced Rate", 5, "tax"],
      ["Zero Rate", 0, "tax"]
    ],
    phone: "+44 113 496 0100",
    address: place("14 Wharf Lane", "Leeds", "", "LS1 4DY", "United Kingdom")
  },
  DE: {
    country: "DE",
    countryName: "Germany",
    currency: "EUR",
    priceFactor: 0.92,
    timeZone: "Europe/Berlin",
    fiscalYearStart: "1",
    taxLabel: "VAT ID",
    taxNumber: "DE123456789",
    taxes: [
      ["Umsatzsteuer 19%", 19, "tax"],
      ["Umsatzsteuer 7%", 7, "tax"],
      ["Steuerfrei", 0, "tax"]
    ],
    phone: "+49 30 5555 0100",
    address: place("Torstraße 8", "Berlin", "Berlin", "10119", "Germany")
  },
  KW: {
    country: "KW",
    countryName: "Kuwait",
    currency: "KWD",
    priceFactor: 0.3075,
    timeZone: "Asia/Kuwait",
    fiscalYearStart: "1",
    taxLabel: "",
    taxNumber: "",
    taxes: [["Levy", 5, "tax"]],
    phone: "+965 2222 0100",
    address: place("Fahad Al-Salem Street", "Kuwait City", "", "13001", "Kuwait")
  },
  JP: {
    country: "JP",
    countryName: "Japan",
    currency: "JPY",
    priceFactor: 150,
    timeZone: "Asia/Tokyo",
    fiscalYearStart: "4",
    taxLabel: "",
    taxNumber: "",
    taxes: [
      ["Consumption tax", 10, "tax"],
      ["Reduced consumption tax", 8, "tax"]
    ],
    phone: "+81 3 5555 0100",
    address: place("2-1 Marunouchi", "Tokyo", "Tokyo", "100-0005", "Japan")
  }
}
