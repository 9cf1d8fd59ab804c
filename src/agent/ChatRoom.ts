import { Config } from "effect"

/** Bytes of text that make up a token; fewer than texts have on average, since identifiers and other scripts take more. */
export const bytesInToken = 3

/** Tokens that the model takes at a time, with what it answers. */
export const contextTokens = Config.integer("LLM_CONTEXT_TOKENS").pipe(
  Config.validate({ message: "Expected 4000 or more tokens", validation: (tokens) => tokens >= 4000 }),
  Config.withDefault(128_000)
)

/** How much of a conversation a model is sent: its context is also for the tools and for what comes in this turn. */
export const roomIn = (contextTokens: number) => ({
  /** Bytes of turns that are over. Each call of the model pays for them again, so there is a limit for large models too. */
  past: Math.min(96 * 1024, Math.floor((contextTokens * bytesInToken) / 4)),
  /** Tokens of what the user says, with files. */
  said: Math.floor(contextTokens / 2),
  /** Bytes of all messages, the answers of tools in this turn too. */
  messages: Math.floor((contextTokens * bytesInToken * 3) / 4)
})
export type Room = ReturnType<typeof roomIn>
