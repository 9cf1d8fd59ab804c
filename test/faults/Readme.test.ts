import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { at, call, start } from "./ServiceProcess.ts"

const root = join(import.meta.dirname, "../..")
const guides = join(root, "docs/guides")
const documents = [join(root, "README.md"), ...readdirSync(guides).map((name) => join(guides, name))]
const text = documents.map((path) => readFileSync(path, "utf8")).join("\n")

/** Commands in blocks and within sentences, each as it is printed. */
const commands = [
  ...[...text.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .split(/\n(?=\s*(?:curl|npm|npx) )/)
      .map((line) => line.replace(/\s+#.*$/gm, "").trim())
  ),
  ...[...text.matchAll(/`(npm run --silent cli -- [^`]+)`/g)].map(([, line = ""]) => line.replaceAll("\n", " "))
].filter((line) => line !== "")

/** Commands that `.ci/run` runs, or that do not end, or that name what only a real account has. */
const elsewhere = [
  /^npm (ci|start|test)\b/,
  /^npm run (test:|faults|properties|bench)/,
  /^npx /,
  /cli -- simulate /,
  /cli -- (connections|providers) .*<id>/,
  // it would take what the others need
  /cli -- organisations delete /
]

const run = (line: string, cwd: string, settings: { readonly [name: string]: string }) =>
  Effect.async<string | undefined>((resume) => {
    const curl = 'curl() { command curl --silent --show-error --fail-with-body --max-time 60 "$@"; }'
    execFile(
      "bash",
      ["-ec", `${curl}\n${line}`],
      { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...settings } },
      (error, printed, said) =>
        resume(Effect.succeed(error === null ? undefined : `${line}\n${printed.slice(-600)}${said.slice(-600)}`))
    )
  })

it.scopedLive("README and guides: every command works as printed, on a first start", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "readme-"))
    const settings = { DATA_DIR: join(folder, "data"), ALLOW_PRIVATE_HOSTS: "127.0.0.1" }
    const service = yield* start(settings)
    const [key = ""] = /sk_test_[\w-]+/.exec(service.printed()) ?? []
    const demo = { key, endUser: "demo" }
    const idOf = (list: string) =>
      Effect.map(call(service, demo, "GET", `${list}?provider=quickbooks&limit=1`), ({ json }) =>
        String(at(json, "data.data.0.id"))
      )
    const workspaces = yield* call(service, demo, "GET", "/mcp/workspaces?limit=1")
    const workspace = String(at(workspaces.json, "data.0.id"))
    // a call that waits for consent
    const params = { name: "crm_delete_contact", arguments: { provider: "hubspot", id: "1" } }
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params }
    const streams = { accept: "application/json, text/event-stream" }
    yield* call(service, demo, "POST", `/mcp/${workspace}`, message, streams)
    const approvals = yield* call(service, demo, "GET", "/approvals?limit=1")
    const meant: { readonly [placeholder: string]: string } = {
      "<id of an accounting contact>": yield* idOf("/accounting/contact"),
      "<id of an item>": yield* idOf("/accounting/item"),
      "<id of an invoice>": yield* idOf("/accounting/invoice"),
      "<id of an approval>": String(at(approvals.json, "data.data.0.id")),
      "<workspace>": workspace,
      "sk_test_…": key,
      "http://127.0.0.1:3000": service.address,
      // tests call nobody, and nobody listens there
      "https://example.com/webhooks": "http://127.0.0.1:9/webhooks",
      "npm run --silent cli --": `${process.execPath} ${join(root, "dist/cli.js")}`
    }
    writeFileSync(join(folder, "receipt.pdf"), "%PDF-1.4")

    const tried = commands.filter((line) => !elsewhere.some((pattern) => pattern.test(line)))
    assert.isAbove(tried.length, 20)
    const failed: Array<string> = []
    for (const line of tried) {
      const meantLine = Object.entries(meant).reduce((text, [name, value]) => text.replaceAll(name, value), line)
      assert.notMatch(meantLine, /<(?!<)[a-z]/, "a placeholder that nothing is known for")
      const wrong = yield* run(meantLine, folder, settings)
      if (wrong !== undefined) failed.push(wrong)
    }
    assert.deepStrictEqual(failed, [])
  })
)
