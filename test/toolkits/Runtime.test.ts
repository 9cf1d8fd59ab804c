import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { connected, doc, docs, workspaceOf } from "../agent/McpClient.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

/** For each toolkit a tool that reads, and what it answers of; and a request that finds nothing. */
const calls = [
  {
    slug: "github",
    words: "file a bug on github",
    writes: "github_create_issue",
    reads: ["github_list_issues", { owner: "larkspur-labs", repo: "harbor-api", limit: 3 }, "issues"],
    misses: ["github_get_issue", { owner: "larkspur-labs", repo: "harbor-api", number: 9999 }]
  },
  {
    slug: "gmail",
    words: "send an email",
    writes: "gmail_send_message",
    reads: ["gmail_search_messages", { query: "in:inbox", limit: 3 }, "messages"],
    misses: ["gmail_get_message", { message_id: "19000000ffffff" }]
  },
  {
    slug: "jira",
    words: "create a jira ticket",
    writes: "jira_create_issue",
    reads: ["jira_search_issues", { jql: "project = HARBOR", limit: 3 }, "issues"],
    misses: ["jira_get_issue", { issue: "HARBOR-9999" }]
  },
  {
    slug: "linear",
    words: "open a new issue in linear",
    writes: "linear_create_issue",
    reads: ["linear_list_issues", { team: "HAR", limit: 3 }, "issues"],
    misses: ["linear_get_issue", { issue: "HAR-9999" }]
  },
  {
    slug: "notion",
    words: "write a new page in notion",
    writes: "notion_create_page",
    reads: ["notion_search", { kind: "page", limit: 3 }, "results"],
    misses: ["notion_get_page", { page_id: "00000000-0000-4000-8000-000000000000" }]
  }
] as const

layer(sandboxApplication(), { timeout: "60 seconds" })("toolkits in the tool runtime", (it) => {
  for (const { misses, reads, slug, words, writes } of calls) {
    it.scoped(`${slug} is found, called and renewed through a workspace`, () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const faults = yield* Faults
        const caller = yield* app.caller([slug])
        const { callTool } = yield* connected(caller, yield* workspaceOf(caller, { integrations: [slug] }))
        const found = yield* callTool("search_tools", { queries: [words] })
        assert.include(
          docs(docs(found.content.results)[0]?.tools).map(({ name }) => name),
          writes
        )
        const [read, args, list] = reads
        const answer = yield* callTool(read, args)
        assert.deepInclude(answer.content, { source: slug, untrusted: true })
        assert.lengthOf(docs(doc(answer.content.content)[list]), 3)
        // the token is worthless from here on: it is renewed at the provider's own token endpoint
        yield* faults.add({ provider: slug, does: { kind: "expire" } })
        assert.isFalse((yield* callTool(read, args)).isError)
        const missed = yield* callTool(misses[0], misses[1])
        assert.isTrue(missed.isError)
        assert.include(String(missed.text), "provider_error")
      })
    )
  }

  full(it).scoped("postgres reaches the sandbox's own database", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["postgres"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller, { integrations: ["postgres"] }))
      const found = yield* callTool("search_tools", { queries: ["run a sql query"] })
      assert.include(
        docs(docs(found.content.results)[0]?.tools).map(({ name }) => name),
        "postgres_query"
      )
      const answer = yield* callTool("postgres_query", { sql: "select count(*) from company.customers" })
      assert.deepInclude(doc(answer.content.content), { rows: [["80"]] })
      const refused = yield* callTool("postgres_query", { sql: "drop table company.customers" })
      assert.isTrue(refused.isError)
      assert.include(String(refused.text), "syntax error")
    })
  )

  it.scoped("each is called only by who is connected to it", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["github"])
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const refused = yield* callTool("jira_get_me")
      assert.isTrue(refused.isError)
      assert.include(String(refused.text), "not_connected")
    })
  )
})
