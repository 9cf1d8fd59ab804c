/**
 * Requests that are made to be expensive, each below 1 MiB: for the benchmark and for the fault suite. `token`: sent with a
 * connect session's token in place of a key.
 */
export interface HostileRequest {
  readonly name: string
  readonly method: "GET" | "POST" | "PUT"
  readonly path: string
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
  readonly token?: true
}

type Part = (n: number) => string

const largest = 1_000_000

const joined = (part: Part, count: number) => Array.from({ length: count }, (_, n) => part(n)).join(",")

/** As many parts as fit into the largest body: far more values than a body may have. */
const filled = (part: Part, size = largest) => joined(part, Math.floor(size / (part(99_999).length + 1)))

/** As many parts, of so many values, as a body and a list may have. */
const allowed = (part: Part, values = 1) => joined(part, Math.min(1000, Math.floor(39_900 / values)))

const one: Part = () => "1"
const key: Part = (n) => `"k${n}":0`
const keys = (count: number) => joined(key, count)
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const json = { "content-type": "application/json" }
const rpc = { ...json, accept: "application/json, text/event-stream" }
const form = { "content-type": "application/x-www-form-urlencoded" }
const multipart = { "content-type": "multipart/form-data; boundary=b" }

const post = (name: string, path: string, body: string, headers: HostileRequest["headers"] = json): HostileRequest => ({
  name,
  method: "POST",
  path,
  body,
  headers
})

const invoices = "/api/v1/accounting/invoice?provider=quickbooks"
const contacts = "/api/v1/crm/contact?provider=hubspot"

const records = [
  post("wrong values in a list", invoices, `{"line_items":[${filled(one)}]}`),
  post("wrong values in a list, 600 kB", invoices, `{"line_items":[${filled(one, 600_000)}]}`),
  post("as many wrong values as allowed", invoices, `{"line_items":[${allowed(one)}]}`),
  post(
    "wrong members of entries",
    invoices,
    `{"line_items":[${allowed(() => '{"account":1,"item":2,"quantity":""}', 4)}]}`
  ),
  post(
    "wrong choices",
    invoices,
    `{"line_items":[{}],"applied_payments":[${allowed(one)}],"status":[${allowed(one, 4)}]}`
  ),
  post("wrong choices in entries", contacts, `{"email_addresses":[${allowed(() => '{"email_address_type":1}', 2)}]}`),
  post(
    "wrong texts in a list",
    invoices,
    `{"tracking_categories":[${allowed(() => '"01234567-0123-0123-0123-01234567890x"')}]}`
  ),
  post("unknown keys", invoices, `{${filled(key)}}`),
  post("as many unknown keys as allowed", invoices, `{${keys(1000)}}`),
  post("unknown keys in every entry", invoices, `{"line_items":[${allowed(() => `{${keys(1000)}}`, 1001)}]}`),
  post("long unknown keys", contacts, `{${joined((n) => `"${"k".repeat(980)}${n}":0`, 1000)}}`),
  post("one long key", contacts, `{"${"k".repeat(largest)}":0}`),
  post(
    "long keys, deep",
    contacts,
    `{"custom_fields":${`{"${"k".repeat(15_000)}":`.repeat(62)}"\\u0000"${"}".repeat(63)}`
  ),
  post("keys of a free-form object", contacts, `{"custom_fields":{${filled(key)}}}`),
  post("lists in lists, deep", contacts, `{"custom_fields":{"a":${nested("[", "]", 400_000)}}}`),
  post("as deep as may have values", contacts, `{"custom_fields":{"a":${nested("[", "]", 19_900)}}}`),
  post("objects in objects, deep", contacts, `{"custom_fields":${nested('{"a":', "}", 160_000).replace(":}", ":1}")}}`),
  post("lists that never end", contacts, "[".repeat(largest)),
  post("empty lists", contacts, `{"custom_fields":{"a":[${filled(() => "[]")}]}}`),
  post(
    "one long wrong e-mail address",
    contacts,
    `{"email_addresses":[{"email_address":1},"${"a@".repeat(largest / 2)}"]}`
  ),
  post("one long wrong date", invoices, `{"issue_date":"${"2026-01-0".repeat(largest / 9)}"}`),
  post("one long wrong decimal", invoices, `{"exchange_rate":"${"1".repeat(largest)}x"}`),
  post("one long number", invoices, `{"total_discount":${"1".repeat(largest)}}`),
  post("escaped quotes", contacts, `{"last_name":"${'\\"'.repeat(largest / 2)}`),
  post("backslashes", contacts, `{"nickname":"${"\\\\".repeat(largest / 2)}"}`),
  post("half a character after many", contacts, `{"last_name":"${"é".repeat(largest / 2)}\\ud800"}`),
  post("no JSON", contacts, "x".repeat(largest))
]

const override = '"provider":"hubspot","resource":"contact","field":"x","native_field"'
const put = (name: string, body: string): HostileRequest => ({
  ...post(name, "/api/v1/field-mappings", body),
  method: "PUT"
})

const management = [
  put("a field mapping's wrong values", `{${override}:"y","values":{${keys(1000)}}}`),
  put(
    "a field mapping's unknown values",
    `{${override}:"lifecyclestage","values":{${joined((n) => `"k${n}":"v"`, 1000)}}}`
  ),
  put("a field mapping's native field", `{${override}:"${"a.".repeat(largest / 2)}"}`),
  post(
    "a connect session's integrations",
    "/api/v1/connect/token",
    `{"endUserId":"u","integrations":[${allowed(one)}]}`
  ),
  post(
    "a connect session's wrong slugs",
    "/api/v1/connect/token",
    `{"endUserId":"u","integrations":[${allowed((n) => `"s${n}"`)}]}`
  ),
  post(
    "a connect session's origins",
    "/api/v1/connect/token",
    `{"endUserId":"u","allowedOrigins":[${allowed((n) => `"https://h${n}.example"`)}]}`
  ),
  post(
    "a connection's credentials",
    "/api/v1/connections",
    `{"endUserId":"u","provider":"hubspot","credentials":{${keys(1000)}}}`
  ),
  post("a workspace's integrations", "/api/v1/mcp/workspaces", `{"name":"x","integrations":[${allowed(one)}]}`),
  post(
    "a workspace's wrong slugs",
    "/api/v1/mcp/workspaces",
    `{"name":"x","integrations":[${allowed((n) => `"s${n}"`)}]}`
  )
]

const agents = (workspace: string) => {
  const mcp = `/api/v1/mcp/${workspace}`
  const chat = `${mcp}/chat`
  const call = (args: string, tool = "crm_list_contacts") =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`
  return [
    post(
      "a chat's messages",
      chat,
      `{"messages":[${allowed(() => '{"role":"user","parts":[{"type":"text","text":1}]}', 6)}]}`
    ),
    post("a chat's wrong messages", chat, `{"messages":[${allowed(one)}]}`),
    post("a tool's unknown arguments", mcp, call(`{${filled(key)}}`), rpc),
    post("as many unknown arguments as allowed", mcp, call(`{${keys(1000)}}`), rpc),
    post(
      "wrong arguments of a tool",
      mcp,
      call(`{"provider":"quickbooks","line_items":[${allowed(one)}]}`, "accounting_create_invoice"),
      rpc
    ),
    post(
      "unknown arguments in entries",
      mcp,
      call(
        `{"provider":"quickbooks","line_items":[${allowed(() => `{${keys(1000)}}`, 1001)}]}`,
        "accounting_create_invoice"
      ),
      rpc
    ),
    post(
      "many calls in one",
      mcp,
      call(`{"calls":[${allowed(() => '{"tool":"crm_list_contacts","arguments":{"a":1}}', 4)}]}`, "execute_tools"),
      rpc
    ),
    post("a tool's long name", mcp, call("{}", "x".repeat(largest)), rpc),
    post(
      "a long search for tools",
      mcp,
      call(`{"query":"${"list contacts ".repeat(largest / 15)}"}`, "search_tools"),
      rpc
    ),
    post(
      "a long search of many words",
      mcp,
      call(
        `{"query":"${Array.from({ length: 150_000 }, (_, n) => `w${n}`)
          .join(" ")
          .slice(0, largest - 300)}"}`,
        "search_tools"
      ),
      rpc
    ),
    post("a tool's long cursor", mcp, call(`{"cursor":"${"e".repeat(largest)}"}`), rpc),
    post("a tool's deep arguments", mcp, call(`{"a":${nested("[", "]", 19_000)}}`), rpc),
    post("unknown members of a message", mcp, `{"jsonrpc":"2.0","id":1,"method":"tools/call",${allowed(key)}}`, rpc),
    post("a long method", mcp, `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(largest)}"}`, rpc),
    post("a batch of messages", mcp, `[${allowed(() => '{"jsonrpc":"2.0","id":1,"method":"ping"}', 4)}]`, rpc)
  ]
}

const pages = [
  {
    ...post("a connect token's unknown keys", "/connect/session/hubspot/authorize", `{${filled(key, 600_000)}}`),
    token: true
  },
  {
    ...post(
      "a connect token's wrong values",
      "/connect/session/hubspot/authorize",
      `{"fields":{${filled(key, 600_000)}}}`
    ),
    token: true
  },
  {
    ...post(
      "a connect token's keys, 16 kB",
      "/connect/session/hubspot/authorize",
      `{"fields":{${filled(key, 15_000)}}}`
    ),
    token: true
  },
  post("a sign-in form", "/console/sign-in", filled((n) => `k${n}=0`).replaceAll(",", "&"), form),
  post("a sign-in form of 16 kB", "/console/sign-in", filled((n) => `k${n}=0`, 15_000).replaceAll(",", "&"), form)
] satisfies ReadonlyArray<HostileRequest>

const formOf = (count: number) =>
  `${Array.from({ length: count }, (_, n) => `--b\r\ncontent-disposition: form-data; name="k${n}"\r\n\r\n0\r\n`).join("")}--b--\r\n`

const others: ReadonlyArray<HostileRequest> = [
  {
    name: "many query parameters",
    method: "GET",
    path: `${contacts}&${filled((n) => `k${n}=`, 12_000).replaceAll(",", "&")}`
  },
  {
    name: "many query parameters of a management route",
    method: "GET",
    path: `/api/v1/connections?${filled((n) => `k${n}=`, 12_000).replaceAll(",", "&")}`
  },
  { name: "a long cursor", method: "GET", path: `${contacts}&cursor=${"e".repeat(14_000)}` },
  {
    name: "many headers",
    method: "GET",
    path: contacts,
    headers: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x-${n}`, "0"]))
  },
  post("many fields of a form", "/api/v1/accounting/attachment?provider=quickbooks", formOf(17_000), multipart),
  post(
    "one header of a form",
    "/api/v1/accounting/attachment?provider=quickbooks",
    `--b\r\ncontent-disposition: form-data${'; x="a'.repeat(9_000)}\r\n\r\n--b--\r\n`,
    multipart
  )
]

/** `workspace`: of the tools and chats that some are about. */
export const hostileRequests = (workspace: string): ReadonlyArray<HostileRequest> => [
  ...records,
  ...management,
  ...agents(workspace),
  ...pages,
  ...others
]

/** Valid requests of nearly the largest size; `contact` and `item` are ids of QuickBooks. */
export const largeRequests = (contact: string, item: string): ReadonlyArray<HostileRequest> => {
  const invoice = (lines: number, line: object) =>
    JSON.stringify({
      type: "ACCOUNTS_RECEIVABLE",
      contact,
      issue_date: "2026-01-31",
      line_items: Array.from({ length: lines }, () => ({
        item,
        quantity: 1,
        unit_price: 10,
        total_amount: 10,
        ...line
      }))
    })
  const asRead = {
    id: null,
    remote_id: null,
    description: "x".repeat(300),
    currency: null,
    exchange_rate: null,
    account: null,
    tax_rate: null,
    tracking_categories: [],
    project: null,
    employee: null,
    contact: null,
    company: null,
    is_billable: false,
    remote_was_deleted: false,
    integration_params: {}
  }
  return [
    post("an invoice of 1,000 long lines", invoices, invoice(1000, { description: "x".repeat(700) })),
    post("an invoice of 1,000 lines with all fields", invoices, invoice(1000, asRead)),
    post(
      "an invoice of 1,000 lines of many values",
      invoices,
      invoice(1000, { description: "x", integration_params: { A: [1, 2, 3, 4, 5, 6, 7, 8, 9] } })
    ),
    post("an invoice of too many lines", invoices, invoice(7900, {})),
    post("a contact with one long text", contacts, JSON.stringify({ last_name: "x".repeat(largest) })),
    post(
      "a contact with many ignored values",
      contacts,
      `{"last_name":"x","remote_data":{"a":[${joined(() => `[${joined(one, 900)}]`, 40)}]}}`
    )
  ]
}
