import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  failureOf,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const doc = (value: unknown): Doc | undefined => listOf(value === null || value === undefined ? [] : [value])[0]

layer(sandboxApplication(), { timeout: "60 seconds" })("expand", (it) => {
  const connected = (...providers: ReadonlyArray<string>) =>
    Effect.flatMap(SandboxApplication, (app) => app.caller(providers))

  it.effect("puts the records that are referred to beside the references, two deep", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const { data } = pageOf(yield* call("GET", "/crm/contact?limit=10&expand=account.owner,owner"))
      const linked = data.find(({ account, owner }) => account !== null && owner !== null)
      const { account, owner } = doc(linked?.expanded) ?? {}
      const get = (resource: string, id: unknown) =>
        Effect.map(call("GET", `/crm/${resource}/${String(id)}?provider=hubspot`), recordOf)
      const company = yield* get("company", linked?.account)
      assert.deepStrictEqual(owner, yield* get("owner", linked?.owner))
      const { expanded, ...plain } = doc(account) ?? {}
      assert.deepStrictEqual(plain, company)
      assert.strictEqual(doc(doc(expanded)?.owner)?.remote_id, company.owner)
    })
  )

  it.effect("has null for what is missing or not set, and lists in their order", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const made = recordOf(yield* call("POST", "/crm/company?provider=hubspot", { body: { name: "Soon gone" } }))
      const body = { subject: "Meeting", contacts: [] as ReadonlyArray<unknown> }
      const contacts = pageOf(yield* call("GET", "/crm/contact?provider=hubspot&limit=3")).data.map(
        ({ remote_id }) => remote_id
      )
      const meeting = recordOf(
        yield* call("POST", "/crm/meeting?provider=hubspot", {
          body: {
            ...body,
            contacts,
            start_time: "2026-12-01T09:00:00Z",
            end_time: "2026-12-01T10:00:00Z",
            account: made.remote_id
          }
        })
      )
      const of = `/crm/meeting/${String(meeting.remote_id)}?provider=hubspot&expand=contacts,account,owner`
      const read = recordOf(yield* call("GET", of))
      const found = doc(read.expanded) ?? {}
      assert.deepStrictEqual(
        listOf(found.contacts).map(({ remote_id }) => remote_id),
        read.contacts
      )
      assert.strictEqual(doc(found.account)?.name, "Soon gone")
      assert.isNull(found.owner)
    })
  )

  full(it).effect.each<readonly [provider: string, resource: string, expand: string, kinds: number]>([
    ["salesforce", "contact", "account,owner", 2],
    ["salesforce", "contact", "account.owner", 2],
    ["salesforce", "deal", "account,contact,owner", 3],
    ["salesforce", "meeting", "contacts,opportunity,owner", 3],
    // deactivated owners of HubSpot are a list of their own
    ["hubspot", "contact", "account,owner", 3],
    ["hubspot", "contact", "account.owner", 3]
  ])("%s: a page of %s with %s costs one call for each kind of reference", ([provider, resource, expand, kinds]) =>
    Effect.gen(function* () {
      const { call } = yield* connected(provider)
      const notes = yield* NotedRequests
      const plain = `/crm/${resource}?provider=${provider}&limit=40`
      yield* call("GET", `${plain}&expand=${expand}`)
      const alone = yield* notes.during(call("GET", plain))
      assert.lengthOf(yield* notes.during(call("GET", `${plain}&expand=${expand}`)), alone.length + kinds)
    })
  )

  full(it).effect.each<readonly [string]>([["salesforce"], ["hubspot"]])(
    "%s: a record is the same expanded as it is alone",
    ([provider]) =>
      Effect.gen(function* () {
        const { call } = yield* connected(provider)
        const found = new Map<string, unknown>()
        for (const [resource, fields] of [
          ["deal", ["account", "contact", "owner"]],
          ["contact", ["account", "owner"]],
          ["task", ["contact", "opportunity"]]
        ] as const) {
          const { data } = pageOf(
            yield* call("GET", `/crm/${resource}?provider=${provider}&limit=5&expand=${fields.join(",")}`)
          )
          for (const { expanded } of data) {
            for (const field of fields) {
              const one = doc(doc(expanded)?.[field])
              const target = field === "account" ? "company" : field === "opportunity" ? "deal" : field
              if (one !== undefined) found.set(`/crm/${target}/${String(one.remote_id)}?provider=${provider}`, one)
            }
          }
        }
        assert.isAtLeast(found.size, 4)
        for (const [path, one] of found) assert.deepStrictEqual(one, recordOf(yield* call("GET", path)))
      })
  )

  full(it).effect("gives records that can be sent back", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("quickbooks")
      const [invoice] = pageOf(yield* call("GET", "/accounting/invoice?limit=1&type=ACCOUNTS_RECEIVABLE")).data
      const path = `/accounting/invoice/${String(invoice?.remote_id)}?provider=quickbooks`
      const read = recordOf(yield* call("GET", `${path}&expand=contact,line_items.item`))
      assert.isObject(read.expanded)
      const replaced = recordOf(yield* call("PUT", path, { body: read }))
      assert.deepStrictEqual([replaced.contact, replaced.number], [read.contact, read.number])
    })
  )

  it.effect("reaches into lists of lines", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("quickbooks")
      const { data } = pageOf(
        yield* call("GET", "/accounting/invoice?limit=20&fields=number&expand=contact,line_items.item.sales_account")
      )
      const lines = data.flatMap(({ line_items }) => listOf(line_items)).filter(({ item }) => item !== null)
      assert.isNotEmpty(lines)
      for (const line of lines) {
        const item = doc(doc(line.expanded)?.item)
        assert.strictEqual(item?.id, `urn:uuid:${String(line.item)}`)
        const account = doc(doc(item?.expanded)?.sales_account)
        if (item?.sales_account !== null) assert.strictEqual(account?.id, `urn:uuid:${String(item?.sales_account)}`)
      }
      for (const { contact, expanded } of data) {
        assert.strictEqual(doc(doc(expanded)?.contact)?.id, `urn:uuid:${String(contact)}`)
      }
    })
  )

  full(it).effect("costs Xero one call for each kind of reference", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("xero")
      const requests = yield* NotedRequests
      const lines = ["account", "item", "tax_rate", "tracking_categories"].map((name) => `line_items.${name}`)
      const path = `/accounting/invoice?provider=xero&limit=20&expand=${["contact", "payments.account", ...lines].join(",")}`
      // reads what is kept
      const { data } = pageOf(yield* call("GET", path))
      assert.isTrue(
        data.every(({ contact, expanded }) => doc(doc(expanded)?.contact)?.id === `urn:uuid:${String(contact)}`)
      )
      assert.isNotEmpty(data.flatMap(({ expanded }) => listOf(doc(expanded)?.payments)))
      const made = yield* requests.during(call("GET", path))
      // Ids differ from run to run, and so does whether one of the 20 invoices names a credit, which is read too.
      const asked = made.filter(({ path: of }) => !/\/(CreditNotes|Overpayments|Prepayments)$/.test(of))
      const kinds = ["Invoices", "Contacts", "Payments", "Accounts", "Items", "TaxRates", "TrackingCategories"]
      assert.sameMembers(
        [...new Set(asked.map((one) => one.path))],
        kinds.map((kind) => `/api.xro/2.0/${kind}`)
      )
      const of = (kind: string) => asked.filter((one) => one.path.endsWith(kind)).length
      // the accounts of lines, then those of payments
      assert.deepStrictEqual(kinds.map(of), [1, 1, 1, 2, 1, 1, 1])
    })
  )

  full(it).effect("asks Xero for as many contacts at a time as a URL has room for", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("xero")
      const requests = yield* NotedRequests
      const path = "/accounting/invoice?provider=xero&limit=100&expand=contact"
      const { data } = pageOf(yield* call("GET", path))
      const contacts = new Set(data.map(({ contact }) => contact))
      assert.isAbove(contacts.size, 45)
      assert.isTrue(
        data.every(({ contact, expanded }) => doc(doc(expanded)?.contact)?.id === `urn:uuid:${String(contact)}`)
      )
      const asked = yield* requests.during(call("GET", path))
      const ofContacts = asked.filter(({ path }) => path.includes("/Contacts"))
      assert.strictEqual(ofContacts.length, Math.ceil(contacts.size / 45))
    })
  )

  it.effect("reads the records of a module of Zoho CRM, and its users, in one call each", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("zoho_crm")
      const requests = yield* NotedRequests
      for (const [resource, names, kinds] of [
        ["contact", "account,owner", ["Contacts", "Accounts", "users"]],
        ["deal", "account,contact,owner", ["Deals", "Accounts", "Contacts", "users"]]
      ] as const) {
        const path = `/crm/${resource}?provider=zoho_crm&limit=50&expand=${names}`
        const { data } = pageOf(yield* call("GET", path))
        const asked = yield* requests.during(call("GET", path))
        assert.sameMembers(
          asked.map((one) => one.path),
          kinds.map((kind) => `/crm/v8/${kind}`)
        )
        for (const name of names.split(",")) {
          const leading = data.filter((record) => record[name] !== null)
          assert.isNotEmpty(leading, name)
          for (const record of leading) {
            assert.strictEqual(doc(doc(record.expanded)?.[name])?.remote_id, record[name], name)
          }
        }
      }
    })
  )

  full(it).effect("reads the records of each kind together", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("quickbooks")
      const notes = yield* NotedRequests
      for (const [path, names, kinds] of [
        ["invoice?limit=50&type=ACCOUNTS_RECEIVABLE&fields=number", "contact,line_items.item.sales_account", 3],
        ["invoice?limit=50&type=ACCOUNTS_PAYABLE&fields=number", "contact,payment_term,line_items.account", 3],
        ["purchase_order?limit=50", "vendor,delivery_address", 2],
        ["payment?limit=50&type=ACCOUNTS_RECEIVABLE", "contact,account,payment_method", 3]
      ] as const) {
        const url = `/accounting/${path}&expand=${names}`
        const { data } = pageOf(yield* call("GET", url))
        // the list itself, and the kinds that it leads to
        assert.lengthOf(yield* notes.during(call("GET", url)), 1 + kinds, url)
        for (const name of names.split(",").filter((one) => !one.includes("."))) {
          const leading = data.filter((record) => record[name] !== null)
          assert.isNotEmpty(leading, name)
          for (const record of leading) {
            assert.strictEqual(doc(doc(record.expanded)?.[name])?.id, `urn:uuid:${String(record[name])}`, name)
          }
        }
      }
    })
  )

  full(it).effect("of what lists do not have is refused, and a get has it", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("zoho_books")
      const path = "/accounting/invoice?provider=zoho_books&expand=contact,line_items.item"
      const { code, message, statusCode } = failureOf(yield* call("GET", path))
      assert.deepStrictEqual([statusCode, code], [400, "INVALID_PARAMETER"])
      assert.include(
        message,
        "expand: zoho_books tells line_items of a single invoice record only; get it with expand."
      )
      const plain = "/accounting/invoice?provider=zoho_books&type=ACCOUNTS_RECEIVABLE&limit=1&expand=contact"
      const [invoice] = pageOf(yield* call("GET", plain)).data
      assert.isDefined(doc(doc(invoice?.expanded)?.contact))
      const got = recordOf(yield* call("GET", path.replace("?", `/${String(invoice?.remote_id)}?`)))
      const item = listOf(got.line_items)[0]
      assert.strictEqual(doc(doc(item?.expanded)?.item)?.id, `urn:uuid:${String(item?.item)}`)
    })
  )

  it.effect.each<readonly [string, string, string]>([
    ["crm/contact", "acount", `expand: "acount" is not a reference; did you mean "account"? there are account, owner`],
    ["crm/contact", "first_name", `"first_name" is not a reference; there are account, owner`],
    ["crm/contact", "", `"" is not a reference`],
    ["crm/deal", "stage", `"stage" is not a reference`],
    ["accounting/invoice", "line_items", `"line_items" is a list: say which of its references, as in line_items.`],
    ["accounting/invoice", "line_items.itm", `did you mean "item"?`],
    [
      "accounting/invoice",
      "contact.addresses",
      `"addresses" is a list: say which of its references, as in contact.addresses.…`
    ],
    ["crm/deal", "contact.account.owner", `"owner" is more than 2 records away`]
  ])("%s?expand=%s is refused", ([resource, expand, words]) =>
    Effect.gen(function* () {
      const { call } = yield* connected(resource.startsWith("crm") ? "hubspot" : "quickbooks")
      const answer = yield* call("GET", `/${resource}?expand=${expand}`)
      const { code, message, statusCode } = failureOf(answer)
      assert.deepStrictEqual([statusCode, code], [400, "INVALID_PARAMETER"])
      assert.include(message, words)
    })
  )
})
