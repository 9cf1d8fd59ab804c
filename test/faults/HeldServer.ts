import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly method: string
  readonly path: string
}

/**
 * A server that stands for a provider and for a model. Answers of the provider wait until they are released; the model
 * (`/v1/chat/completions`) says "Hello" and then nothing more.
 */
export const heldServer = Effect.gen(function* () {
  const received: Array<Received> = []
  const held: Array<() => void> = []
  let isReleased = false
  const said = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" }
  const hello = {
    ...said,
    choices: [{ index: 0, delta: { role: "assistant", content: "Hello" }, finish_reason: null }]
  }
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        request.resume()
        received.push({ method: request.method ?? "", path: request.url ?? "" })
        if (request.url === "/v1/chat/completions") {
          response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${JSON.stringify(hello)}\n\n`)
          return
        }
        const answer = () => {
          const isWrite = request.method === "POST" && request.url?.endsWith("/search") !== true
          const body = isWrite
            ? { id: "1", properties: { lastname: "Held" }, createdAt: stamp, updatedAt: stamp, archived: false }
            : { results: [] }
          response.writeHead(isWrite ? 201 : 200, { "content-type": "application/json" }).end(JSON.stringify(body))
        }
        if (isReleased) answer()
        else held.push(answer)
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.close()
        made.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Answers what waits, and from now on everything at once. */
    release: Effect.sync(() => {
      isReleased = true
      for (const answer of held.splice(0)) answer()
    })
  }
})

const stamp = "2026-01-01T00:00:00.000Z"
