import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ToolCatalogue } from "../../src/agent/ToolCatalogue.ts"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import { All } from "../../src/providers/All.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { connected, doc, docs, workspaceOf } from "./McpClient.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("records as tools", (it) => {
  it.scoped("there is a tool for each thing that a provider can do with a resource, and no other", () =>
    Effect.gen(function* () {
      const catalogue = yield* ToolCatalogue
      const names = new Set(catalogue.tools().map(({ name }) => name))
      for (const name of [
        "crm_list_companies",
        "crm_get_opportunity",
        "crm_create_activity",
        "crm_update_deal",
        "crm_delete_note",
        "accounting_list_company_info",
        "accounting_update_company_info",
        "accounting_list_addresses",
        "accounting_get_balance_sheet",
        "accounting_list_tracking_categories",
        "accounting_get_attachment"
      ]) {
        assert.strictEqual(names.has(name), name !== "crm_get_opportunity", name)
      }
      for (const resource of [...resourcesOf("crm"), ...resourcesOf("accounting")]) {
        const own = [...names].filter((name) =>
          new RegExp(`^${resource.category}_(create|update|delete)_${resource.name}$`).test(name)
        )
        if (resource.class === "read-only") assert.deepStrictEqual(own, [], resource.name)
        if (resource.class === "update-only") assert.lengthOf(own, 1, resource.name)
      }
      // a file is made by its upload
      assert.isFalse(names.has("accounting_create_attachment"))
      assert.strictEqual(catalogue.find("crm_list_contacts")?.reach, "every")
      assert.include(catalogue.find("crm_create_lead")?.description, "salesforce requires last_name; company.")
      assert.notInclude(catalogue.find("crm_update_lead")?.description, "requires")
    })
  )

  full(it).scoped("every list answers, with the fields that were asked for and only what has a value", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "quickbooks", "xero"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller, { confirm: "never" }))
      const lists = (yield* ToolCatalogue)
        .tools()
        .filter(
          ({ name, providers }) => name.includes("_list_") && providers.some((slug) => slug in caller.connections)
        )
      assert.isAbove(lists.length, 30)
      for (let from = 0; from < lists.length; from += 10) {
        const calls = lists.slice(from, from + 10).map(({ name }) => ({ tool: name, arguments: { limit: 2 } }))
        const { content } = yield* callTool("execute_read_tools", { calls })
        for (const { error, ok, output, tool } of docs(content.results)) {
          assert.isTrue(ok, `${String(tool)}: ${JSON.stringify(error)}`)
          const { has_more, next_cursor, records } = doc(doc(output).content)
          assert.strictEqual(has_more, next_cursor !== null, String(tool))
          for (const record of docs(records)) {
            assert.containsAllKeys(record, ["remote_id", "providerSlug", "providerId"], String(tool))
            assert.notInclude(Object.values(record), null, String(tool))
          }
        }
      }
      const some = yield* callTool("crm_list_contacts", { fields: ["last_name"], limit: 3 })
      for (const record of docs(doc(some.content.content).records)) {
        assert.hasAllKeys(record, ["id", "remote_id", "providerSlug", "providerId", "last_name"])
      }
      const wrong = yield* callTool("crm_list_contacts", { fields: ["surname"] })
      assert.property(doc(doc(wrong.content.error).errors), "fields.0")
    })
  )

  it.scoped("the overdue invoices of a customer are found in two calls, and a wrong reference names the first", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["quickbooks"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const records = (name: string, args: object) =>
        Effect.map(callTool(name, { ...args }), ({ content, isError }) => {
          assert.isFalse(isError, JSON.stringify(content))
          return docs(doc(content.content).records)
        })
      const due = { type: "ACCOUNTS_RECEIVABLE", status: "OPEN,PARTIALLY_PAID", due_before: "2026-11-20" }
      const all = yield* records("accounting_list_invoices", { ...due, limit: 50 })
      const wrong = yield* callTool("accounting_list_invoices", { ...due, contact: "Acme" })
      assert.include(doc(doc(wrong.content.error).errors).contact, "; accounting_list_contacts finds it")
      const names = yield* records("accounting_list_contacts", { is_customer: "true", fields: ["name"], limit: 50 })
      const { id, name } =
        names.find((one) => all.some(({ contact }) => `urn:uuid:${String(contact)}` === one.id)) ?? {}
      const [customer] = yield* records("accounting_list_contacts", { name })
      assert.strictEqual(customer?.id, id)
      const overdue = yield* records("accounting_list_invoices", { ...due, contact: customer?.id })
      assert.isNotEmpty(overdue)
      for (const one of overdue) {
        assert.strictEqual(`urn:uuid:${String(one.contact)}`, id)
        assert.isBelow(Date.parse(String(one.due_date)), Date.parse("2026-11-20"))
      }
    })
  )

  it.scoped("a record is made, read, changed and removed", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const call = (name: string, args: object) =>
        Effect.map(callTool(name, { ...args }), ({ content, isError }) => {
          assert.isFalse(isError, JSON.stringify(content))
          return doc(content.content)
        })
      const made = yield* call("crm_create_contact", {
        record: { first_name: "Ada", last_name: "Byron", title: "Countess" }
      })
      const id = String(made.remote_id)
      assert.deepInclude(yield* call("crm_get_contact", { id }), { first_name: "Ada", title: "Countess" })
      const changed = yield* call("crm_update_contact", { id, record: { last_name: "Lovelace", title: null } })
      assert.deepInclude(changed, { first_name: "Ada", last_name: "Lovelace" })
      assert.notProperty(changed, "title")
      // what was read may be sent back as it is
      assert.deepInclude(yield* call("crm_update_contact", { id, record: changed }), { last_name: "Lovelace" })
      assert.deepStrictEqual(yield* call("crm_delete_contact", { id }), { remote_id: id })
      const gone = yield* callTool("crm_get_contact", { id })
      assert.deepInclude(doc(gone.content.error), { code: "provider_error", status: 404 })
    })
  )

  it.scoped("a wrong record is told field by field, where the arguments have it", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["quickbooks"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const errors = (record: object) =>
        Effect.map(callTool("accounting_create_invoice", { record }), ({ content }) => {
          assert.deepInclude(doc(content.error), { code: "invalid_arguments" })
          assert.property(doc(content.error), "input_schema")
          return Object.keys(doc(doc(content.error).errors)).sort()
        })
      const contact = "6f1c2f0e-0000-4000-8000-000000000000"
      assert.deepStrictEqual(yield* errors({ type: "ACCOUNTS_RECEIVABLE", line_items: [] }), [
        "record.contact",
        "record.line_items"
      ])
      assert.deepStrictEqual(yield* errors({ type: "BILL", contact, line_items: [{}], colour: 1 }), [
        "record.colour",
        "record.type"
      ])
      // what only the service can know
      const line_items = [{ item: contact, quantity: 1, unit_price: 1 }]
      assert.include(yield* errors({ type: "ACCOUNTS_RECEIVABLE", contact, line_items }), "record.contact")
    })
  )

  it.scoped("a page that does not fit is shorter, and the next one goes on right behind it", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const ids: Array<unknown> = []
      let cursor: unknown = undefined
      for (let page = 0; page < 60; page += 1) {
        const { content, text } = yield* callTool("crm_list_contacts", { limit: 100, cursor })
        assert.isAtMost(Buffer.byteLength(String(text)), 49 * 1024)
        assert.notProperty(content, "truncated")
        const { next_cursor, records } = doc(content.content)
        ids.push(...docs(records).map(({ remote_id }) => remote_id))
        cursor = next_cursor
        if (cursor === null) break
      }
      assert.isNull(cursor)
      assert.isAbove(ids.length, 100)
      assert.lengthOf(new Set(ids), ids.length)
    })
  )
})
