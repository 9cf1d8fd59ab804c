import type { LanguageModel } from "ai"

/** A model as the AI SDK talks to it (https://ai-sdk.dev/docs/foundations/providers-and-models). */
export type Model = Extract<LanguageModel, { readonly specificationVersion: "v3" }>
