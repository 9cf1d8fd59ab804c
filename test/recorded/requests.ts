import { tenantOf } from "../../src/providers/xero/simulator/Organisation.ts"

/** How the recorded requests of a provider are sent to its simulator. */
export interface Requests {
  /** The `Authorization` header for an access token. */
  readonly authorization: (token: string) => string
  /** Changes the addresses of the shapes to those of the simulated account. */
  readonly address?: (path: string, account: string) => string
  /** Further headers, for the simulated account. */
  readonly headers?: (account: string) => { readonly [name: string]: string }
  /** Query parameters by request, `*` for all of them. */
  readonly query?: { readonly [request: string]: { readonly [name: string]: string } }
  readonly body?: { readonly [request: string]: unknown }
  /** Path of the record or the records in an answer, by request; `*` for all others, `{id}` for a record alone. */
  readonly records: { readonly [request: string]: string }
  /** Name of a record's id; by request where the kinds of records call it differently. */
  readonly id: string
  readonly ids?: { readonly [request: string]: string }
  /** The list whose ids a request with `{id}` takes, where that is not the same path without it. */
  readonly list?: { readonly [request: string]: string }
}

const bearer = (token: string) => `Bearer ${token}`

const fieldsOf = (fields: string) => ({ fields })

const xeroPath = "/api.xro/2.0"

const xeroIds = {
  Accounts: "AccountID",
  BankTransactions: "BankTransactionID",
  Contacts: "ContactID",
  CreditNotes: "CreditNoteID",
  Invoices: "InvoiceID",
  Items: "ItemID",
  Payments: "PaymentID",
  PurchaseOrders: "PurchaseOrderID"
}

/** By slug. */
export const requests: { readonly [slug: string]: Requests } = {
  hubspot: {
    authorization: bearer,
    records: { "*": "results", "{id}": "", "GET /account-info/v3/details": "" },
    id: "id",
    body: { "*": { limit: 20 } }
  },
  salesforce: {
    authorization: bearer,
    records: {
      "*": "",
      "GET /services/data/v62.0/sobjects": "sobjects",
      "GET /services/data/v62.0/query": "records"
    },
    id: "Id",
    query: { "GET /services/data/v62.0/query": { q: "SELECT Id FROM Account LIMIT 20" } },
    list: { "GET /services/data/v62.0/sobjects/Account/{id}": "GET /services/data/v62.0/query" }
  },
  pipedrive: { authorization: bearer, records: { "*": "data" }, id: "id" },
  attio: {
    authorization: bearer,
    records: { "*": "data" },
    id: "id",
    body: { "*": { limit: 20 } },
    list: { "GET /v2/objects/people/records/{id}": "POST /v2/objects/people/records/query" }
  },
  close: {
    authorization: (token) => `Basic ${Buffer.from(`${token}:`).toString("base64")}`,
    records: { "*": "data", "{id}": "", "GET /api/v1/me/": "" },
    id: "id"
  },
  xero: {
    authorization: bearer,
    headers: (account) => ({ "xero-tenant-id": tenantOf(account) }),
    query: Object.fromEntries(
      ["BankTransactions", "CreditNotes", "Invoices", "Payments", "Contacts"].map((name) => [
        `GET ${xeroPath}/${name}`,
        { page: "1", pageSize: "1000" }
      ])
    ),
    records: {
      "GET /connections": "",
      [`GET ${xeroPath}/Organisation`]: "Organisations",
      ...Object.fromEntries(
        Object.keys(xeroIds).flatMap((name) => [
          [`GET ${xeroPath}/${name}`, name],
          [`GET ${xeroPath}/${name}/{id}`, name]
        ])
      )
    },
    id: "id",
    ids: Object.fromEntries(Object.entries(xeroIds).map(([name, id]) => [`GET ${xeroPath}/${name}/{id}`, id]))
  },
  zoho_crm: {
    authorization: (token) => `Zoho-oauthtoken ${token}`,
    records: { "*": "data", "GET /crm/v8/users": "users", "GET /crm/v8/users/{id}": "users" },
    id: "id",
    query: {
      "GET /crm/v8/Accounts": fieldsOf("Account_Name,Owner,Phone,Website"),
      "GET /crm/v8/Calls": fieldsOf("Subject,Owner,Call_Type"),
      "GET /crm/v8/Contacts": fieldsOf("Last_Name,First_Name,Owner,Email"),
      "GET /crm/v8/Deals": fieldsOf("Deal_Name,Stage,Owner,Account_Name,Amount"),
      "GET /crm/v8/Events": fieldsOf("Event_Title,Owner,Start_DateTime"),
      "GET /crm/v8/Leads": fieldsOf("Last_Name,Company,Owner"),
      "GET /crm/v8/Notes": fieldsOf("Note_Title,Note_Content,Owner,Parent_Id"),
      "GET /crm/v8/Tasks": fieldsOf("Subject,Status,Owner")
    }
  }
}
