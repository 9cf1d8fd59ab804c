import { asSchema, isToolUIPart, readUIMessageStream, type UIMessage, uiMessageChunkSchema } from "ai"
import { Effect } from "effect"
import type { Answer, Caller, Doc, Options } from "../support/SandboxApplication.ts"
import { doc } from "./McpClient.ts"

const schema = asSchema(uiMessageChunkSchema)

/** The parts of a stream, each of which the AI SDK's clients take, and which ends as it should. */
export const framesOf = async ({ body, status }: Answer): Promise<ReadonlyArray<Doc>> => {
  const text = String(body)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  const events = text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"))
  if (events.at(-1) !== "data: [DONE]") throw new Error(`the stream ends with ${events.at(-1)}`)
  const frames = events.slice(0, -1).map((event) => {
    if (!event.startsWith("data: ")) throw new Error(`no event: ${event}`)
    const value: unknown = JSON.parse(event.slice(6))
    return doc(value)
  })
  for (const frame of frames) {
    const checked = await schema.validate?.(frame)
    if (checked?.success !== true) throw new Error(`no client takes ${JSON.stringify(frame)}`)
  }
  return frames
}

/** Frames without what is made up for each run, and without what `leaveOut` names. */
export const golden = (frames: ReadonlyArray<Doc>, ...leaveOut: ReadonlyArray<string>) => {
  const ids = new Map<unknown, string>()
  return frames.map((frame) =>
    Object.fromEntries(
      Object.entries(frame).flatMap(([name, value]) => {
        if (leaveOut.includes(name)) return []
        if (name === "messageId") return [[name, "msg"]]
        if (name !== "id" && name !== "approvalId") return [[name, value]]
        const known = ids.get(value) ?? `${name}-${ids.size}`
        ids.set(value, known)
        return [[name, known]]
      })
    )
  )
}

/** One turn; gives its frames. */
export const turn = ({ call }: Caller, workspace: string, body: Doc | string, headers: Options["headers"] = {}) =>
  Effect.flatMap(
    call("POST", `/mcp/${workspace}/chat`, { body: typeof body === "string" ? { message: body } : body, headers }),
    (answer) => Effect.promise(() => framesOf(answer))
  )

/** The text of the frames. */
export const wordsOf = (frames: ReadonlyArray<Doc>) =>
  frames.flatMap(({ delta, type }) => (type === "text-delta" ? [String(delta)] : [])).join("")

/** Types of frames, each run of the same as one. */
export const typesOf = (frames: ReadonlyArray<Doc>) =>
  frames.map(({ type }) => String(type)).filter((type, i, all) => type !== all[i - 1])

/** The assistant's message as a client of the AI SDK makes it of the frames, with its questions answered. */
export const messageOf = (frames: ReadonlyArray<Doc>, approved: boolean) =>
  Effect.promise(async (): Promise<Doc> => {
    const chunks = await Promise.all(
      frames.map(async (frame) => {
        const read = await schema.validate?.(frame)
        if (read?.success !== true) throw new Error(`no client takes ${JSON.stringify(frame)}`)
        return read.value
      })
    )
    let message: UIMessage | undefined
    for await (const next of readUIMessageStream({ stream: ReadableStream.from(chunks) })) message = next
    const parts = message?.parts.map((part) =>
      isToolUIPart(part) && part.state === "approval-requested"
        ? { ...part, state: "approval-responded", approval: { ...part.approval, approved } }
        : part
    )
    return { ...message, parts }
  })
