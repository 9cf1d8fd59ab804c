import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { freePort } from "./ServiceProcess.ts"

/** Whether there is a Caddy to test with. */
export const isInstalled = spawnSync("caddy", ["version"]).status === 0

if (!isInstalled) process.stderr.write("Skipped: there is no caddy; apt-get install caddy\n")

const compose = join(import.meta.dirname, "../../docker-compose.yml")

/** The Caddyfile of the compose file, with these ports of this machine in place of its containers. */
const caddyfile = (port: number, instances: ReadonlyArray<number>) => {
  const [, indented = ""] =
    /^configs:\n {2}balancer:\n {4}content: \|\n((?: {6}.*\n|\n)+)/m.exec(readFileSync(compose, "utf8")) ?? []
  let served = indented.replace(/^ {6}/gm, "").replace(/^:80 \{/m, `http://127.0.0.1:${port} {`)
  instances.forEach((instance, at) => (served = served.replaceAll(`tributary-${at + 1}:3000`, `127.0.0.1:${instance}`)))
  if (served === "" || served.includes("tributary-"))
    throw new Error(`The compose file's balancer is another: ${served}`)
  return `{\n  admin off\n  auto_https off\n}\n${served}`
}

/** The compose file's balancer in front of instances on these ports, until the scope closes; gives its address. */
export const start = Effect.fnUntraced(function* (instances: ReadonlyArray<number>) {
  const port = yield* freePort
  const home = yield* scratchDirectory
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", "-"], {
        env: { PATH: process.env["PATH"] ?? "", HOME: home },
        stdio: ["pipe", "ignore", "pipe"]
      })
      child.stdin.end(caddyfile(port, instances))
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let printed = ""
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const address = `http://127.0.0.1:${port}`
  yield* Effect.promise(() =>
    fetch(`${address}/health/ready`).then(
      ({ ok }) => ok,
      () => false
    )
  ).pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ until: (ready) => ready }),
    Effect.timeoutFail({
      duration: "20 seconds",
      onTimeout: () => new Error(`The balancer does not answer: ${printed}`)
    }),
    Effect.orDie
  )
  return { address }
})
