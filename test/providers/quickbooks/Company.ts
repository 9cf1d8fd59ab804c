import { Effect } from "effect"
import { type Doc, listOf, recordOf, SandboxApplication, walk } from "../../support/SandboxApplication.ts"

export const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

/** A company with a customer, a vendor and what they trade in. */
export const company = Effect.gen(function* () {
  const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
  const path = (resource: string, id?: unknown) =>
    `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=quickbooks`
  const create = (resource: string, body: Doc, headers = {}) => call("POST", path(resource), { body, headers })
  const patch = (resource: string, record: Doc, body: Doc) => call("PATCH", path(resource, record.remote_id), { body })
  const get = (resource: string, record: Doc) => Effect.map(call("GET", path(resource, record.remote_id)), recordOf)
  const native = (resource: string, record: Doc) =>
    Effect.map(call("GET", `${path(resource, record.remote_id)}&include_remote_data=true`), (answer): Doc => {
      const { remote_data } = recordOf(answer)
      return { ...(typeof remote_data === "object" ? remote_data : {}) }
    })
  const make = (resource: string, body: Doc) => Effect.map(create(resource, body), recordOf)
  const { records: accounts } = yield* walk(call, path("account"))
  const account = (holds: (one: Doc) => boolean) =>
    uuidOf(accounts.find((one) => one.status === "ACTIVE" && holds(one)))
  const { records: items } = yield* walk(call, path("item"))
  const customer = yield* make("contact", { is_customer: true, is_supplier: false, name: "Lovelace" })
  const vendor = yield* make("contact", { is_customer: false, is_supplier: true, name: "Clement" })
  const item = uuidOf(items.find((one) => one.type === "SERVICE" && one.status === "ACTIVE"))
  const cost = account((one) => one.type === "EXPENSE")
  return {
    call,
    path,
    create,
    patch,
    get,
    native,
    make,
    account,
    item,
    cost,
    bank: account((one) => one.account_type === "BANK"),
    card: account((one) => one.account_type === "CREDIT_CARD"),
    receivables: account((one) => one.account_type === "ACCOUNTS_RECEIVABLE" && one.currency === "USD"),
    customer: uuidOf(customer),
    vendor: uuidOf(vendor),
    invoice: (amount: number) =>
      make("invoice", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: uuidOf(customer),
        line_items: [{ item, total_amount: amount }]
      }),
    bill: (amount: number) =>
      make("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact: uuidOf(vendor),
        line_items: [{ account: cost, total_amount: amount }]
      }),
    count: (resource: string) => Effect.map(walk(call, path(resource)), ({ records }) => records.length)
  }
})

export const applied = (type: string, record: Doc, amount: number, more: Doc = {}) => ({
  related_object_type: type,
  related_object_id: uuidOf(record),
  applied_amount: amount,
  ...more
})

export const amounts = (value: unknown) => listOf(value).map((one) => one.applied_amount)

/** The part of a credit that is applied to an invoice or bill. */
export const share = (record: Doc, applied_amount: number, more: Doc = {}) => ({
  invoice: uuidOf(record),
  applied_amount,
  ...more
})
