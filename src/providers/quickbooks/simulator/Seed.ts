import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { companies, people, random, type SampleCompany, type SamplePerson } from "../../simulation/SampleCompany.ts"
import * as chart from "./Chart.ts"
import { purchaseFields, salesFields } from "./CustomFields.ts"
import { timestamp } from "./Faults.ts"
import { currencies, homeOf, textAt } from "./Fields.ts"
import { postOwn } from "./Ledger.ts"
import { putFile } from "./Files.ts"
import { enter } from "./Records.ts"
import { trade } from "./Trade.ts"
import { addUntidy } from "./Untidy.ts"
import { putWorld, type World } from "./World.ts"

const stamp = (account: Account) => ({ CreateTime: timestamp(account.now), LastUpdatedTime: timestamp(account.now) })

/** Stores a record that no client can write. */
const put = (account: Account, entity: string, id: string, doc: Doc): Doc => {
  const whole = { ...doc, Id: id, SyncToken: "0", MetaData: stamp(account) }
  account.put(entity, id, whole)
  return whole
}

const ref = (doc: Doc | undefined): Doc => (doc === undefined ? {} : { value: doc.Id })

const company = (account: Account, world: World, taxCode: Doc | undefined) => {
  const { address, country, isAutomated = false, timeZone } = world
  put(account, "CompanyInfo", "1", {
    CompanyName: "Bay Kitchen Works",
    LegalName: "Bay Kitchen Works LLC",
    CompanyAddr: address,
    CustomerCommunicationAddr: address,
    LegalAddr: address,
    CustomerCommunicationEmailAddr: { Address: "accounts@bay-kitchen-works.example" },
    PrimaryPhone: { FreeFormNumber: "(415) 555-0142" },
    Email: { Address: "hello@bay-kitchen-works.example" },
    WebAddr: { URI: "https://bay-kitchen-works.example" },
    EmployerId: "94-5550142",
    CompanyStartDate: timestamp(account.now).slice(0, 10),
    FiscalYearStartMonth: "January",
    Country: country,
    SupportedLanguages: "en",
    DefaultTimeZone: timeZone,
    NameValue: [
      { Name: "NeoEnabled", Value: "true" },
      { Name: "OfferingSku", Value: "QuickBooks Online Plus" },
      { Name: "IndustryType", Value: "Construction Trade Services" }
    ]
  })
  put(account, "Preferences", "1", {
    AccountingInfoPrefs: {
      UseAccountNumbers: true,
      TrackDepartments: true,
      DepartmentTerminology: "Location",
      ClassTrackingPerTxn: false,
      ClassTrackingPerTxnLine: true,
      FirstMonthOfFiscalYear: "January",
      TaxYearMonth: "January",
      CustomerTerminology: "Customers",
      BookCloseDate: `${Number(timestamp(account.now).slice(0, 4)) - 10}-12-31`
    },
    CurrencyPrefs: { MultiCurrencyEnabled: true, HomeCurrency: { value: homeOf(account) } },
    ProductAndServicesPrefs: {
      ForSales: true,
      ForPurchase: true,
      QuantityWithPriceAndRate: true,
      QuantityOnHand: true
    },
    SalesFormsPrefs: {
      CustomTxnNumbers: false,
      AllowDeposit: true,
      AllowDiscount: true,
      AllowEstimates: false,
      AllowServiceDate: true,
      AllowShipping: true,
      CustomField: salesFields
    },
    VendorAndPurchasesPrefs: {
      EnableBills: true,
      TrackingByCustomer: true,
      BillableExpenseTracking: true,
      POCustomField: purchaseFields
    },
    TaxPrefs: {
      UsingSalesTax: true,
      ...(country === "US" ? { PartnerTaxEnabled: isAutomated, TaxGroupCodeRef: ref(taxCode) } : {})
    },
    ReportPrefs: { ReportBasis: "Accrual", CalcAgingReportFromTxnDate: false },
    OtherPrefs: {
      NameValue: [{ Name: "SalesFormsPrefs.DefaultCustomerMessage", Value: "Thank you for your business." }]
    }
  })
}

const taxes = (account: Account, { agency, codes, country, rates: listed }: World): Doc | undefined => {
  const isUntaxed = country === "US"
  put(account, "TaxAgency", "1", {
    DisplayName: agency,
    TaxTrackedOnSales: true,
    TaxTrackedOnPurchases: !isUntaxed
  })
  const rates: ReadonlyMap<string, Doc> = new Map(
    listed.map(([Name, Description, RateValue]) => {
      const id = String(account.nextId())
      const rate = {
        Name,
        Description,
        Active: true,
        RateValue,
        AgencyRef: { value: "1" },
        DisplayType: "ReadOnly",
        SpecialTaxType: "NONE",
        EffectiveTaxRate: [{ RateValue, EffectiveDate: timestamp(account.now) }]
      }
      return [Name, put(account, "TaxRate", id, rate)] as const
    })
  )
  const list = (names: ReadonlyArray<string>) => ({
    TaxRateDetail: names.map((name, TaxOrder) => ({
      TaxRateRef: ref(rates.get(name)),
      TaxTypeApplicable: "TaxOnAmount",
      TaxOrder
    }))
  })
  const code = (id: string, [Name, Description, sales, purchases]: World["codes"][number], more: Doc) =>
    put(account, "TaxCode", id, {
      Name,
      Description,
      Active: true,
      Hidden: false,
      TaxGroup: sales.length > 0,
      ...more,
      SalesTaxRateList: list(sales),
      PurchaseTaxRateList: list(purchases)
    })
  if (isUntaxed) {
    code("TAX", ["TAX", "Taxable", [], []], { Taxable: true })
    code("NON", ["NON", "Not taxable", [], []], { Taxable: false })
  }
  const [first] = codes.map((one) => code(String(account.nextId()), one, { Taxable: true }))
  return first
}

const accounts = (account: Account): ReadonlyMap<string, Doc> => {
  const made = new Map<string, Doc>()
  for (const [Name, AccountType, AccountSubType, AcctNum, , parent] of chart.accounts) {
    const above = parent === undefined ? undefined : made.get(parent)
    const doc = enter(account, "Account", {
      Name,
      AccountType,
      AccountSubType,
      AcctNum,
      ...(above === undefined ? {} : { ParentRef: ref(above), SubAccount: true })
    })
    made.set(parent === undefined ? Name : `${parent}:${Name}`, doc)
  }
  return made
}

/** Posts opening balances against the owners' equity. */
const openingBalances = (account: Account, made: ReadonlyMap<string, Doc>) => {
  const idOf = (name: string) => textAt(made.get(name) ?? {}, "Id")
  for (const [name, , , , opening = 0, parent] of chart.accounts) {
    postOwn(account, "Opening Balance", [
      [idOf(parent === undefined ? name : `${parent}:${name}`), new Decimal(opening)],
      [idOf("Opening Balance Equity"), new Decimal(-opening)]
    ])
  }
}

const items = (account: Account, ledger: ReadonlyMap<string, Doc>): ReadonlyArray<Doc> => {
  const product = ref(ledger.get("Sales of Product Income"))
  const cost = ref(ledger.get("Cost of Goods Sold"))
  return [
    ...chart.services.map(([Name, UnitPrice, income]) =>
      enter(account, "Item", { Name, Type: "Service", UnitPrice, IncomeAccountRef: ref(ledger.get(income)) })
    ),
    ...chart.stock.map(([Name, Sku, UnitPrice, PurchaseCost, QtyOnHand]) =>
      enter(account, "Item", {
        Name,
        Sku,
        Type: "Inventory",
        Description: `${Name}, from stock`,
        UnitPrice,
        PurchaseCost,
        Taxable: true,
        TrackQtyOnHand: true,
        QtyOnHand,
        ReorderPoint: Math.round(QtyOnHand / 5),
        InvStartDate: timestamp(account.now).slice(0, 10),
        IncomeAccountRef: product,
        ExpenseAccountRef: cost,
        AssetAccountRef: ref(ledger.get("Inventory Asset"))
      })
    ),
    ...chart.goods.map(([Name, UnitPrice, PurchaseCost]) =>
      enter(account, "Item", {
        Name,
        Type: "NonInventory",
        UnitPrice,
        PurchaseCost,
        Taxable: true,
        IncomeAccountRef: product,
        ExpenseAccountRef: cost
      })
    )
  ]
}

const addressOf = (place: SampleCompany | SamplePerson): Doc => ({
  Line1: place.street,
  City: place.city,
  ...(place.region === "" ? {} : { CountrySubDivisionCode: place.region }),
  PostalCode: place.postal,
  Country: place.country
})

/** The countries whose customers and vendors deal in euros with this company. */
const euro = new Set(["DE", "FR"])

const businesses = 240
const individuals = 30

/** 180 customers and 90 vendors: businesses, some people, some in euros, a few no longer active. */
const names = (account: Account, terms: ReadonlyArray<Doc>) => {
  const firms = companies(businesses)
  const persons = people(businesses + individuals, businesses)
  const next = random(77)
  const business = (entity: "Customer" | "Vendor", firm: SampleCompany, contact: SamplePerson | undefined) =>
    enter(account, entity, {
      DisplayName: firm.name,
      CompanyName: firm.name,
      ...(contact === undefined ? {} : { GivenName: contact.first, FamilyName: contact.last }),
      PrimaryEmailAddr: { Address: contact?.email ?? `accounts@${firm.domain}` },
      PrimaryPhone: { FreeFormNumber: firm.phone },
      ...(contact !== undefined && next() < 0.5 ? { Mobile: { FreeFormNumber: contact.mobile } } : {}),
      WebAddr: { URI: `https://${firm.domain}` },
      BillAddr: addressOf(firm),
      ...(entity === "Customer" && next() < 0.4 ? { ShipAddr: addressOf(firm) } : {}),
      CurrencyRef: { value: euro.has(firm.countryCode) ? "EUR" : homeOf(account) },
      [entity === "Customer" ? "SalesTermRef" : "TermRef"]: ref(terms[Math.floor(next() * terms.length)]),
      ...(entity === "Customer" ? { Taxable: firm.countryCode === "US" } : {})
    })
  const customers = [
    ...firms.slice(0, 150).map((firm, index) => business("Customer", firm, persons[index])),
    ...persons.slice(businesses).map((person) =>
      enter(account, "Customer", {
        DisplayName: `${person.first} ${person.last} (${person.city})`,
        GivenName: person.first,
        FamilyName: person.last,
        PrimaryEmailAddr: { Address: person.email },
        PrimaryPhone: { FreeFormNumber: person.phone },
        BillAddr: addressOf(person),
        Taxable: person.countryCode === "US"
      })
    )
  ]
  const vendors = firms.slice(150).map((firm, index) => business("Vendor", firm, persons[150 + index]))
  return { customers, vendors }
}

const employees = (account: Account) => {
  for (const [index, person] of people(48).slice(40).entries())
    enter(account, "Employee", {
      GivenName: person.first,
      FamilyName: person.last,
      DisplayName: `${person.first} ${person.last}`,
      PrimaryEmailAddr: { Address: `staff${index + 1}@bay-kitchen-works.example` },
      PrimaryPhone: { FreeFormNumber: person.phone },
      PrimaryAddr: addressOf(person),
      EmployeeNumber: `E${100 + index}`,
      HiredDate: timestamp(account.now).slice(0, 10),
      BillableTime: false
    })
}

/** Creates the kitchens in progress: jobs of customers, two of them projects. */
const jobs = (account: Account, customers: ReadonlyArray<Doc>) => {
  for (const [index, name] of chart.jobs.entries()) {
    const doc = enter(account, "Customer", { DisplayName: name, Job: true, ParentRef: ref(customers[index * 7]) })
    const held = account.get("Customer", String(doc.Id))
    if (held !== undefined && index < 2) account.put("Customer", String(doc.Id), { ...held, IsProject: true })
  }
}

/** An empty page, and a picture of one grey dot. */
const sampleFiles: { readonly [contentType in (typeof chart.files)[number][2]]: string } = {
  "application/pdf":
    "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tp" +
    "ZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iagozIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgNTk1" +
    "IDg0Ml0+PmVuZG9iagp4cmVmCjAgNAowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMDkgMDAwMDAgbiAKMDAwMDAwMDA1MiAw" +
    "MDAwMCBuIAowMDAwMDAwMTAxIDAwMDAwIG4gCnRyYWlsZXI8PC9TaXplIDQvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgoxNjQKJSVF" +
    "T0YK",
  "image/jpeg":
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ" +
    "EBAQEBAQEBAQEBAQEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAI" +
    "AQEAAD8AP//Z"
}

/** Attaches files to the newest invoices and bills. */
const attachments = (account: Account) => {
  for (const [entity, name, ContentType] of chart.files) {
    for (const [index, { Id }] of account.all(entity).slice(-3).entries()) {
      const FileName = name.replace("#", String(index + 1))
      const doc = enter(account, "Attachable", {
        FileName,
        ContentType,
        AttachableRef: [{ EntityRef: { type: entity, value: Id }, IncludeOnSend: false }]
      })
      putFile(account, doc, Buffer.from(sampleFiles[ContentType], "base64"))
    }
  }
}

const year = 365 * 86_400_000

/** Creates the books of a small company in a world, up to the account's present. */
export const seedIn =
  (world: World) =>
  (account: Account): void => {
    const start = account.now - year - 30 * 86_400_000
    const founding: Account = { ...account, now: start }
    putWorld(account, world)
    for (const Code of ["EUR", "GBP", "JPY", "KWD"])
      if (Code !== world.currency) enter(founding, "CompanyCurrency", { Code, Name: currencies[Code] })
    company(founding, world, taxes(founding, world))
    const ledger = accounts(founding)
    openingBalances(founding, ledger)
    const terms = chart.terms.map(([Name, detail]) => enter(founding, "Term", { Name, ...detail }))
    const methods = chart.paymentMethods.map(([Name, Type]) => enter(founding, "PaymentMethod", { Name, Type }))
    const classes = chart.classes.map((Name) => enter(founding, "Class", { Name }))
    const departments = chart.departments.map((Name) => enter(founding, "Department", { Name }))
    const stocked = items(founding, ledger)
    employees(founding)
    const { customers, vendors } = names(founding, terms)
    jobs(founding, customers)
    account.put("counter", "sales", { last: 1000 })
    const stage = { ledger, terms, methods, classes, departments, items: stocked, customers, vendors }
    trade(account, account.now - year, stage)
    addUntidy({ ...account, now: account.now - 86_400_000 }, stage)
    attachments({ ...account, now: account.now - 86_400_000 })
    const left = { ...account, now: account.now - 20 * 86_400_000 }
    for (const [entity, list] of [
      ["Customer", customers.slice(-3)],
      ["Vendor", vendors.slice(-2)]
    ] as const)
      for (const { Id, SyncToken } of list) enter(left, entity, { Id, SyncToken, sparse: true, Active: false })
  }
