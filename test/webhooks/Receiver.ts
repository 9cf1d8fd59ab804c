import { Effect, Queue } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { Webhook } from "standardwebhooks"
import { listen } from "../support/Served.ts"

/** A message as it came in. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** How an endpoint answers; `hang`: never. */
export interface Reply {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  readonly hang?: boolean
  /** Milliseconds. */
  readonly after?: number
}

/**
 * An endpoint on a free port of this machine; `reply` says how it answers, which may change. `most` gives how many requests it
 * has had open at a time.
 */
export const receiver = (reply: (received: Received, count: number) => Reply = () => ({})) =>
  Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<Received>()
    const all: Array<Received> = []
    const open = { now: 0, most: 0 }
    const port = yield* listen((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const received = {
          path: request.url ?? "",
          headers: request.headers,
          text: Buffer.concat(chunks).toString("utf8")
        }
        all.push(received)
        open.now += 1
        open.most = Math.max(open.most, open.now)
        response.once("close", () => (open.now -= 1))
        inbox.unsafeOffer(received)
        const { after = 0, body = "", headers = {}, hang = false, status = 200 } = reply(received, all.length)
        if (!hang) setTimeout(() => response.writeHead(status, headers).end(body), after)
      })
    })
    return { url: `http://127.0.0.1:${port}/hooks`, all, most: () => open.most, next: Queue.take(inbox) }
  })

/** The body of a message, if the libraries of Standard Webhooks take its signature for one of the secret's. */
export const verified = ({ headers, text }: Received, secret: unknown): unknown =>
  new Webhook(String(secret)).verify(text, {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"])
  })
