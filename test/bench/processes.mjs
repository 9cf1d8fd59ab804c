/** The processes of a run: started, asked, ended, none left behind. */
import { spawn } from "node:child_process"
import { request } from "node:http"
import { createServer } from "node:net"

const running = new Set()

const exited = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", resolve))

/** Ends a process: politely, and after 5 s without asking. */
export const end = async (child) => {
  child.kill("SIGTERM")
  const late = setTimeout(() => child.kill("SIGKILL"), 5000)
  await exited(child)
  clearTimeout(late)
  running.delete(child)
}

export const endAll = () => Promise.all([...running].map(end))

/** Starts `node <args>` with a channel to talk over; what it says on standard error is shown when it dies by itself. */
export const start = (args, { cwd, env = {}, stdout = "ignore" } = {}) => {
  const { HOME, PATH, TMPDIR } = process.env
  const base = Object.fromEntries(Object.entries({ HOME, PATH, TMPDIR }).filter(([, value]) => value !== undefined))
  const child = spawn(process.execPath, args, {
    cwd,
    // no load balancer has to notice that a service of a run stops
    env: { ...base, DRAIN_DELAY: "0", ...env },
    stdio: ["ignore", stdout, "pipe", "ipc"]
  })
  running.add(child)
  let errors = ""
  child.stderr.on("data", (text) => (errors = (errors + text).slice(-2000)))
  child.failure = new Promise((_, reject) =>
    child.once("exit", (code) => {
      running.delete(child)
      reject(new Error(`node ${args[0]} ended with ${code}: ${errors}`))
    })
  )
  child.failure.catch(() => {})
  return child
}

/** The next message of a process. */
export const next = (child) => Promise.race([new Promise((resolve) => child.once("message", resolve)), child.failure])

/** Sends a message and waits for the answer. */
export const ask = (child, message) => {
  const answer = next(child)
  child.send(message)
  return answer
}

/** Runs `node <args>` to its end and gives what it printed, parsed; undefined when it failed and `optional`. */
export const output = (args, { env = {}, optional = false } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    running.add(child)
    let text = ""
    let errors = ""
    child.stdout.on("data", (chunk) => (text += chunk))
    child.stderr.on("data", (chunk) => (errors += chunk))
    child.once("exit", (code) => {
      running.delete(child)
      if (code === 0) resolve(text === "" ? true : JSON.parse(text))
      else if (optional) resolve(undefined)
      else reject(new Error(`node ${args.join(" ").slice(0, 100)} ended with ${code}: ${errors.slice(-2000)}`))
    })
  })

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** One GET on 127.0.0.1; status 0 when nobody listens. */
export const get = (port, path, headers = {}) =>
  new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode, text }))
    })
      .on("error", () => resolve({ status: 0, text: "" }))
      .end()
  })
