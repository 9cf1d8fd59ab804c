import { isObject } from "./Json.ts"
import type { Model } from "./Model.ts"

type Options = Parameters<Model["doStream"]>[0]
type Message = Options["prompt"][number]
type Said = Extract<Message, { readonly role: "assistant" }>

/**
 * A request as every provider takes it. What models said in the past is sent to them again, and of some of it their own
 * servers will not hear: calls under names that no tool may have, calls whose arguments were no object, texts of nothing,
 * thoughts that led to nothing.
 */
export const acceptable = ({ provider }: Pick<Model, "provider">, options: Options): Options => ({
  ...options,
  // where this is not said, the Responses API makes every argument required and leaves objects none but their declared
  // members (https://platform.openai.com/docs/guides/function-calling#strict-mode)
  ...(options.tools === undefined || provider !== "openai.responses"
    ? {}
    : { tools: options.tools.map((tool) => (tool.type === "function" ? { ...tool, strict: false } : tool)) }),
  prompt: options.prompt.flatMap((message) => (message.role === "assistant" ? said(message) : [message]))
})

const said = (message: Said): ReadonlyArray<Message> => {
  const parts = message.content
    .filter((part) => part.type !== "text" || part.text.trim() !== "")
    .map((part) =>
      part.type === "tool-call"
        ? { ...part, toolName: fitting(part.toolName), input: isObject(part.input) ? part.input : {} }
        : part
    )
  const content = parts.slice(0, parts.findLastIndex(({ type }) => type !== "reasoning") + 1)
  return content.length === 0 ? [] : [{ ...message, content }]
}

/** OpenAI's names have at most 64 characters, Anthropic's 128. */
const fitting = (name: string) => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_"
