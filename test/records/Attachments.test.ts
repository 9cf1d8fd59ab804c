import { assert, layer } from "@effect/vitest"
import { Chunk, Clock, Effect, Redacted, TestClock } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { Faults, type Misbehaviour } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { type FilePart, formBody, formType } from "../support/Forms.ts"
import {
  type Caller,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  nextTick
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const path = "/accounting/attachment?provider=quickbooks"
const limit = 25 * 1024 * 1024
const pdf: FilePart = { name: "receipt.pdf", type: "application/pdf", content: "%PDF-1.4 a receipt" }

type Parts = Parameters<typeof formBody>[0]

/** A body that comes in pieces of some bytes. */
const inPieces = (body: Uint8Array, size: number) => {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.subarray(at, at + size))
      at += size
    }
  })
}

layer(sandboxApplication(), { timeout: "60 seconds" })("attachments", (it) => {
  const someone = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))

  const upload = ({ call }: Caller, parts: Parts, headers: { readonly [name: string]: string } = {}) =>
    call("POST", path, { body: formBody(parts), headers: { "content-type": formType, ...headers } })

  const one = (id: unknown, more = "") => `/accounting/attachment/${String(id)}${more}?provider=quickbooks`

  const count = ({ call }: Caller) =>
    Effect.map(call("GET", `${path}&limit=100`), (answer) => pageOf(answer).data.length)

  const someInvoice = ({ call }: Caller) =>
    Effect.map(call("GET", "/accounting/invoice?provider=quickbooks&limit=1"), (answer) => {
      const id = String(pageOf(answer).data[0]?.id)
      return { id, uuid: id.replace("urn:uuid:", "") }
    })

  const contentOf = (caller: Caller, id: unknown) =>
    Effect.gen(function* () {
      const app = yield* InProcess
      const response = yield* Effect.promise(() =>
        app.handle(
          new Request(`http://localhost/api/v1${one(id, "/content")}`, {
            headers: {
              authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
              "x-end-user-id": caller.endUser
            }
          })
        )
      )
      return { response, bytes: Buffer.from(yield* Effect.promise(() => response.arrayBuffer())) }
    })

  const misbehave = (does: Misbehaviour, path: string) =>
    Effect.flatMap(Faults, (faults) => faults.add({ provider: "quickbooks", does, path }))

  it.effect("a file is uploaded to a record, read back byte for byte, renamed and deleted", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { id, uuid } = yield* someInvoice(caller)
      const before = yield* count(caller)
      // all bytes there are, and what looks like the end of the form
      const bytes = Buffer.concat([
        Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
        Buffer.from("\r\n--\r\n------form7d41b83\r\n")
      ])
      const answer = yield* upload(caller, [
        ["file_name", "Plan für “Küche” (1).pdf"],
        ["related_object_type", "invoice"],
        ["related_object_id", id],
        ["integration_params", '{"Note":"as agreed"}'],
        ["file", { name: "x", type: "application/pdf", content: bytes }]
      ])
      const made = recordOf(answer)
      assert.strictEqual(answer.status, 201)
      assert.deepInclude(made, {
        file_name: "Plan für “Küche” (1).pdf",
        content_type: "application/pdf",
        file_size: bytes.length,
        related_object_type: "invoice",
        related_object_id: uuid
      })
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", one(made.remote_id))), made)
      const native = recordOf(yield* caller.call("GET", `${one(made.remote_id)}&include_remote_data=true`)).remote_data
      assert.deepInclude(native, { Note: "as agreed" })
      assert.strictEqual(yield* count(caller), before + 1)

      const { bytes: got, response } = yield* contentOf(caller, made.remote_id)
      assert.isTrue(got.equals(bytes))
      const headers = Object.fromEntries(response.headers)
      assert.strictEqual(headers["content-type"], "application/pdf")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(
        headers["content-disposition"],
        "attachment; filename*=UTF-8''Plan%20f%C3%BCr%20%E2%80%9CK%C3%BCche%E2%80%9D%20%281%29.pdf"
      )
      assert.isTrue((yield* contentOf(caller, made.id)).bytes.equals(bytes))

      const renamed = recordOf(yield* caller.call("PATCH", one(made.remote_id), { body: { file_name: "plan.pdf" } }))
      assert.deepInclude(renamed, { file_name: "plan.pdf", file_size: bytes.length, related_object_id: uuid })
      assert.isTrue((yield* contentOf(caller, made.remote_id)).bytes.equals(bytes))
      assert.strictEqual((yield* caller.call("DELETE", one(made.remote_id))).status, 200)
      const gone = yield* caller.call("GET", one(made.remote_id, "/content"))
      assert.deepStrictEqual(refusalOf(gone), [404, "ATTACHMENT_NOT_FOUND"])
    })
  )

  full(it).effect("a file may hang on nothing, and come in pieces of any size", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const content = Buffer.from("\r\n--".repeat(500))
      const body = formBody([["file", { ...pdf, content }]])
      for (const size of [1, 7, 64, 4096]) {
        const answer = yield* caller.call("POST", path, {
          body: inPieces(body, size),
          headers: { "content-type": formType }
        })
        const made = recordOf(answer)
        assert.deepInclude(made, { file_name: "receipt.pdf", related_object_type: null, file_size: content.length })
        assert.isTrue((yield* contentOf(caller, made.remote_id)).bytes.equals(content))
      }
    })
  )

  it.effect.each<readonly [string, string]>([
    ["receipt.pdf", "receipt.pdf"],
    ["C:\\fakepath\\receipt.pdf", "receipt.pdf"],
    ["../../etc/receipt.PDF", "receipt.PDF"],
    ["a %22quoted%22 name.pdf", 'a "quoted" name.pdf'],
    ["日本.pdf", "日本.pdf"],
    ["x.txt\"; filename*=UTF-8''r%C3%A9%20sum%C3%A9.pdf; x=\"", "ré sumé.pdf"],
    ["plain.pdf\"; filename*=UTF-8''%E0%A4%A.txt; x=\"", "plain.pdf"]
  ])("the name of the part %s is %s", ([name, expected]) =>
    Effect.gen(function* () {
      const caller = yield* someone
      const made = recordOf(yield* upload(caller, [["file", { ...pdf, name }]]))
      assert.strictEqual(made.file_name, expected)
      const { response } = yield* contentOf(caller, made.remote_id)
      assert.notMatch(response.headers.get("content-disposition") ?? "", /["\r\n]/)
    })
  )

  it.effect("a content type that says nothing is that of the name", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      for (const type of ["application/octet-stream", undefined]) {
        const file = { name: "list.CSV", content: "a,b", ...(type === undefined ? {} : { type }) }
        assert.strictEqual(recordOf(yield* upload(caller, [["file", file]])).content_type, "text/csv")
      }
    })
  )

  full(it).effect("what is wrong with a form is said by field, and the provider gets no file", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { uuid } = yield* someInvoice(caller)
      const before = yield* count(caller)
      const stranger = "2f1c4b9e-8a7d-5c3b-9e1f-0a2b4c6d8e0f"
      const related = (type: string, id: string): Parts => [
        ["related_object_type", type],
        ["related_object_id", id],
        ["file", pdf]
      ]
      const rates = pageOf(yield* caller.call("GET", "/accounting/tax_rate?provider=quickbooks&limit=1")).data
      const rate = String(rates[0]?.id)
      const cases: ReadonlyArray<readonly [Parts, ...ReadonlyArray<string>]> = [
        [[], "file"],
        [[["file_name", "x.pdf"]], "file"],
        [[["file", { ...pdf, content: "" }]], "file"],
        [[["file", { ...pdf, type: "image/png" }]], "file"],
        [[["file", { ...pdf, name: "run.exe", type: "application/x-msdownload" }]], "file"],
        [[["file", { ...pdf, name: "constructor" }]], "file"],
        [[["file", { type: "application/pdf", content: "x" }]], "file_name"],
        [
          [
            ["file_name", "a/b.pdf"],
            ["file", pdf]
          ],
          "file_name"
        ],
        [
          [
            ["file_name", " "],
            ["file", pdf]
          ],
          "file_name"
        ],
        [
          [
            ["file_name", `${"x".repeat(252)}.pdf`],
            ["file", pdf]
          ],
          "file_name"
        ],
        [
          [
            ["file_name", "x.pdf"],
            ["file_name", "y.pdf"],
            ["file", pdf]
          ],
          "file_name"
        ],
        [
          [
            ["file", pdf],
            ["file_name", "x.pdf"]
          ],
          "file_name"
        ],
        [
          [
            ["file", pdf],
            ["file", pdf]
          ],
          "file"
        ],
        [[["scan", pdf]], "scan"],
        [
          [
            ["colour", "red"],
            ["size", "1"],
            ["file", pdf]
          ],
          "colour",
          "size"
        ],
        [
          [
            ["company", "acme"],
            ["file", pdf]
          ],
          "company"
        ],
        [
          [
            ["company", uuid],
            ["file", pdf]
          ],
          "company"
        ],
        [
          [
            ["integration_params", "{"],
            ["file", pdf]
          ],
          "integration_params"
        ],
        [
          [
            ["integration_params", "[]"],
            ["file", pdf]
          ],
          "integration_params"
        ],
        [
          [
            ["integration_params", `"${"x".repeat(70_000)}"`],
            ["file", pdf]
          ],
          "integration_params"
        ],
        [
          [
            ["related_object_type", "invoice"],
            ["file", pdf]
          ],
          "related_object_id"
        ],
        [
          [
            ["related_object_id", uuid],
            ["file", pdf]
          ],
          "related_object_type"
        ],
        [related("bill", uuid), "related_object_type"],
        [related("invoice", "95"), "related_object_id"],
        [related("invoice", stranger), "related_object_id"],
        [related("item", uuid), "related_object_id"],
        [related("tax_rate", rate), "related_object_type"]
      ]
      for (const [parts, ...fields] of cases) {
        const answer = yield* upload(caller, parts)
        assert.deepStrictEqual(Object.keys(errorsOf(answer)).toSorted(), fields, JSON.stringify(parts).slice(0, 200))
      }
      assert.strictEqual(yield* count(caller), before)
    })
  )

  it.effect("a record that is gone takes no file", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { id, uuid } = yield* someInvoice(caller)
      yield* caller.call("DELETE", `/accounting/invoice/${id}?provider=quickbooks`)
      const answer = yield* upload(caller, [
        ["related_object_type", "invoice"],
        ["related_object_id", uuid],
        ["file", pdf]
      ])
      assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["related_object_id"])
    })
  )

  it.effect("what is no form is 415, a form that is not whole is 400, a key is refused", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const before = yield* count(caller)
      const send = (body: unknown, type: string | undefined, more: { readonly [name: string]: string } = {}) =>
        caller.call("POST", path, { body, headers: { "content-type": type, ...more } })
      const whole = formBody([["file", pdf]])
      for (const type of ["application/json", "multipart/form-data", "multipart/mixed; boundary=x", "", undefined]) {
        const answer = yield* send(whole, type)
        assert.deepStrictEqual(refusalOf(answer), [415, "UNSUPPORTED_MEDIA_TYPE"], String(type))
        assert.include(failureOf(answer).message, "multipart/form-data")
      }
      assert.strictEqual((yield* send(whole, formType, { "content-encoding": "gzip" })).status, 415)
      const broken = [
        formBody([["file", pdf]], true),
        whole.subarray(0, 60),
        whole.subarray(0, 20),
        new Uint8Array(),
        Buffer.from("no form"),
        Buffer.from(Buffer.from(whole).toString().replace("form-data", "attachment")),
        Buffer.from(Buffer.from(whole).toString().replace('name="file"', ""))
      ]
      for (const body of broken) {
        const answer = yield* send(body, formType)
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_FORM"], Buffer.from(body).toString())
      }
      const keyed = yield* upload(caller, [["file", pdf]], { "idempotency-key": "one" })
      assert.deepStrictEqual(refusalOf(keyed), [400, "INVALID_PARAMETER"])
      assert.include(failureOf(keyed).message, "idempotency-key")
      assert.strictEqual(yield* count(caller), before)
    })
  )

  full(it).effect("25 MiB go through, a byte more is 413, told by the length or while it comes in", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const before = yield* count(caller)
      const content = new Uint8Array(limit).fill(7)
      const made = recordOf(yield* upload(caller, [["file", { ...pdf, content }]]))
      assert.strictEqual(made.file_size, limit)
      assert.isTrue((yield* contentOf(caller, made.remote_id)).bytes.equals(content))
      const more = yield* upload(caller, [["file", { ...pdf, content: new Uint8Array(limit + 1) }]])
      assert.deepStrictEqual(refusalOf(more), [413, "PAYLOAD_TOO_LARGE"])
      assert.include(failureOf(more).message, String(limit))
      const declared = yield* upload(caller, [["file", pdf]], { "content-length": String(2 * limit) })
      assert.deepStrictEqual(refusalOf(declared), [413, "PAYLOAD_TOO_LARGE"])
      const head = formBody([["file", { ...pdf, content: "" }]], true).slice(0, -2)
      let pulled = 0
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1
          controller.enqueue(pulled === 1 ? head : new Uint8Array(1024 * 1024))
        }
      })
      const answer = yield* caller.call("POST", path, { body: endless, headers: { "content-type": formType } })
      assert.deepStrictEqual(refusalOf(answer), [413, "PAYLOAD_TOO_LARGE"])
      assert.isBelow(pulled, 60)
      assert.strictEqual(yield* count(caller), before + 1)
    })
  )

  it.effect.each<readonly [string, Misbehaviour, number, string]>([
    ["is down", { kind: "status", status: 500 }, 502, "PROVIDER_ERROR"],
    ["refuses for the account", { kind: "status", status: 403 }, 403, "FORBIDDEN"],
    ["is at its limit", { kind: "limit", retryAfter: 60 }, 429, "RATE_LIMITED"],
    ["closes the connection", { kind: "drop" }, 502, "PROVIDER_ERROR"],
    ["does it and says nothing", { kind: "drop", after: true }, 502, "PROVIDER_ERROR"],
    ["answers half", { kind: "half" }, 502, "PROVIDER_ERROR"],
    ["answers a page", { kind: "html", status: 502 }, 502, "PROVIDER_ERROR"],
    ["no longer takes the token", { kind: "expire" }, 502, "PROVIDER_ERROR"]
  ])("a provider that %s in the upload: one try, and the usual answer", ([, does, status, code]) =>
    Effect.gen(function* () {
      const caller = yield* someone
      const before = yield* count(caller)
      yield* misbehave(does, "/upload")
      assert.deepStrictEqual(refusalOf(yield* upload(caller, [["file", pdf]])), [status, code])
      const tookEffect = does.kind === "half" || (does.kind === "drop" && does.after === true)
      if (does.kind === "limit") return
      assert.strictEqual(yield* count(caller), before + (tookEffect ? 1 : 0))
      assert.strictEqual((yield* upload(caller, [["file", pdf]])).status, 201)
    })
  )

  full(it).effect("an upload has five minutes", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      for (const [minutes, status] of [
        [4.9, 201],
        [5.1, 504]
      ] as const) {
        yield* misbehave({ kind: "latency", milliseconds: minutes * 60_000 }, "/upload")
        const started = yield* Clock.currentTimeMillis
        const isUploading = Effect.map(TestClock.sleeps(), Chunk.contains(started + minutes * 60_000))
        const passing = Effect.zipRight(
          Effect.repeat(Effect.zipRight(nextTick, isUploading), { until: (yes) => yes }),
          TestClock.setTime(started + Math.min(minutes, 5) * 60_000)
        )
        const call = caller.call("POST", path, {
          body: formBody([["file", pdf]]),
          headers: { "content-type": formType },
          timeStands: true
        })
        const [answer] = yield* Effect.all([call, passing], { concurrency: "unbounded" })
        assert.strictEqual(answer.status, status)
      }
    })
  )

  it.effect("a token that ran out before is renewed before the file is sent", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { uuid } = yield* someInvoice(caller)
      const related: Parts = [
        ["related_object_type", "invoice"],
        ["related_object_id", uuid]
      ]
      for (const parts of [[], related]) {
        yield* misbehave({ kind: "expire" }, "/v3/")
        assert.strictEqual((yield* upload(caller, [...parts, ["file", pdf]])).status, 201)
      }
    })
  )

  it.effect("what the provider says of one file is told as of any write", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const answer = yield* upload(caller, [
        ["integration_params", JSON.stringify({ Note: "x".repeat(2001) })],
        ["file", pdf]
      ])
      assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["integration_params.Note"])
      assert.strictEqual(failureOf(answer).provider?.slug, "quickbooks")
    })
  )

  it.effect("a download that fails is told while that can be; others' files are not there", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const made = recordOf(yield* upload(caller, [["file", pdf]]))
      const content = caller.call("GET", one(made.remote_id, "/content"))
      for (const path of ["/download/", "/temporary/"]) {
        yield* Effect.flatMap(Faults, (faults) =>
          faults.add({ provider: "quickbooks", does: { kind: "status", status: 503 }, path, times: 3 })
        )
        assert.deepStrictEqual(refusalOf(yield* content), [502, "PROVIDER_ERROR"])
      }
      yield* misbehave({ kind: "html", status: 200 }, "/download/")
      assert.deepStrictEqual(refusalOf(yield* content), [502, "PROVIDER_ERROR"])
      yield* misbehave({ kind: "status", status: 401 }, "/temporary/")
      assert.deepStrictEqual(refusalOf(yield* content), [502, "PROVIDER_ERROR"])
      assert.strictEqual((yield* content).status, 200)
      yield* misbehave({ kind: "expire" }, "/download/")
      assert.strictEqual((yield* content).status, 200)
      const other = yield* someone
      const theirs = yield* other.call("GET", one(String(made.id), "/content"))
      assert.deepStrictEqual(refusalOf(theirs), [404, "ATTACHMENT_NOT_FOUND"])
      for (const id of ["0", "x", "%2e%2e"]) {
        assert.strictEqual((yield* caller.call("GET", one(id, "/content"))).status, 404, id)
      }
    })
  )

  it.effect("an address that the provider gives for a file is not called where it leads into a network", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const store = yield* SimulationStore
      const made = recordOf(yield* upload(caller, [["file", pdf]]))
      const id = String(made.remote_id)
      const content = caller.call("GET", one(id, "/content"))
      const leadsTo = (change: (address: string) => string) =>
        store.run("quickbooks", caller.connections["quickbooks"] ?? "", (account) => {
          const held = account.get("Attachable", id)
          account.put("Attachable", id, { ...held, TempDownloadUri: change(String(held?.TempDownloadUri)) })
          return String(held?.TempDownloadUri)
        })
      const good = yield* leadsTo((address) => address)
      assert.strictEqual((yield* content).status, 200)
      // the simulator would answer at each of them
      for (const host of [
        "http://files.quickbooks.example",
        "https://169.254.169.254",
        "https://[::1]",
        "https://localhost",
        "https://files.internal",
        "https://user:password@files.quickbooks.example"
      ]) {
        yield* leadsTo(() => host + new URL(String(good)).pathname)
        assert.deepStrictEqual(refusalOf(yield* content), [502, "PROVIDER_ERROR"], host)
      }
    })
  )
})
