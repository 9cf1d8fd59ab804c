import {
  accountingInvoiceList,
  accountingInvoicePatch,
  crmContactCreate,
  crmContactGet,
  crmContactList,
  crmContactPatch
} from "./orval/client"
import { address, check, endUser, key, linesKept } from "./Service"

/** The client of orval: lists, creates and patches; sends lines back as they were read. */
const own = globalThis.fetch
// its addresses have no origin: a browser's page has one
globalThis.fetch = (path, init) => own(new URL(String(path), address), init)
const headers = { authorization: `Bearer ${key}`, "x-end-user-id": endUser }

const listed = await crmContactList({ provider: "hubspot", limit: 2 }, { headers })
check("list", listed.status === 200 && listed.data.data.data[0]?.remote_id)

const created = await crmContactCreate(
  { first_name: "Ada", last_name: "Lovelace", email_addresses: [{ email_address: "orval@engine.example" }] },
  { provider: "hubspot" },
  { headers: { ...headers, "idempotency-key": crypto.randomUUID() } }
)
if (created.status !== 201) throw new Error(`create: ${created.data.message}`)
const made = created.data.data

const patched = await crmContactPatch(made.remote_id, { title: "Countess" }, { provider: "hubspot" }, { headers })
check("patch", patched.status === 200 && patched.data.data.title === "Countess")

const invoices = await accountingInvoiceList({ provider: "quickbooks", limit: 1 }, { headers })
const invoice = invoices.status === 200 ? invoices.data.data.data[0] : undefined
const lines = invoice?.line_items ?? []
const resent = await accountingInvoicePatch(
  invoice?.remote_id ?? "",
  { line_items: lines },
  { provider: "quickbooks" },
  { headers }
)
linesKept(
  lines,
  resent.status === 200 ? resent.data.data.line_items : undefined,
  resent.status === 200 ? "" : resent.data.message
)

const missing = await crmContactGet("0", { provider: "hubspot" }, { headers })
check("failure", missing.status === 404 && missing.data.code === "CONTACT_NOT_FOUND")
