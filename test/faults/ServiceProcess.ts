import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { execFile, spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"

/** Where the build of the present sources is. */
const present = join(import.meta.dirname, "../../dist")

export interface Settings {
  readonly [name: string]: string
}

/** The built service, running as a process of its own. */
export interface ServiceProcess {
  readonly address: string
  readonly port: number
  readonly pid: number
  /** All that it printed so far, standard output and standard error. */
  readonly printed: () => string
  /** Sends a signal. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Its exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Resident memory, in bytes. */
  readonly memory: Effect.Effect<number>
}

const environment = (settings: Settings) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  LOG_FORMAT: "json",
  ...settings
})

export const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
    })
)

/**
 * Starts `main.js` of a build with nothing but these settings, waits until it is ready, and kills it when the scope closes.
 */
export const start = Effect.fnUntraced(function* (settings: Settings, dist = present) {
  const port = Number(settings["PORT"] ?? (yield* freePort))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [join(dist, "main.js")], {
        env: environment({ ...settings, PORT: String(port) }),
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let printed = ""
  const note = (chunk: Buffer) => (printed += chunk.toString())
  child.stdout.on("data", note)
  child.stderr.on("data", note)
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "SIGKILL"))
  )
  const address = `http://127.0.0.1:${port}`
  // what a first start prepares is there, and printed, by then
  const isReady = Effect.sync(() => printed.includes("Tributary is ready"))
  yield* Effect.suspend(() =>
    child.exitCode === null ? isReady : Effect.dieMessage(`The service ended before it was ready: ${printed}`)
  ).pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ until: (ready) => ready }),
    Effect.timeoutFail({
      duration: "60 seconds",
      onTimeout: () => new Error(`The service was not ready within 60 s: ${printed}`)
    }),
    Effect.orDie
  )
  return {
    address,
    port,
    pid: child.pid ?? -1,
    printed: () => printed,
    signal: (name) => void child.kill(name),
    ended,
    memory: Effect.promise(async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
    })
  } satisfies ServiceProcess
})

/** The value at a path such as `data.0.id` of some JSON; undefined where there is none. */
export const at = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
      json
    )

/** Runs an operator's command of a build with these settings and gives its one JSON value. */
export const commandOf =
  (dist: string) =>
  (settings: Settings, ...args: ReadonlyArray<string>) =>
    Effect.async<unknown>((resume) => {
      execFile(
        process.execPath,
        [join(dist, "cli.js"), ...args, "--json"],
        { env: environment(settings) },
        (error, printed) => resume(error === null ? Effect.sync((): unknown => JSON.parse(printed)) : Effect.die(error))
      )
    })

/** The same, of the present build. */
export const command = commandOf(present)

export interface Caller {
  readonly key: string
  readonly endUser: string
}

/** A caller of a new organisation whose end user has connected these providers' sandboxes, made by an operator's commands. */
export const sandboxCaller = Effect.fnUntraced(function* (
  settings: Settings,
  providers: ReadonlyArray<string> = ["hubspot"]
) {
  const name = `Organisation ${randomUUID()}`
  const of = ["--organisation", name, "--environment", "sandbox"]
  yield* command(settings, "organisations", "create", "--name", name)
  const made = yield* command(settings, "keys", "create", ...of)
  yield* Effect.forEach(providers, (provider) =>
    command(settings, "connections", "import", ...of, "--end-user", "demo", "--provider", provider)
  )
  return { key: String(at(made, "key")), endUser: "demo" } satisfies Caller
})

/** One call of the API, such as `/crm/contact`; status 0 when the connection failed. */
export const call = (
  { address }: Pick<ServiceProcess, "address">,
  { endUser, key }: Caller,
  method: string,
  path: string,
  body?: unknown,
  headers: Settings = {}
) =>
  Effect.promise((signal) =>
    fetch(`${address}/api/v1${path}`, {
      signal,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "x-end-user-id": endUser,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).then(
      async (response) => {
        const text = await response.text()
        const isJson = response.headers.get("content-type")?.includes("json") === true
        return {
          status: response.status,
          headers: response.headers,
          json: isJson ? (JSON.parse(text) as unknown) : text
        }
      },
      () => ({ status: 0, headers: new Headers(), json: undefined as unknown })
    )
  )
