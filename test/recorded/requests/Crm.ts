import type { Requests } from "../Ask.ts"

const bearer = (token: string) => `Bearer ${token}`

const fieldsOf = (fields: string) => ({ fields })

const hubspotObjects = "/crm/v3/objects"
const properties = (values: object) => ({ properties: values })

const salesforce = "/services/data/v62.0"

const rows = (...data: ReadonlyArray<object>) => [{ data }]

/** How the recorded requests are sent to the simulators of CRMs, by slug. */
export const crmRequests: { readonly [slug: string]: Requests } = {
  hubspot: {
    authorization: bearer,
    records: {
      "*": "",
      ...Object.fromEntries(
        ["companies", "contacts", "deals", "tasks"].map((object) => [`GET ${hubspotObjects}/${object}`, "results"])
      ),
      "GET /crm/v3/owners": "results",
      "GET /crm/v3/pipelines/deals": "results",
      "GET /crm/v3/properties/companies": "results",
      "POST /crm/v3/objects/companies/search": "results",
      "POST /crm/v3/objects/deals/search": "results",
      "POST /crm/v3/objects/companies/batch/create": "results",
      "POST /crm/v3/objects/companies/batch/update": "results"
    },
    id: "id",
    named: {
      company: { request: `GET ${hubspotObjects}/companies` },
      contact: { request: `GET ${hubspotObjects}/contacts` },
      owner: { request: "GET /crm/v3/owners" }
    },
    bodies: {
      "POST /crm/v3/objects/companies/search": [{ limit: 20 }],
      "POST /crm/v3/objects/deals/search": [{ limit: 20 }],
      [`PATCH ${hubspotObjects}/companies/{id}`]: [
        properties({ name: "Renamed", description: "" }),
        properties({ domain: "renamed.example", city: "Bergen" })
      ],
      [`PATCH ${hubspotObjects}/contacts/{id}`]: [properties({ firstname: "Ann", lastname: "Lee" })],
      [`PATCH ${hubspotObjects}/deals/{id}`]: [
        properties({ dealname: "Renamed", amount: 12, closedate: "2026-07-31" })
      ],
      [`PATCH ${hubspotObjects}/tasks/{id}`]: [properties({ hs_task_subject: "Renamed", hs_task_priority: "HIGH" })],
      [`POST ${hubspotObjects}/companies`]: [properties({ name: "New", domain: "new.example" })],
      [`POST ${hubspotObjects}/companies/batch/create`]: [
        { inputs: [properties({ name: "Newer", domain: "newer.example", city: "Bergen" })] }
      ],
      [`POST ${hubspotObjects}/companies/batch/update`]: [
        { inputs: [{ id: "{company}", ...properties({ name: "Again", city: "Oslo" }) }] }
      ],
      [`POST ${hubspotObjects}/contacts`]: [
        properties({ email: "new@example.com", firstname: "New", lastname: "Person", phone: "+4790000000" })
      ],
      [`POST ${hubspotObjects}/deals`]: [properties({ dealname: "New", amount: 12 })],
      [`POST ${hubspotObjects}/notes`]: [
        {
          ...properties({ hs_timestamp: "2026-06-30T10:00:00Z", hs_note_body: "Checked", hubspot_owner_id: "{owner}" }),
          associations: [
            {
              to: { id: "{contact}" },
              types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 202 }]
            }
          ]
        }
      ],
      [`POST ${hubspotObjects}/tasks`]: [
        properties({ hs_task_subject: "New", hs_timestamp: "2026-07-30T10:00:00Z", hs_task_status: "NOT_STARTED" })
      ]
    }
  },
  salesforce: {
    authorization: bearer,
    records: {
      "*": "",
      "GET /services/data/v62.0/sobjects": "sobjects",
      "GET /services/data/v62.0/query": "records"
    },
    id: "Id",
    query: {
      [`GET ${salesforce}/query`]: { q: "SELECT Id FROM Account LIMIT 20" },
      [`GET ${salesforce}/queryAll`]: { q: "SELECT Id, Name FROM Account LIMIT 20" },
      [`GET ${salesforce}/search`]: { q: "FIND {no one} IN ALL FIELDS RETURNING Account(Id)" },
      [`DELETE ${salesforce}/composite/sobjects`]: { ids: "{account}", allOrNone: "false" }
    },
    named: {
      account: { request: "GET /services/data/v62.0/query" }
    },
    ids: {
      [`GET ${salesforce}/sobjects/Account/{id}`]: "account",
      [`PATCH ${salesforce}/sobjects/Account/{id}`]: "account",
      [`DELETE ${salesforce}/sobjects/Account/{id}`]: "account"
    },
    bodies: {
      [`PATCH ${salesforce}/composite/sobjects`]: [
        { records: [{ attributes: { type: "Account" }, id: "{account}", Name: "Renamed" }], allOrNone: false }
      ],
      [`PATCH ${salesforce}/sobjects/Account/{id}`]: [{ Name: "Renamed", Industry: "Energy" }],
      [`POST ${salesforce}/composite`]: [
        {
          allOrNone: false,
          compositeRequest: [{ method: "GET", url: `${salesforce}/sobjects/Account/describe`, referenceId: "one" }]
        }
      ],
      [`POST ${salesforce}/composite/sobjects`]: [
        { allOrNone: false, records: [{ attributes: { type: "Account" }, Name: "New" }] }
      ],
      [`POST ${salesforce}/sobjects/Account/`]: [{ Name: "New" }]
    }
  },
  pipedrive: {
    authorization: bearer,
    records: { "*": "data" },
    id: "id",
    named: {
      person: { request: "GET /api/v1/leads", id: "person_id" },
      deal: { request: "GET /api/v1/notes", id: "deal_id" }
    },
    bodies: {
      "PATCH /api/v1/leads/{id}": [{ title: "Renamed" }],
      "POST /api/v1/leads": [{ title: "New", person_id: "{person.person_id}" }],
      "POST /api/v1/notes": [{ content: "Checked", deal_id: "{deal.deal_id}" }],
      "PUT /api/v1/notes/{id}": [{ content: "Changed" }]
    }
  },
  attio: {
    authorization: bearer,
    records: { "*": "data" },
    id: "id",
    named: {
      person: { request: "POST /v2/objects/people/records/query" },
      member: { request: "GET /v2/workspace_members" }
    },
    ids: {
      "GET /v2/objects/people/records/{id}": "person",
      "PATCH /v2/objects/people/records/{id}": "person",
      "DELETE /v2/objects/people/records/{id}": "person"
    },
    bodies: {
      ...Object.fromEntries(
        ["companies", "deals", "people"].map((object) => [`POST /v2/objects/${object}/records/query`, [{ limit: 20 }]])
      ),
      "PATCH /v2/objects/people/records/{id}": [{ data: { values: { job_title: [{ value: "Engineer" }] } } }],
      "PATCH /v2/tasks/{id}": [{ data: { is_completed: true } }],
      "POST /v2/notes": [
        {
          data: {
            parent_object: "people",
            parent_record_id: "{person}",
            title: "New",
            format: "plaintext",
            content: "Checked"
          }
        }
      ],
      "POST /v2/objects/people/records": [
        { data: { values: { name: [{ first_name: "New", last_name: "Person", full_name: "New Person" }] } } }
      ],
      "POST /v2/tasks": [
        {
          data: {
            content: "New",
            format: "plaintext",
            deadline_at: null,
            is_completed: false,
            linked_records: [{ target_object: "people", target_record_id: "{person}" }],
            assignees: [{ referenced_actor_type: "workspace-member", referenced_actor_id: "{member}" }]
          }
        }
      ]
    }
  },
  close: {
    authorization: (token) => `Basic ${Buffer.from(`${token}:`).toString("base64")}`,
    records: {
      "*": "",
      ...Object.fromEntries(
        ["contact", "lead", "opportunity", "pipeline", "task", "user", "activity/note"].map((kind) => [
          `GET /api/v1/${kind}/`,
          "data"
        ])
      )
    },
    id: "id",
    named: {
      lead: { request: "GET /api/v1/lead/" },
      contact: { request: "GET /api/v1/contact/" },
      note: { request: "GET /api/v1/activity/note/" },
      opportunity: { request: "GET /api/v1/opportunity/" },
      user: { request: "GET /api/v1/user/" }
    },
    ids: { "PUT /api/v1/activity/note/{id}/": "note", "DELETE /api/v1/activity/note/{id}/": "note" },
    bodies: {
      "POST /api/v1/activity/note/": [{ lead_id: "{lead}", note: "Checked" }],
      "POST /api/v1/contact/": [
        {
          lead_id: "{lead}",
          name: "New Person",
          title: "Engineer",
          emails: [{ email: "new@example.com", type: "office" }]
        }
      ],
      "POST /api/v1/lead/": [
        { name: "New", status_id: "{lead.status_id}", url: "https://new.example", description: "Checked" }
      ],
      "POST /api/v1/opportunity/": [
        {
          lead_id: "{contact.lead_id}",
          status_id: "{opportunity.status_id}",
          note: "Checked",
          value: 1200,
          value_period: "one_time",
          contact_id: "{contact}"
        }
      ],
      "POST /api/v1/task/": [
        { _type: "lead", lead_id: "{lead}", text: "New", date: "2026-07-30", assigned_to: "{user}" }
      ],
      "PUT /api/v1/activity/note/{id}/": [{ note: "Changed" }],
      "PUT /api/v1/contact/{id}/": [{ title: "Manager" }],
      "PUT /api/v1/lead/{id}/": [{ name: "Renamed" }],
      "PUT /api/v1/opportunity/{id}/": [{ confidence: 40 }],
      "PUT /api/v1/task/{id}/": [{ is_complete: true }]
    }
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
      "GET /crm/v8/Tasks": fieldsOf("Subject,Status,Owner"),
      "GET /crm/v8/Leads/search": { word: "nobody at all" }
    },
    named: {
      contact: { request: "GET /crm/v8/Contacts" },
      deal: { request: "GET /crm/v8/Deals", query: fieldsOf("Stage,Pipeline") }
    },
    bodies: {
      "POST /crm/v8/Accounts": rows({ Account_Name: "New" }),
      "POST /crm/v8/Calls": rows({
        Subject: "New",
        Call_Type: "Outbound",
        Call_Start_Time: "2026-06-30T10:00:00+00:00",
        Call_Duration: "10:00",
        Outgoing_Call_Status: "Completed"
      }),
      "POST /crm/v8/Contacts": rows({ Last_Name: "Person", First_Name: "New", Email: "new@example.com" }),
      "POST /crm/v8/Deals": rows({
        Deal_Name: "New",
        Stage: "{deal.Stage}",
        Pipeline: "{deal.Pipeline}",
        Amount: 12,
        Closing_Date: "2026-07-31"
      }),
      "POST /crm/v8/Events": rows({
        Event_Title: "New",
        Start_DateTime: "2026-07-30T10:00:00+00:00",
        End_DateTime: "2026-07-30T11:00:00+00:00",
        Venue: "Here"
      }),
      "POST /crm/v8/Leads": rows({ Company: "New", Last_Name: "Person", First_Name: "New", Email: "new@example.com" }),
      "POST /crm/v8/Notes": rows({
        Note_Title: "New",
        Note_Content: "Checked",
        Parent_Id: { module: { api_name: "Contacts" }, id: "{contact}" }
      }),
      "POST /crm/v8/Tasks": rows({ Subject: "New" }),
      "PUT /crm/v8/Accounts/{id}": rows({ Account_Name: "Renamed", Phone: "90000000" }),
      "PUT /crm/v8/Calls/{id}": rows({ Subject: "Renamed", Description: "Checked" }),
      "PUT /crm/v8/Contacts/{id}": rows({ Last_Name: "Renamed", Phone: "90000000" }),
      "PUT /crm/v8/Deals/{id}": rows({ Deal_Name: "Renamed", Amount: 14 }),
      "PUT /crm/v8/Events/{id}": rows({ Event_Title: "Renamed", Description: "Checked" }),
      "PUT /crm/v8/Leads/{id}": rows({ City: "Bergen" }),
      "PUT /crm/v8/Notes/{id}": rows({ Note_Title: "Renamed", Note_Content: "Changed" }),
      "PUT /crm/v8/Tasks/{id}": rows({ Subject: "Renamed", Priority: "High" })
    }
  }
}
