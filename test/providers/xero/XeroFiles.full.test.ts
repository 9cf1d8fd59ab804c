import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { InProcess } from "../../../src/InProcess.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { fileIn } from "../../../src/providers/xero/Files.ts"
import { scopes } from "../../../src/providers/xero/Scopes.ts"
import { keepFile } from "../../../src/providers/xero/simulator/Attachments.ts"
import { consent } from "../../../src/providers/xero/simulator/Scopes.ts"
import { type FilePart, formBody, formType } from "../../support/Forms.ts"
import {
  type Doc,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { organisation, uuidOf } from "./organisation.ts"

const pdf: FilePart = { name: "receipt.pdf", type: "application/pdf", content: "%PDF-1.4 a receipt" }

type Parts = Parameters<typeof formBody>[0]

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero's attachments", (it) => {
  const withFiles = Effect.gen(function* () {
    const own = yield* organisation
    const app = yield* InProcess
    const { call, path } = own
    const upload = (type: string, id: unknown, file: FilePart, more: Parts = []) =>
      call("POST", path("attachment"), {
        body: formBody([["related_object_type", type], ["related_object_id", String(id)], ...more, ["file", file]]),
        headers: { "content-type": formType }
      })
    const contentOf = (id: unknown) =>
      Effect.promise(async () => {
        const response = await app.handle(
          new Request(`http://localhost/api/v1/accounting/attachment/${String(id)}/content?provider=xero`, {
            headers: { authorization: `Bearer ${Redacted.value(own.tenancy.key)}`, "x-end-user-id": own.endUser }
          })
        )
        return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
      })
    return { ...own, upload, contentOf }
  })

  const fileOf = (connection: string, { remote_id }: Doc) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("xero", connection, (account) => account.get("Attachment", String(remote_id).split(":")[2] ?? ""))
    )

  it.effect("a file goes up to every kind of record that takes one, and comes back byte for byte", () =>
    Effect.gen(function* () {
      const { bank, call, contact, contentOf, cost, make, owed, path, upload } = yield* withFiles
      const bytes = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))
      const line = [{ description: "Brass", account: cost, total_line_amount: 15 }]
      const parents = {
        invoice: yield* owed("ACCOUNTS_RECEIVABLE", 10),
        credit_note: yield* make("credit_note", { contact, line_items: line }),
        purchase_order: yield* make("purchase_order", { vendor: contact, line_items: line }),
        vendor_credit: yield* make("vendor_credit", {
          vendor: contact,
          transaction_date: "2026-11-12",
          lines: [{ description: "Brass", account: cost, net_amount: 15 }]
        }),
        expense: yield* make("expense", {
          contact,
          account: bank,
          transaction_date: "2026-11-12",
          lines: [{ description: "Tea", account: cost, net_amount: 15 }]
        }),
        journal_entry: yield* make("journal_entry", {
          transaction_date: "2026-11-12",
          memo: "Turn",
          lines: [
            { account: cost, net_amount: 5 },
            { account: cost, net_amount: -5 }
          ]
        }),
        contact: pageOf(yield* call("GET", `${path("contact")}&limit=1`)).data[0],
        account: pageOf(yield* call("GET", `${path("account")}&limit=1`)).data[0],
        transaction: pageOf(yield* call("GET", `${path("transaction")}&limit=1`)).data[0]
      }
      const made: Array<unknown> = []
      for (const [type, parent] of Object.entries(parents)) {
        const name = `Plan für “Küche” & ${type} (1) #2 100%.pdf`
        const answer = yield* upload(type, parent?.id, { ...pdf, name, content: bytes })
        assert.strictEqual(answer.status, 201, `${type}: ${JSON.stringify(answer.body)}`)
        const record = recordOf(answer)
        made.push(record.remote_id)
        assert.deepInclude(record, {
          file_name: name,
          content_type: "application/pdf",
          file_size: bytes.length,
          related_object_type: type,
          related_object_id: uuidOf(parent)
        })
        assert.deepStrictEqual(recordOf(yield* call("GET", path("attachment", record.remote_id))), record)
        const { bytes: got, headers } = yield* contentOf(record.remote_id)
        assert.isTrue(got.equals(bytes), type)
        assert.strictEqual(headers.get("content-type"), "application/pdf")
      }
      const { records } = yield* walk(call, path("attachment"), 5)
      const listed = records.map((one) => one.remote_id)
      assert.strictEqual(new Set(listed).size, listed.length)
      assert.includeMembers(listed, made)
    })
  )

  it.effect("a file takes no other's place, and what Xero takes no such file of is refused by name", () =>
    Effect.gen(function* () {
      const { call, contentOf, owed, path, upload } = yield* withFiles
      const invoice = yield* owed("ACCOUNTS_PAYABLE", 10)
      const first = recordOf(yield* upload("invoice", invoice.id, pdf))
      const again = yield* upload("invoice", invoice.id, { ...pdf, name: "Receipt.PDF", content: "another" })
      assert.deepStrictEqual(refusalOf(again), [409, "CONFLICT"])
      assert.strictEqual((yield* contentOf(first.remote_id)).bytes.toString(), pdf.content)

      const refused = (file: FilePart, more: Parts = []) =>
        Effect.map(upload("invoice", invoice.id, file, more), (answer) => Object.keys(errorsOf(answer)))
      assert.deepStrictEqual(yield* refused({ ...pdf, name: "run.exe", type: "" }), ["file"])
      assert.deepStrictEqual(yield* refused({ ...pdf, name: "a.png" }), ["file"])
      assert.deepStrictEqual(yield* refused(pdf, [["file_name", "a:b?.pdf"]]), ["file_name"])
      const note: Parts = [["integration_params", '{"Note":"as agreed"}']]
      assert.deepStrictEqual(yield* refused({ ...pdf, name: "b.pdf" }, note), ["integration_params.Note"])
      const item = pageOf(yield* call("GET", `${path("item")}&limit=1`)).data[0]
      assert.deepStrictEqual(Object.keys(errorsOf(yield* upload("item", item?.id, pdf))), ["related_object_type"])
      const alone = yield* call("POST", path("attachment"), {
        body: formBody([["file", pdf]]),
        headers: { "content-type": formType }
      })
      assert.sameMembers(Object.keys(errorsOf(alone)), ["related_object_type", "related_object_id"])
      const large = { ...pdf, name: "large.pdf", content: Buffer.alloc(10 * 1024 * 1024 + 1) }
      assert.strictEqual((yield* upload("invoice", invoice.id, large)).status, 413)
    })
  )

  it.effect("a file is renamed, and taken off the one record it hangs on", () =>
    Effect.gen(function* () {
      const { call, connection, contentOf, owed, path, upload } = yield* withFiles
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const file = recordOf(yield* upload("invoice", invoice.id, pdf))
      yield* upload("invoice", invoice.id, { ...pdf, name: "plan.pdf" })
      const at = path("attachment", file.remote_id)
      const renamed = yield* call("PATCH", at, { body: { file_name: "paid.pdf" } })
      assert.deepInclude(recordOf(renamed), { id: file.id, file_name: "paid.pdf", file_size: file.file_size })
      assert.deepStrictEqual(said(renamed), [])
      assert.strictEqual((yield* contentOf(file.remote_id)).bytes.toString(), pdf.content)
      const again = recordOf(yield* call("PUT", at, { body: { ...recordOf(renamed), file_name: "Paid.pdf" } }))
      assert.strictEqual(again.file_name, "Paid.pdf")

      const refused = (file_name: string) => call("PATCH", at, { body: { file_name } })
      assert.deepStrictEqual(refusalOf(yield* refused("PLAN.pdf")), [409, "CONFLICT"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* refused("a/b.pdf"))), ["file_name"])
      assert.match(errorsOf(yield* refused("paid.exe")).file_name ?? "", /^Unable to rename/)
      const online = yield* call("PATCH", at, { body: { integration_params: { IncludeOnline: true } } })
      assert.deepStrictEqual(Object.keys(errorsOf(online)), ["integration_params.IncludeOnline"])

      assert.strictEqual((yield* call("DELETE", at)).status, 200)
      assert.strictEqual((yield* call("GET", at)).status, 404)
      assert.strictEqual((yield* call("DELETE", at)).status, 404)
      const { records: left } = yield* walk(call, path("attachment"))
      assert.deepStrictEqual(
        left.filter((one) => one.related_object_id === uuidOf(invoice)).map((one) => one.file_name),
        ["plan.pdf"]
      )
      assert.isUndefined(yield* fileOf(connection, file))
    })
  )

  it.effect("a file that hangs on other records stays there", () =>
    Effect.gen(function* () {
      const { call, connection, contact, contentOf, owed, path, upload } = yield* withFiles
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const file = recordOf(yield* upload("invoice", invoice.id, pdf))
      const [, , FileId = ""] = String(file.remote_id).split(":")
      const about = recordOf(yield* call("GET", path("contact", contact)))
      const store = yield* SimulationStore
      yield* store.run("xero", connection, (account) =>
        keepFile(account, {
          ...account.get("Attachment", FileId),
          ParentIDs: [String(invoice.remote_id), String(about.remote_id)]
        })
      )
      assert.strictEqual((yield* call("DELETE", path("attachment", file.remote_id))).status, 200)
      const other = `Contacts:${String(about.remote_id)}:${FileId}`
      assert.deepInclude(recordOf(yield* call("GET", path("attachment", other))), { file_name: pdf.name })
      assert.strictEqual((yield* contentOf(other)).bytes.toString(), pdf.content)
    })
  )

  it.effect("a file that is off its record and then does not go says so", () =>
    Effect.gen(function* () {
      const { call, connection, owed, path, upload } = yield* withFiles
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const file = recordOf(yield* upload("invoice", invoice.id, pdf))
      const faults = yield* Faults
      const library = { provider: "xero", method: "DELETE", path: "/files.xro/1.0/Files/" }
      yield* faults.add({ ...library, skip: 1, times: 9, does: { kind: "status", status: 503 } })
      const answer = yield* call("DELETE", path("attachment", file.remote_id))
      yield* faults.clear
      assert.deepStrictEqual(refusalOf(answer), [502, "PROVIDER_ERROR"])
      assert.deepStrictEqual(failureOf(answer).provider?.done, ["association"])
      assert.strictEqual((yield* call("GET", path("attachment", file.remote_id))).status, 404)
      assert.isDefined(yield* fileOf(connection, file))
    })
  )

  it.effect("what the library has not, such as files of orders, is neither renamed nor taken off", () =>
    Effect.gen(function* () {
      const { call, contact, cost, make, path, upload } = yield* withFiles
      const line_items = [{ description: "Brass", account: cost, total_line_amount: 15 }]
      const order = yield* make("purchase_order", { vendor: contact, line_items })
      const file = recordOf(yield* upload("purchase_order", order.id, pdf))
      for (const method of ["PATCH", "DELETE"]) {
        const answer = yield* call(method, path("attachment", file.remote_id), { body: { file_name: "x.pdf" } })
        assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], method)
      }
    })
  )

  it.effect("a connection that lacks the scope of files reads and uploads, and hears what it lacks", () =>
    Effect.gen(function* () {
      const { call, connection, owed, path, upload } = yield* withFiles
      const store = yield* SimulationStore
      yield* store.run("xero", connection, (account) =>
        consent(
          account,
          scopes.filter((name) => name !== "files")
        )
      )
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const file = recordOf(yield* upload("invoice", invoice.id, pdf))
      for (const method of ["PATCH", "DELETE"]) {
        const answer = yield* call(method, path("attachment", file.remote_id), { body: { file_name: "x.pdf" } })
        assert.deepStrictEqual(refusalOf(answer), [403, "PROVIDER_FEATURE_MISSING"], method)
        assert.include(failureOf(answer).provider?.message ?? "", "the scope files:")
      }
      assert.strictEqual(recordOf(yield* call("GET", path("attachment", file.remote_id))).file_name, pdf.name)
    })
  )

  it.effect("a file is sent once: a limit met, or a server that fails, leaves nothing and says so", () =>
    Effect.gen(function* () {
      const { owed, upload } = yield* withFiles
      const faults = yield* Faults
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10)
      const put = { provider: "xero", method: "PUT", path: "/Attachments/" }
      yield* faults.add({ ...put, does: { kind: "limit", retryAfter: 30 } })
      assert.deepStrictEqual(refusalOf(yield* upload("invoice", invoice.id, pdf)), [429, "RATE_LIMITED"])
      const other = yield* withFiles
      const bill = yield* other.owed("ACCOUNTS_PAYABLE", 10)
      yield* faults.add({ ...put, does: { kind: "status", status: 503 } })
      const failed = yield* other.upload("invoice", bill.id, pdf)
      assert.deepStrictEqual(refusalOf(failed), [502, "PROVIDER_ERROR"])
      assert.strictEqual(failureOf(failed).provider?.slug, "xero")
      assert.strictEqual((yield* other.upload("invoice", bill.id, pdf)).status, 201)
    })
  )
})

describe("a file in the library", () => {
  const file = { AttachmentID: "a", FileName: "plan.pdf", ContentLength: 9 }

  it("is the one of the attachment's id, else the only one of its name and size", () => {
    const one = { FileId: "f1", Name: "plan.pdf", Size: 9 }
    assert.strictEqual(fileIn([one, { FileId: "a", Name: "other.pdf", Size: 1 }], file), "a")
    assert.strictEqual(fileIn([one, { FileId: "f2", Name: "plan.pdf", Size: 8 }], file), "f1")
    assert.isUndefined(fileIn([one, { ...one, FileId: "f3" }], file))
    assert.isUndefined(fileIn([], file))
  })
})
