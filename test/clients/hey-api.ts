import { client } from "./hey-api/client.gen"
import {
  accountingInvoiceList,
  accountingInvoicePatch,
  crmContactCreate,
  crmContactGet,
  crmContactList,
  crmContactPatch
} from "./hey-api/sdk.gen"
import { address, check, endUser, key, linesKept } from "./Service"

/** The client of @hey-api/openapi-ts: lists, creates and patches; sends lines back as they were read. */
client.setConfig({ baseUrl: address, auth: key })
const headers = { "x-end-user-id": endUser }

const listed = await crmContactList({ headers, query: { provider: "hubspot", limit: 2 } })
check("list", listed.data?.data.data[0]?.remote_id)

const created = await crmContactCreate({
  headers: { ...headers, "idempotency-key": crypto.randomUUID() },
  query: { provider: "hubspot" },
  body: { first_name: "Ada", last_name: "Lovelace", email_addresses: [{ email_address: "hey-api@engine.example" }] }
})
const made = created.data?.data
check("create", made?.remote_id, created.error?.message)

const patched = await crmContactPatch({
  headers,
  path: { id: made?.remote_id ?? "" },
  query: { provider: "hubspot" },
  body: { title: "Countess" }
})
check("patch", patched.data?.data.title === "Countess", patched.error?.message)

const invoices = await accountingInvoiceList({ headers, query: { provider: "quickbooks", limit: 1 } })
const invoice = invoices.data?.data.data[0]
const lines = invoice?.line_items ?? []
const resent = await accountingInvoicePatch({
  headers,
  path: { id: invoice?.remote_id ?? "" },
  query: { provider: "quickbooks" },
  body: { line_items: lines }
})
linesKept(lines, resent.data?.data.line_items, resent.error?.message)

const missing = await crmContactGet({ headers, path: { id: "0" }, query: { provider: "hubspot" } })
check("failure", missing.error?.code === "CONTACT_NOT_FOUND")
