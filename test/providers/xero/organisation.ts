import { Effect } from "effect"
import { type Doc, pageOf, recordOf, SandboxApplication, walk } from "../../support/SandboxApplication.ts"

export const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

/** An organisation with a contact and accounts to trade on. */
export const organisation = Effect.gen(function* () {
  const { call, connections, endUser, tenancy } = yield* (yield* SandboxApplication).caller(["xero"])
  const connection = String(connections.xero)
  const path = (resource: string, id?: unknown) =>
    `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=xero`
  const create = (resource: string, body: Doc) => call("POST", path(resource), { body })
  const make = (resource: string, body: Doc) => Effect.map(create(resource, body), recordOf)
  const patch = (resource: string, record: Doc, body: Doc) => call("PATCH", path(resource, record.remote_id), { body })
  const get = (resource: string, record: Doc) => Effect.map(call("GET", path(resource, record.remote_id)), recordOf)
  const { records: accounts } = yield* walk(call, path("account"))
  const account = (holds: (one: Doc) => boolean) =>
    uuidOf(accounts.find((one) => one.status === "ACTIVE" && holds(one)))
  const [own] = pageOf(yield* call("GET", path("company_info"))).data
  const contact = uuidOf(yield* make("contact", { name: "Analytical Engines" }))
  const sales = account((one) => one.type === "INCOME")
  const cost = account((one) => one.type === "EXPENSE")
  const bank = account((one) => one.account_type === "BANK" && one.currency === own?.currency)
  const owed = (type: "ACCOUNTS_RECEIVABLE" | "ACCOUNTS_PAYABLE", amount: number, more: Doc = {}) =>
    make("invoice", {
      type,
      contact,
      status: "OPEN",
      issue_date: "2026-11-02",
      due_date: "2026-12-02",
      line_items: [{ description: "Work", account: type === "ACCOUNTS_PAYABLE" ? cost : sales, total_amount: amount }],
      inclusive_of_tax: true,
      ...more
    })
  return {
    call,
    connection,
    endUser,
    tenancy,
    path,
    create,
    make,
    patch,
    get,
    account,
    contact,
    sales,
    cost,
    bank,
    owed,
    own
  }
})
