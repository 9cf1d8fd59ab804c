import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { companies, people, type SampleCompany, type SamplePerson } from "../../simulation/SampleCompany.ts"
import { accounts, byCode, systemAccount } from "./Accounts.ts"
import { connectFeed } from "./BankFeeds.ts"
import { addStatements } from "./BankStatements.ts"
import * as chart from "./Chart.ts"
import { contacts } from "./Contacts.ts"
import { items } from "./Items.ts"
import { enter } from "./Kind.ts"
import { post } from "./Ledger.ts"
import { baseCurrencyOf, regionOf } from "./Organisation.ts"
import { addProject } from "./Projects.ts"
import { firstRegion, type Region } from "./Regions.ts"
import { trackingCategories } from "./Tracking.ts"
import { trade } from "./Trade.ts"

const taxes = (account: Account) => {
  const { taxes, taxName } = regionOf(account)
  for (const [TaxType, Name, Rate, isSystem] of taxes) {
    account.put("TaxRate", TaxType, {
      Name,
      TaxType,
      CanApplyToAssets: true,
      CanApplyToEquity: true,
      CanApplyToExpenses: true,
      CanApplyToLiabilities: true,
      CanApplyToRevenue: true,
      DisplayTaxRate: Rate,
      EffectiveRate: Rate,
      Status: "ACTIVE",
      TaxComponents: [{ Name: taxName, Rate, IsCompound: false, IsNonRecoverable: false }],
      ...(isSystem ? { isSystem } : {})
    })
    account.put("tax rate name", Name.toLowerCase(), { owner: TaxType })
  }
}

/** The chart of accounts, with what the books begin with: what is left is the owners'. */
const ledger = (account: Account) => {
  const opening: Array<readonly [accountId: string, amount: number]> = []
  for (const [Code, Name, Type, amount = 0, SystemAccount] of chart.accounts) {
    const doc = enter(account, accounts, { Code, Name, Type })
    const AccountID = String(doc.AccountID)
    if (SystemAccount !== undefined) {
      account.put("Account", AccountID, { ...doc, SystemAccount })
      account.put("system account", SystemAccount, { AccountID })
    }
    opening.push([AccountID, amount])
  }
  const { baseCurrency, secondCurrency } = regionOf(account)
  for (const [Code, Name, BankAccountNumber, BankAccountType, isForeign, amount] of chart.banks) {
    const CurrencyCode = isForeign ? secondCurrency : baseCurrency
    const doc = enter(account, accounts, { Code, Name, Type: "BANK", BankAccountNumber, BankAccountType, CurrencyCode })
    opening.push([String(doc.AccountID), amount])
  }
  const left = opening.reduce((sum, [, amount]) => sum.minus(amount), new Decimal(0))
  const date = new Date(account.now).toISOString().slice(0, 10)
  post(
    account,
    { id: crypto.randomUUID(), type: "MANJOURNAL", date, rate: new Decimal(1), reference: "Opening balances" },
    [
      ...opening.map(([id, amount]) => ({ account: id, amount: new Decimal(amount) })),
      { account: systemAccount(account, "RETAINEDEARNINGS"), amount: left }
    ]
  )
}

const wares = (account: Account): ReadonlyArray<Doc> => [
  ...chart.services.map(([Code, Name, UnitPrice, AccountCode, tax]) =>
    enter(account, items, {
      Code,
      Name,
      Description: Name,
      IsPurchased: false,
      SalesDetails: { UnitPrice, AccountCode, TaxType: regionOf(account).usual[tax] }
    })
  ),
  ...chart.goods.map(([Code, Name, price, cost]) =>
    enter(account, items, {
      Code,
      Name,
      Description: Name,
      PurchaseDescription: `${Name}, from supplier`,
      SalesDetails: {
        UnitPrice: price,
        AccountCode: /^(?:BK|FR)/.test(Code) ? "200" : "220",
        TaxType: regionOf(account).usual.sales
      },
      PurchaseDetails: { UnitPrice: cost, AccountCode: "310", TaxType: regionOf(account).usual.purchases }
    })
  )
]

/** The currencies that customers and suppliers of a country deal in with this company. */
const foreign: { readonly [countryCode: string]: string } = { US: "USD", GB: "GBP" }

const addressOf = (type: string, place: SampleCompany | SamplePerson): Doc => ({
  AddressType: type,
  AddressLine1: place.street,
  City: place.city,
  Region: place.region,
  PostalCode: place.postal,
  Country: place.country
})

const businesses = 230
const individuals = 40

const partners = (account: Account): ReadonlyArray<Doc> => {
  const firms = companies(businesses)
  const persons = people(businesses + individuals, businesses)
  return [
    ...firms.map((firm, index) => {
      const person = persons[index]
      return enter(account, contacts, {
        Name: firm.name,
        ...(person === undefined ? {} : { FirstName: person.first, LastName: person.last }),
        EmailAddress: person?.email ?? `accounts@${firm.domain}`,
        AccountNumber: `C${String(1000 + index)}`,
        DefaultCurrency: foreign[firm.countryCode] ?? baseCurrencyOf(account),
        Addresses: [addressOf("POBOX", firm), ...(index % 3 === 0 ? [addressOf("STREET", firm)] : [])],
        Phones: [
          { PhoneType: "DEFAULT", PhoneNumber: firm.phone },
          ...(person !== undefined && index % 2 === 0 ? [{ PhoneType: "MOBILE", PhoneNumber: person.mobile }] : [])
        ],
        ...(index % 4 === 0 ? { PaymentTerms: { Sales: { Day: 14, Type: "DAYSAFTERBILLDATE" } } } : {})
      })
    }),
    ...persons.slice(businesses).map((person) =>
      enter(account, contacts, {
        Name: `${person.first} ${person.last} (${person.city})`,
        FirstName: person.first,
        LastName: person.last,
        EmailAddress: person.email,
        Addresses: [addressOf("POBOX", person)],
        Phones: [{ PhoneType: "MOBILE", PhoneNumber: person.mobile }]
      })
    )
  ]
}

const categories = (account: Account) => {
  for (const [Name, options] of chart.tracking) {
    const { TrackingCategoryID } = enter(account, trackingCategories, { Name })
    for (const option of options) {
      const TrackingOptionID = crypto.randomUUID()
      account.put("TrackingOption", TrackingOptionID, {
        TrackingOptionID,
        TrackingCategoryID,
        Name: option,
        Status: "ACTIVE"
      })
    }
  }
}

const dayLength = 86_400_000

/** The books of a small company, a year and a bit up to the account's present. */
export const seed = (account: Account, region: Region = firstRegion): void => {
  const founding: Account = { ...account, now: account.now - 400 * dayLength }
  account.put("Organisation", "1", { Name: region.name, Version: region.version, CreatedDateUTC: founding.now })
  taxes(founding)
  ledger(founding)
  categories(founding)
  const banks = new Map(chart.banks.map(([code]) => [code, byCode(founding, code) ?? {}]))
  const partnersOf = partners(founding)
  trade(account, account.now - 365 * dayLength, { items: wares(founding), contacts: partnersOf, banks })
  for (const [index, name] of chart.jobs.entries()) addProject(account, partnersOf[index * 7]?.ContactID, name)
  for (const code of ["090", "095"] as const) {
    const bank = banks.get(code) ?? {}
    addStatements(account, bank, connectFeed(account, bank, `BOL-${code}`).id, 12)
  }
}
