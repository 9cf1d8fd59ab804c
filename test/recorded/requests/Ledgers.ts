import { realmId } from "../../../src/providers/quickbooks/simulator/OAuth.ts"
import { tenantOf } from "../../../src/providers/xero/simulator/Organisation.ts"
import { organizationOf } from "../../../src/providers/zohobooks/simulator/Answers.ts"
import type { Named, Requests } from "../Ask.ts"

const bearer = (token: string) => `Bearer ${token}`

const company = "/v3/company/1"

/** QuickBooks entities by the path of their requests. */
const entities = {
  account: "Account",
  bill: "Bill",
  creditmemo: "CreditMemo",
  customer: "Customer",
  deposit: "Deposit",
  invoice: "Invoice",
  item: "Item",
  journalentry: "JournalEntry",
  payment: "Payment",
  purchaseorder: "PurchaseOrder",
  vendor: "Vendor"
}

const entitiesQueried = [...Object.values(entities), "BillPayment", "Purchase"]

const entityNamed = (entity: string, condition = ""): Named => ({
  request: `GET ${company}/query`,
  query: { query: `select * from ${entity} ${condition}`.trim() },
  records: `QueryResponse.${entity}`
})

const note = { PrivateNote: "Checked" }

const update = (name: string, body: object = note) => ({
  Id: `{${name}}`,
  SyncToken: `{${name}.SyncToken}`,
  sparse: true,
  ...body
})

const sale = {
  Amount: 100,
  DetailType: "SalesItemLineDetail",
  SalesItemLineDetail: { ItemRef: { value: "{service}" } }
}
const cost = {
  Amount: 100,
  DetailType: "AccountBasedExpenseLineDetail",
  AccountBasedExpenseLineDetail: { AccountRef: { value: "{expenseAccount}" } }
}
const posted = (PostingType: string, account: string) => ({
  Amount: 100,
  DetailType: "JournalEntryLineDetail",
  JournalEntryLineDetail: { PostingType, AccountRef: { value: `{${account}}` } }
})
const customer = { CustomerRef: { value: "{customer}" } }
const vendor = { VendorRef: { value: "{vendor}" } }

const quickbooks: Requests = {
  authorization: bearer,
  address: (path, account) => path.replace(company, `/v3/company/${realmId(account)}`),
  records: {
    [`GET ${company}/query`]: "QueryResponse",
    [`POST ${company}/query`]: "QueryResponse",
    ...Object.fromEntries(
      Object.entries(entities).flatMap(([path, name]) => [
        [`GET ${company}/${path}/{id}`, name],
        [`POST ${company}/${path}`, name]
      ])
    )
  },
  alike: Object.values(entities).map((name) => [name, `QueryResponse.${name}[]`]),
  id: "Id",
  query: {
    [`GET ${company}/query`]: entitiesQueried.map((entity) => ({ query: `select * from ${entity} maxresults 30` }))
  },
  named: {
    ...Object.fromEntries(Object.entries(entities).map(([path, name]) => [path, entityNamed(name)])),
    bank: entityNamed("Account", "where AccountType = 'Bank'"),
    income: entityNamed("Account", "where AccountType = 'Income'"),
    expenseAccount: entityNamed("Account", "where AccountType = 'Expense'"),
    service: entityNamed("Item", "where Type = 'Service'")
  },
  ids: Object.fromEntries(Object.keys(entities).map((path) => [`GET ${company}/${path}/{id}`, path])),
  bodies: {
    [`POST ${company}/account`]: [
      { Name: "Equipment hire", AccountType: "Expense" },
      update("expenseAccount", { Name: "Renamed" })
    ],
    [`POST ${company}/bill`]: [{ ...vendor, Line: [cost] }, update("bill", { VendorRef: "{bill.VendorRef}" })],
    [`POST ${company}/creditmemo`]: [{ ...customer, Line: [sale] }, update("creditmemo")],
    [`POST ${company}/customer`]: [
      { DisplayName: "New customer", PrimaryEmailAddr: { Address: "new@example.com" }, BillAddr: { Line1: "1 Pier" } },
      update("customer", { Notes: "Checked" })
    ],
    [`POST ${company}/deposit`]: [
      {
        DepositToAccountRef: { value: "{bank}" },
        Line: [
          {
            Amount: 100,
            DetailType: "DepositLineDetail",
            DepositLineDetail: { AccountRef: { value: "{income}" } }
          }
        ]
      }
    ],
    [`POST ${company}/invoice`]: [{ ...customer, Line: [sale] }, update("invoice")],
    [`POST ${company}/item`]: [
      { Name: "Callout", Type: "Service", IncomeAccountRef: { value: "{income}" } },
      update("service", { Name: "Renamed" })
    ],
    [`POST ${company}/journalentry`]: [
      { Line: [posted("Debit", "expenseAccount"), posted("Credit", "bank")] },
      update("journalentry")
    ],
    [`POST ${company}/payment`]: [{ ...customer, TotalAmt: 25 }, update("payment")],
    [`POST ${company}/purchaseorder`]: [{ ...vendor, Line: [cost] }],
    [`POST ${company}/query`]: ["Account", "Customer", "Deposit", "Invoice", "Payment"].map(
      (entity) => `select * from ${entity} maxresults 30`
    ),
    [`POST ${company}/vendor`]: [{ DisplayName: "New vendor" }, update("vendor", { DisplayName: "Renamed" })]
  }
}

const books = "/api.xro/2.0"

/** Xero's collections, with their ids. */
const collections = {
  Accounts: "AccountID",
  BankTransactions: "BankTransactionID",
  Contacts: "ContactID",
  CreditNotes: "CreditNoteID",
  Invoices: "InvoiceID",
  Items: "ItemID",
  Payments: "PaymentID",
  PurchaseOrders: "PurchaseOrderID"
}

const collectionNamed = (name: keyof typeof collections, where: Named["where"] = {}): Named => ({
  request: `GET ${books}/${name}`,
  id: collections[name],
  where
})

const line = { Description: "Repair", Quantity: 1, UnitAmount: 40, AccountCode: "{sales.Code}" }
const contact = { Contact: { ContactID: "{contact}" }, Date: "2026-05-04" }

const xero: Requests = {
  authorization: bearer,
  headers: (account) => ({ "xero-tenant-id": tenantOf(account) }),
  records: {
    "GET /connections": "",
    [`GET ${books}/Organisation`]: "Organisations",
    ...Object.fromEntries(
      Object.keys(collections).flatMap((name) =>
        [`GET ${books}/${name}`, `GET ${books}/${name}/{id}`, `POST ${books}/${name}`, `PUT ${books}/${name}`].map(
          (request) => [request, name]
        )
      )
    )
  },
  id: "",
  query: {
    ...Object.fromEntries(
      ["BankTransactions", "CreditNotes", "Invoices", "Payments", "PurchaseOrders"].map((name) => [
        `GET ${books}/${name}`,
        { page: "1", pageSize: "100" }
      ])
    ),
    [`GET ${books}/Contacts`]: { page: "1", includeArchived: "false" }
  },
  named: {
    ...Object.fromEntries(
      (
        [
          "Accounts",
          "BankTransactions",
          "Contacts",
          "CreditNotes",
          "Invoices",
          "Items",
          "Payments",
          "PurchaseOrders"
        ] as const
      ).map((name) => [name, collectionNamed(name)])
    ),
    contact: collectionNamed("Contacts"),
    bank: collectionNamed("Accounts", { Type: "BANK", CurrencyCode: "EUR" }),
    sales: collectionNamed("Accounts", { Type: "REVENUE" }),
    addedCredit: collectionNamed("CreditNotes", { Status: "DRAFT" }),
    openInvoice: collectionNamed("Invoices", { Status: "AUTHORISED", Type: "ACCREC", CurrencyCode: "EUR" })
  },
  ids: Object.fromEntries(Object.keys(collections).map((name) => [`GET ${books}/${name}/{id}`, name])),
  bodies: {
    [`PUT ${books}/Accounts`]: [{ Accounts: [{ Code: "8771", Name: "Workshop tools", Type: "EXPENSE" }] }],
    [`POST ${books}/Accounts`]: [{ Accounts: [{ AccountID: "{sales}", Description: "Checked" }] }],
    [`PUT ${books}/BankTransactions`]: [
      {
        BankTransactions: [
          { Type: "SPEND", ...contact, LineItems: [line], BankAccount: { AccountID: "{bank}" }, Reference: "Checked" }
        ]
      }
    ],
    [`POST ${books}/BankTransactions`]: [
      { BankTransactions: [{ BankTransactionID: "{BankTransactions}", Reference: "Checked" }] }
    ],
    [`PUT ${books}/Contacts`]: [{ Contacts: [{ Name: "New contact" }] }],
    [`POST ${books}/Contacts`]: [{ Contacts: [{ ContactID: "{contact}", Name: "Renamed" }] }],
    [`PUT ${books}/CreditNotes`]: [{ CreditNotes: [{ Type: "ACCRECCREDIT", ...contact, LineItems: [line] }] }],
    [`POST ${books}/CreditNotes`]: [{ CreditNotes: [{ CreditNoteID: "{addedCredit}", Reference: "Checked" }] }],
    [`PUT ${books}/Invoices`]: [
      { Invoices: [{ Type: "ACCREC", ...contact, DueDate: "2026-06-04", Status: "AUTHORISED", LineItems: [line] }] }
    ],
    [`POST ${books}/Invoices`]: [{ Invoices: [{ InvoiceID: "{openInvoice}", Reference: "Checked" }] }],
    [`PUT ${books}/Items`]: [{ Items: [{ Code: "LAMP", Name: "Lamp" }] }],
    [`POST ${books}/Items`]: [{ Items: [{ ItemID: "{Items}", Code: "{Items.Code}", Description: "Checked" }] }],
    [`PUT ${books}/Payments`]: [
      {
        Payments: [
          { Invoice: { InvoiceID: "{openInvoice}" }, Account: { AccountID: "{bank}" }, Date: "2026-06-04", Amount: 1 }
        ]
      }
    ],
    [`PUT ${books}/PurchaseOrders`]: [
      { PurchaseOrders: [{ ...contact, LineItems: [{ Description: "Spokes", Quantity: 1, UnitAmount: 40 }] }] }
    ],
    [`POST ${books}/PurchaseOrders`]: [
      { PurchaseOrders: [{ PurchaseOrderID: "{PurchaseOrders}", Reference: "Checked" }] }
    ]
  }
}

const zoho = "/books/v3"

/** Zoho Books' modules: the member of one record, and its id. */
const modules = {
  bills: "bill",
  chartofaccounts: "chart_of_account",
  contacts: "contact",
  creditnotes: "creditnote",
  customerpayments: "payment",
  expenses: "expense",
  invoices: "invoice",
  items: "item",
  journals: "journal",
  purchaseorders: "purchaseorder",
  vendorpayments: "vendorpayment"
}

const ids: { readonly [path: string]: string } = {
  chartofaccounts: "account_id",
  customerpayments: "payment_id",
  vendorpayments: "payment_id"
}

const moduleNamed = (path: string, where: Named["where"] = {}): Named => ({
  request: `GET ${zoho}/${path}`,
  id: ids[path] ?? `${path.slice(0, -1)}_id`,
  where
})

const line_items = [{ item_id: "{items}", rate: 40, quantity: 1 }]

const notes = [{ notes: "Checked" }]
const description = [{ description: "Checked" }]

const zohoBooks: Requests = {
  authorization: (token) => `Zoho-oauthtoken ${token}`,
  accountQuery: (account) => ({ organization_id: organizationOf({ name: account }) }),
  records: {
    [`GET ${zoho}/organizations`]: "organizations",
    [`GET ${zoho}/settings/currencies`]: "currencies",
    [`GET ${zoho}/settings/taxes`]: "taxes",
    ...Object.fromEntries(
      Object.entries(modules).flatMap(([path, one]) => [
        [`GET ${zoho}/${path}`, path],
        [`GET ${zoho}/${path}/{id}`, one],
        [`DELETE ${zoho}/${path}/{id}`, ""],
        [`POST ${zoho}/${path}`, one],
        [`PUT ${zoho}/${path}/{id}`, one]
      ])
    )
  },
  id: "",
  named: {
    ...Object.fromEntries(Object.keys(modules).map((path) => [path, moduleNamed(path)])),
    customer: moduleNamed("contacts", { contact_type: "customer" }),
    vendor: moduleNamed("contacts", { contact_type: "vendor" }),
    bank: moduleNamed("chartofaccounts", { account_type: "bank" }),
    income: moduleNamed("chartofaccounts", { account_type: "income" }),
    expenseAccount: moduleNamed("chartofaccounts", { account_type: "expense" }),
    sentInvoice: moduleNamed("invoices", { status: "sent" }),
    draftInvoice: moduleNamed("invoices", { status: "draft" }),
    addedBill: moduleNamed("bills", { bill_number: "B-9001" }),
    addedAccount: moduleNamed("chartofaccounts", { account_name: "Workshop tools" }),
    addedContact: moduleNamed("contacts", { contact_name: "New contact" }),
    addedItem: moduleNamed("items", { name: "Lamp" })
  },
  ids: {
    ...Object.fromEntries(
      Object.keys(modules).flatMap((path) =>
        ["GET", "PUT", "DELETE"].map((method) => [`${method} ${zoho}/${path}/{id}`, path])
      )
    ),
    [`DELETE ${zoho}/bills/{id}`]: "addedBill",
    [`DELETE ${zoho}/chartofaccounts/{id}`]: "addedAccount",
    [`DELETE ${zoho}/contacts/{id}`]: "addedContact",
    [`DELETE ${zoho}/invoices/{id}`]: "draftInvoice",
    [`DELETE ${zoho}/items/{id}`]: "addedItem",
    [`POST ${zoho}/invoices/{id}/status/sent`]: "draftInvoice",
    [`POST ${zoho}/invoices/{id}/status/void`]: "sentInvoice"
  },
  bodies: {
    [`POST ${zoho}/bills`]: [
      {
        vendor_id: "{vendor}",
        bill_number: "B-9001",
        date: "2026-05-04",
        line_items: [{ name: "Paper", account_id: "{expenseAccount}", rate: 40, quantity: 1 }]
      }
    ],
    [`POST ${zoho}/chartofaccounts`]: [{ account_name: "Workshop tools", account_type: "expense" }],
    [`POST ${zoho}/contacts`]: [{ contact_name: "New contact", company_name: "New", contact_type: "customer" }],
    [`POST ${zoho}/creditnotes`]: [
      {
        customer_id: "{customer}",
        date: "2026-05-04",
        line_items: [{ account_id: "{income}", description: "Refund", quantity: 1, rate: 40 }]
      }
    ],
    [`POST ${zoho}/customerpayments`]: [
      {
        customer_id: "{sentInvoice.customer_id}",
        payment_mode: "cash",
        amount: 1,
        date: "2026-05-04",
        invoices: [{ invoice_id: "{sentInvoice}", amount_applied: 1 }]
      }
    ],
    [`POST ${zoho}/expenses`]: [
      {
        account_id: "{expenseAccount}",
        date: "2026-05-04",
        amount: 12,
        paid_through_account_id: "{bank}",
        description: "Checked"
      }
    ],
    [`POST ${zoho}/invoices`]: [{ customer_id: "{customer}", line_items }],
    [`POST ${zoho}/invoices/{id}/status/sent`]: [undefined],
    [`POST ${zoho}/invoices/{id}/status/void`]: [undefined],
    [`POST ${zoho}/items`]: [{ name: "Lamp", rate: 12.5, description: "Checked", item_type: "sales", unit: "pcs" }],
    [`POST ${zoho}/journals`]: [
      {
        journal_date: "2026-05-04",
        reference_number: "J-9",
        notes: "Checked",
        line_items: [
          { account_id: "{expenseAccount}", debit_or_credit: "debit", amount: 12 },
          { account_id: "{bank}", debit_or_credit: "credit", amount: 12 }
        ]
      }
    ],
    [`POST ${zoho}/purchaseorders`]: [{ vendor_id: "{vendor}", date: "2026-05-04", line_items }],
    [`POST ${zoho}/vendorpayments`]: [
      { vendor_id: "{vendor}", amount: 12, paid_through_account_id: "{bank}", date: "2026-05-04" }
    ],
    [`PUT ${zoho}/bills/{id}`]: notes,
    [`PUT ${zoho}/chartofaccounts/{id}`]: description,
    [`PUT ${zoho}/contacts/{id}`]: notes,
    [`PUT ${zoho}/creditnotes/{id}`]: notes,
    [`PUT ${zoho}/customerpayments/{id}`]: description,
    [`PUT ${zoho}/expenses/{id}`]: description,
    [`PUT ${zoho}/invoices/{id}`]: notes,
    [`PUT ${zoho}/items/{id}`]: [{ name: "Renamed", rate: 12.5, description: "Checked" }],
    [`PUT ${zoho}/journals/{id}`]: [{ journal_date: "2026-05-04", notes: "Checked" }],
    [`PUT ${zoho}/purchaseorders/{id}`]: notes,
    [`PUT ${zoho}/vendorpayments/{id}`]: description
  }
}

/** How the recorded requests are sent to the simulators of ledgers, by slug. */
export const ledgerRequests: { readonly [slug: string]: Requests } = { quickbooks, xero, zoho_books: zohoBooks }
