import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import { companies, people, random, type SampleCompany, type SamplePerson } from "../../simulation/SampleCompany.ts"
import { money } from "../../simulation/Docs.ts"
import * as chart from "./Chart.ts"
import { company, periods } from "./Founding.ts"
import { enter } from "./Records.ts"
import { trade } from "./Trade.ts"

const ref = (doc: Doc | undefined): Doc | undefined => (doc === undefined ? undefined : { id: doc.id })

/** Records by name. */
type Named = ReadonlyMap<string, Doc>

const byName = (names: Iterable<string>, make: (name: string) => Doc): Named =>
  new Map([...names].map((name) => [name, make(name)]))

const ledgerOf = (account: Account): Named => {
  const made = new Map<string, Doc>()
  for (const [acctNumber, acctName, acctType, , purpose, parent] of chart.accounts) {
    const doc = enter(account, "account", {
      acctNumber,
      acctName,
      acctType: { id: acctType },
      parent: parent === undefined ? null : { id: made.get(parent)?.id },
      subsidiary: { items: [{ id: "1" }, { id: "2" }] },
      ...(acctName === "Euro Account" ? { currency: { id: "4" } } : {}),
      ...(acctName === "Inventory Asset" ? { inventory: true } : {})
    })
    const whole = purpose === undefined ? doc : { ...doc, sSpecAcct: { id: purpose } }
    account.put("account", String(doc.id), whole)
    made.set(acctName, whole)
  }
  return made
}

/** Posts the balances from before the books begin; the difference belongs to the owners. */
const opening = (account: Account, ledger: Named) => {
  const lines = chart.accounts.flatMap(([, name, , amount = 0]) =>
    amount === 0 ? [] : [{ account: ref(ledger.get(name)), by: new Decimal(amount) }]
  )
  const rest = lines.reduce((sum, { by }) => sum.plus(by), new Decimal(0)).negated()
  const all = [...lines, { account: ref(ledger.get("Opening Balance")), by: rest }]
  enter(account, "journalEntry", {
    subsidiary: { id: "1" },
    memo: "Opening balances",
    line: {
      items: all.map(({ account, by }) => ({
        account,
        memo: "Opening balance",
        [by.isNegative() ? "credit" : "debit"]: money(by.abs())
      }))
    }
  })
}

const taxesOf = (account: Account, ledger: Named): Named => {
  const single = byName(
    chart.taxes.map(([name]) => name),
    (itemId) => {
      const [, state, rate] = chart.taxes.find(([name]) => name === itemId) ?? [itemId, "", 0]
      return enter(account, "salesTaxItem", {
        itemId,
        description: itemId,
        rate,
        state,
        nexusCountry: { id: "US" },
        taxAccount: ref(ledger.get("Sales Taxes Payable")),
        available: { id: "BOTH" }
      })
    }
  )
  const groups = chart.taxGroups.map(
    ([itemId, parts]) =>
      [
        itemId,
        enter(account, "taxGroup", {
          itemId,
          nexusCountry: { id: "US" },
          taxItem: { items: parts.map((name) => ({ taxName: ref(single.get(name)) })) }
        })
      ] as const
  )
  return new Map([...single, ...groups])
}

const priced = (price: number) => ({
  items: [{ currencyPage: { id: "1" }, priceLevel: { id: "1" }, price }]
})

const itemsOf = (account: Account, ledger: Named): ReadonlyArray<Doc> => {
  const vendorless = { subsidiary: { items: [{ id: "1" }, { id: "2" }] } }
  const sales = [
    ...chart.stock.map(([displayName, itemId, price, cost, quantityOnHand]) => {
      const doc = enter(account, "inventoryItem", {
        ...vendorless,
        itemId,
        displayName,
        salesDescription: displayName,
        purchaseDescription: `${displayName}, from the works`,
        cost,
        price: priced(price),
        incomeAccount: ref(ledger.get(price > 500 ? "Instrument Sales" : "Accessory Sales")),
        assetAccount: ref(ledger.get("Inventory Asset")),
        cogsAccount: ref(ledger.get("Cost of Goods Sold")),
        reorderPoint: Math.round(quantityOnHand / 4)
      })
      const whole = { ...doc, quantityOnHand }
      account.put("inventoryItem", String(doc.id), whole)
      return whole
    }),
    ...chart.goods.map(([itemId, price, cost]) =>
      enter(account, "nonInventoryResaleItem", {
        ...vendorless,
        itemId,
        salesDescription: itemId,
        cost,
        price: priced(price),
        incomeAccount: ref(ledger.get("Accessory Sales")),
        expenseAccount: ref(ledger.get("Purchases"))
      })
    ),
    ...chart.services.map(([itemId, price, income]) =>
      enter(account, "serviceSaleItem", {
        ...vendorless,
        itemId,
        salesDescription: itemId,
        price: priced(price),
        incomeAccount: ref(ledger.get(income))
      })
    )
  ]
  for (const [itemId, cost, expense] of chart.supplies) {
    enter(account, "nonInventoryPurchaseItem", {
      ...vendorless,
      itemId,
      purchaseDescription: itemId,
      cost,
      expenseAccount: ref(ledger.get(expense))
    })
  }
  enter(account, "discountItem", {
    itemId: "Education discount",
    description: "Ten per cent for schools",
    account: ref(ledger.get("Sales Discounts")),
    rate: -10
  })
  return sales
}

const addressOf = (place: SampleCompany | SamplePerson, addressee: string): Doc => ({
  addressee,
  addr1: place.street,
  city: place.city,
  state: place.region.slice(0, 30),
  zip: place.postal,
  country: { id: place.countryCode }
})

const bookOf = (address: Doc, isSplit: boolean) => ({
  items: [
    { label: "Main", defaultBilling: true, defaultShipping: !isSplit, addressBookAddress: address },
    ...(isSplit
      ? [
          {
            label: "Warehouse",
            defaultBilling: false,
            defaultShipping: true,
            addressBookAddress: { ...address, addr2: "Gate 2" }
          }
        ]
      : [])
  ]
})

const euro = new Set(["DE", "FR", "IT", "ES"])
const currencyOf = (countryCode: string) => ({ id: euro.has(countryCode) ? "4" : "1" })

const businesses = 250
const individuals = 30

/** 190 customers and 90 vendors: businesses, some people, some in euros. */
const parties = (account: Account, terms: ReadonlyArray<Doc>, staff: ReadonlyArray<Doc>) => {
  const firms = companies(businesses)
  const persons = people(businesses + individuals, businesses)
  const next = random(411)
  const any = (list: ReadonlyArray<Doc>) => list[Math.floor(next() * list.length)]
  const business = (type: "customer" | "vendor", firm: SampleCompany, contact: SamplePerson | undefined) =>
    enter(account, type, {
      isPerson: false,
      companyName: firm.name,
      email: contact?.email ?? `accounts@${firm.domain}`,
      phone: firm.phone,
      ...(next() < 0.3 ? { altPhone: contact?.phone ?? firm.phone } : {}),
      url: `https://${firm.domain}`,
      subsidiary: { id: "1" },
      currency: currencyOf(firm.countryCode),
      terms: ref(any(terms)),
      addressBook: bookOf(addressOf(firm, firm.name), next() < 0.25),
      ...(type === "customer" ? { salesRep: ref(any(staff)), taxable: firm.countryCode === "US" } : {}),
      ...(type === "customer" && next() < 0.5
        ? { custentity_loyalty_tier: { id: String(1 + Math.floor(next() * 3)) } }
        : {})
    })
  const customers = [
    ...firms.slice(0, 160).map((firm, index) => business("customer", firm, persons[index])),
    ...persons.slice(businesses).map((person) =>
      enter(account, "customer", {
        isPerson: true,
        firstName: person.first,
        lastName: person.last,
        email: person.email,
        mobilePhone: person.mobile,
        subsidiary: { id: "1" },
        currency: currencyOf(person.countryCode),
        taxable: person.countryCode === "US",
        addressBook: bookOf(addressOf(person, `${person.first} ${person.last}`), false)
      })
    )
  ]
  const vendors = firms.slice(160).map((firm, index) => business("vendor", firm, persons[160 + index]))
  return { customers, vendors }
}

const staffOf = (account: Account, departments: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  people(64)
    .slice(44)
    .map((person, index) =>
      enter(account, "employee", {
        firstName: person.first,
        lastName: person.last,
        title: person.title,
        email: `staff${index + 1}@halcyon-instruments.example`,
        phone: person.phone,
        mobilePhone: person.mobile,
        subsidiary: { id: "1" },
        department: ref(departments[index % departments.length]),
        issalesrep: index % 4 === 0,
        hiredate: `20${String(10 + (index % 12))}-0${1 + (index % 9)}-15`,
        addressBook: bookOf(addressOf(person, `${person.first} ${person.last}`), false)
      })
    )

const year = 365 * 86_400_000

/** The books of a company with two subsidiaries, up to the account's present. */
export const sample = dailySample((account) => {
  const founding: Account = { ...account, now: account.now - year - 30 * 86_400_000 }
  const named = (type: string, names: ReadonlyArray<string>) => names.map((name) => enter(founding, type, { name }))
  company(founding)
  periods(account)
  const ledger = ledgerOf(founding)
  const classes = named("classification", chart.classes)
  const departments = named("department", chart.departments)
  const locations = named("location", chart.locations)
  const terms = chart.terms.map(([name, detail]) => enter(founding, "term", { name, ...detail }))
  const methods = chart.paymentMethods.map(([name, type]) =>
    enter(founding, "paymentMethod", {
      name,
      methodType: { id: type },
      creditCard: type === "3",
      isDebitCard: type === "4"
    })
  )
  const categories = chart.expenseCategories.map(([name, expense]) =>
    enter(founding, "expenseCategory", { name, expenseAcct: ref(ledger.get(expense)) })
  )
  const taxes = taxesOf(founding, ledger)
  const items = itemsOf(founding, ledger)
  const staff = staffOf(founding, departments)
  const { customers, vendors } = parties(founding, terms, staff)
  for (const [index, companyName] of chart.projects.entries()) {
    enter(founding, "job", { companyName, parent: ref(customers[index * 9]), projectManager: ref(staff[index]) })
  }
  opening(founding, ledger)
  trade(account, account.now - year, {
    ledger,
    taxes,
    classes,
    departments,
    locations,
    methods,
    categories,
    items,
    staff,
    customers,
    vendors
  })
  // in currencies of other digits, to trade with
  for (const [companyName, currency] of [
    ["Kansai Instruments", "5"],
    ["Gulf Laboratories", "6"]
  ] as const) {
    for (const type of ["customer", "vendor"]) {
      enter(founding, type, { isPerson: false, companyName, subsidiary: { id: "1" }, currency: { id: currency } })
    }
  }
  const left = { ...account, now: account.now - 20 * 86_400_000 }
  for (const [type, list] of [
    ["customer", customers.slice(-3)],
    ["vendor", vendors.slice(-2)]
  ] as const)
    for (const { id } of list) enter(left, type, { isInactive: true }, String(id))
})
