import createClient from "openapi-fetch"
import type { paths } from "./openapi-typescript/schema"
import { address, check, endUser, key, linesKept } from "./Service"

/** The client of openapi-typescript and openapi-fetch: lists, creates and patches; sends lines back as they were read. */
const client = createClient<paths>({ baseUrl: address, headers: { authorization: `Bearer ${key}` } })
const header = { "x-end-user-id": endUser }

const listed = await client.GET("/api/v1/crm/contact", {
  params: { header, query: { provider: "hubspot", limit: 2 } }
})
const [first] = listed.data?.data.data ?? []
check("list", first?.remote_id)

const created = await client.POST("/api/v1/crm/contact", {
  params: { header: { ...header, "idempotency-key": crypto.randomUUID() }, query: { provider: "hubspot" } },
  body: {
    first_name: "Ada",
    last_name: "Lovelace",
    email_addresses: [{ email_address: "openapi-typescript@engine.example" }]
  }
})
const made = created.data?.data
check("create", made?.remote_id, created.error?.message)

const patched = await client.PATCH("/api/v1/crm/contact/{id}", {
  params: { header, path: { id: made?.remote_id ?? "" }, query: { provider: "hubspot" } },
  body: { title: "Countess" }
})
check("patch", patched.data?.data.title === "Countess", patched.error?.message)

const invoices = await client.GET("/api/v1/accounting/invoice", {
  params: { header, query: { provider: "quickbooks", limit: 1 } }
})
const invoice = invoices.data?.data.data[0]
const lines = invoice?.line_items ?? []
const resent = await client.PATCH("/api/v1/accounting/invoice/{id}", {
  params: { header, path: { id: invoice?.remote_id ?? "" }, query: { provider: "quickbooks" } },
  body: { line_items: lines }
})
linesKept(lines, resent.data?.data.line_items, resent.error?.message)

const missing = await client.GET("/api/v1/crm/contact/{id}", {
  params: { header, path: { id: "0" }, query: { provider: "hubspot" } }
})
check("failure", missing.error?.code === "CONTACT_NOT_FOUND")
