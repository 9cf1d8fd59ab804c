import { lazy } from "../platform/Registry.ts"

export const GitHub = lazy(async () => (await import("./github/GitHub.ts")).GitHub)
export const Gmail = lazy(async () => (await import("./gmail/Gmail.ts")).Gmail)
export const Jira = lazy(async () => (await import("./jira/Jira.ts")).Jira)
export const Linear = lazy(async () => (await import("./linear/Linear.ts")).Linear)
export const Notion = lazy(async () => (await import("./notion/Notion.ts")).Notion)
export const Postgres = lazy(async () => (await import("./postgres/Postgres.ts")).Postgres)

/** Every toolkit of this service: the one list. */
export const toolkits = [GitHub, Gmail, Jira, Linear, Notion, Postgres]
