import { Layer } from "effect"
import { GitHub } from "./github/GitHub.ts"
import { Gmail } from "./gmail/Gmail.ts"
import { Jira } from "./jira/Jira.ts"
import { Linear } from "./linear/Linear.ts"
import { Notion } from "./notion/Notion.ts"
import { Postgres } from "./postgres/Postgres.ts"

/** The toolkits of a deployment: the one list of them. */
export const All = Layer.mergeAll(GitHub, Gmail, Jira, Linear, Notion, Postgres)
