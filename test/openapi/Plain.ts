import { createHash } from "node:crypto"
import type { Example } from "../../src/openapi/Examples.ts"
import type { Answer } from "../support/SandboxApplication.ts"

/** A request that was sent, and its answer. */
export interface Made {
  readonly request: unknown
  readonly answer: Answer
}

/** Entries that an example shows of a list in an answer. */
const entries = 3

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The UUID that stands for the nth one of an example: those of the sandbox are others every time. */
const standIn = (n: number) =>
  createHash("sha256")
    .update(`example ${n}`)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-4$3-a$4-$5")

/** The moment at which everything in the examples happens. */
const moment = "2026-11-20T09:00:00.000Z"

/** Placeholders for values that are secret, or different every time, by name. */
const placeholders: { readonly [name: string]: string } = {
  accountId: "62515",
  cursor: "<cursor>",
  token: "<token>",
  approvalUrl: "https://tributary.example/approve/<token>",
  approval_url: "https://tributary.example/approve/<token>",
  redirectTo: "https://tributary.example/oauth/interaction/<id>?verifier=<verifier>",
  connectUrl: "https://tributary.example/connect#<connect token>",
  key: "<API key>",
  prefix: "sk_test_",
  keyPrefix: "sk_test_",
  secret: "whsec_<secret>",
  timestamp: moment,
  traceId: "<trace id>"
}

/** Fields that the database stamps by its own clock. */
const stamps = new Set([
  "at",
  "attemptedAt",
  "created_at",
  "createdAt",
  "expiresAt",
  "lastUsedAt",
  "modified_at",
  "nextAttemptAt",
  "revokedAt",
  "updatedAt"
])

const started = Date.now() - 1000
const minute = 60_000

/** A stamp that was made since the tests began, by the clock of the examples: to five minutes, which no test takes. */
const stamp = (text: string) => {
  const passed = Date.parse(text) - started
  return passed >= 0 && passed < 120 * minute
    ? new Date(Date.parse(moment) + Math.floor(passed / (5 * minute)) * 5 * minute).toISOString()
    : text
}

/** A stream of events with no more words than show what it is like. */
const shortStream = (stream: string) =>
  stream
    .split("\n\n")
    .filter(
      (event, i, all) => !all.slice(0, i).some((one) => kindOf(one) !== undefined && kindOf(one) === kindOf(event))
    )
    .join("\n\n")
    .replace(/aitxt-\w+/g, "text")

const kindOf = (event: string) => /"type":"([^"]*)"/.exec(event)?.[1]

const isStream = (text: string) => /^(data|event): /.test(text)

/** The log of requests is written a little later, so how much of it there is depends on the machine. */
const isLog = (name: string | undefined) => name === "requests"

const plain = (value: unknown, uuids: Map<string, string>, most: number, name?: string): unknown => {
  if (Array.isArray(value)) {
    return isLog(name) ? [] : value.slice(0, most).map((one: unknown) => plain(one, uuids, most))
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, uuids, most, key)]))
  }
  if (typeof value === "number" && isLog(name)) return 1
  if (typeof value === "number" && name === "milliseconds") return 42
  if (typeof value === "number" && name === "after") return 3
  if (typeof value !== "string") return value
  if (name !== undefined && Object.hasOwn(placeholders, name)) return placeholders[name]
  // the log of requests goes by the clock of the examples, which runs on
  if (name === "at" && value.startsWith(moment.slice(0, 14))) return moment
  if (name !== undefined && stamps.has(name)) return stamp(value)
  if (name === "url" && value.startsWith("http://127.0.0.1")) return "https://app.example.com/webhooks"
  return (isStream(value) ? shortStream(value) : value).replace(uuid, (found) => {
    const known = uuids.get(found.toLowerCase()) ?? standIn(uuids.size)
    uuids.set(found.toLowerCase(), known)
    return known
  })
}

/** A request and its answer as an example: short, and the same every time. */
export const exampleOf = ({ answer, request }: Made): Example => {
  const uuids = new Map<string, string>()
  return {
    ...(request === undefined ? {} : { request: plain(request, uuids, Number.POSITIVE_INFINITY) }),
    status: answer.status,
    ...(answer.status === 204 ? {} : { answer: plain(answer.body, uuids, entries) })
  }
}
