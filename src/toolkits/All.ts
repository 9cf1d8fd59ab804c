import type { Layer } from "effect"
import { inOrder, lazy } from "../platform/Registry.ts"

export const GitHub = lazy(async () => (await import("./github/GitHub.ts")).GitHub)
export const Gmail = lazy(async () => (await import("./gmail/Gmail.ts")).Gmail)
export const Jira = lazy(async () => (await import("./jira/Jira.ts")).Jira)
export const Linear = lazy(async () => (await import("./linear/Linear.ts")).Linear)
export const Notion = lazy(async () => (await import("./notion/Notion.ts")).Notion)
export const Postgres = lazy(async () => (await import("./postgres/Postgres.ts")).Postgres)

type AnyToolkit = Layer.Layer<
  never,
  Layer.Layer.Error<typeof GitHub | typeof Postgres>,
  Layer.Layer.Context<typeof GitHub | typeof Postgres>
>

/** Every toolkit of this service: the one list. */
export const toolkits: ReadonlyArray<AnyToolkit> = [GitHub, Gmail, Jira, Linear, Notion, Postgres]

export const All = inOrder(toolkits)
