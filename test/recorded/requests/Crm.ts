import type { Requests } from "../Ask.ts"

const bearer = (token: string) => `Bearer ${token}`

const fieldsOf = (fields: string) => ({ fields })

/** How the recorded requests are sent to the simulators of CRMs, by slug. */
export const crmRequests: { readonly [slug: string]: Requests } = {
  hubspot: {
    authorization: bearer,
    records: { "*": "results", "{id}": "", "GET /account-info/v3/details": "" },
    id: "id",
    bodies: { "*": [{ limit: 20 }] }
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
    named: { account: { request: "GET /services/data/v62.0/query" } },
    ids: { "GET /services/data/v62.0/sobjects/Account/{id}": "account" }
  },
  pipedrive: { authorization: bearer, records: { "*": "data" }, id: "id" },
  attio: {
    authorization: bearer,
    records: { "*": "data" },
    id: "id",
    bodies: { "*": [{ limit: 20 }] },
    named: { person: { request: "POST /v2/objects/people/records/query" } },
    ids: { "GET /v2/objects/people/records/{id}": "person" }
  },
  close: {
    authorization: (token) => `Basic ${Buffer.from(`${token}:`).toString("base64")}`,
    records: { "*": "data", "{id}": "", "GET /api/v1/me/": "" },
    id: "id"
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
