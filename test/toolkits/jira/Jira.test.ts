import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { Jira } from "../../../src/toolkits/jira/Jira.ts"
import { simulator } from "../../../src/toolkits/jira/simulator/JiraSimulator.ts"
import { checkTable, type Doc, listIn, toolbox, tools } from "../../support/Toolbox.ts"

const { call, misfit, refusal, toolkit, uncalled } = tools("jira")

/** All pages of a list. */
const walk = (name: string, list: string, args: Doc, limit: number) =>
  Effect.gen(function* () {
    const entries: Array<Doc> = []
    for (let cursor: unknown = undefined; cursor !== null;) {
      const answer: Doc = yield* call(name, { ...args, limit, ...(cursor === undefined ? {} : { cursor }) })
      entries.push(...listIn(answer, list))
      cursor = answer["next_cursor"]
    }
    return entries
  })

const found = (jql: string, account?: string) =>
  Effect.map(call("jira_search_issues", { jql, limit: 100 }, account), (answer) => listIn(answer, "issues"))

const created = (fields: Doc, account: string) =>
  Effect.map(
    call("jira_create_issue", { project: "LAB", issue_type: "Task", summary: "Something", ...fields }, account),
    ({ key }) => key
  )

// the credentials name the site of this account
layer(toolbox(Jira, simulator, simulator.values?.("acme")))("Jira", (it) => {
  // -------------------------------------------------------------------------------------------------------------------
  // searching

  it.effect("finds issues page by page, each once, with addresses for people", () =>
    Effect.gen(function* () {
      const jql = "project = HARBOR ORDER BY key ASC"
      const whole = yield* walk("jira_search_issues", "issues", { jql }, 100)
      assert.deepStrictEqual(yield* call("jira_count_issues", { jql }), { count: whole.length })
      assert.strictEqual(new Set(whole.map(({ key }) => key)).size, whole.length)
      assert.deepStrictEqual(yield* walk("jira_search_issues", "issues", { jql }, 30), whole)
      assert.deepStrictEqual(
        [whole[0]?.["key"], whole[0]?.["url"]],
        ["HARBOR-1", "https://larkspur.atlassian.net/browse/HARBOR-1"]
      )
    })
  )

  it.effect("understands what people ask in JQL", () =>
    Effect.gen(function* () {
      const all = yield* found('project in (HARBOR, "Operations") AND status != Done')
      assert.isTrue(all.length > 0 && all.every(({ status }) => status !== "Done"))
      const mine = yield* found('assignee = currentUser() AND statusCategory = "In Progress" ORDER BY updated DESC')
      assert.isTrue(mine.length > 0 && mine.every(({ status }) => status === "In Progress" || status === "In Review"))
      const words = yield* found('text ~ "umlauts query" AND project = HARBOR')
      assert.isTrue(words.length > 0 && words.every(({ summary }) => String(summary).includes("umlauts")))
      const bare = yield* found(
        "project = HARBOR AND assignee is EMPTY AND NOT (labels = tech-debt OR duedate is not EMPTY)"
      )
      assert.isTrue(
        bare.length > 0 && bare.every((one) => one["assignee"] === undefined && one["due_date"] === undefined)
      )
      const urgent = yield* found("project = HARBOR AND priority >= High AND issuetype in (Bug, Story)")
      assert.sameMembers([...new Set(urgent.map(({ priority }) => priority))], ["High", "Highest"])
      const children = yield* found("parent = HARBOR-7")
      assert.deepStrictEqual(
        children.map(({ type }) => type),
        ["Subtask", "Subtask", "Subtask"]
      )
    })
  )

  it.effect("hands on what Jira says of a query", () =>
    Effect.gen(function* () {
      const said = (jql: string) => Effect.map(refusal("jira_search_issues", { jql }), ({ detail }) => detail)
      assert.include(yield* said("ORDER BY created"), "Unbounded JQL queries are not allowed here")
      assert.include(yield* said("colour = red"), "Field 'colour' does not exist")
      assert.include(yield* said("project = NONE"), "The value 'NONE' does not exist for the field 'project'.")
      assert.include(yield* said("project = HARBOR AND"), "Expecting a field name")
      assert.include(yield* said("status WAS Done"), "Expecting an operator")
      assert.include(yield* said("created > tomorrow"), "Date value 'tomorrow' for field 'created' is invalid")
      assert.include(yield* said("summary = x"), "The operator '=' is not supported by the 'summary' field.")
      const strange = yield* refusal("jira_search_issues", { jql: "project = WEB", cursor: "made-up" })
      assert.include(strange.detail, "next page token is invalid")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // issues

  it.effect("reads an issue with its text in parts, its links and subtasks", () =>
    Effect.gen(function* () {
      const long = yield* call("jira_get_issue", { issue: "harbor-4" })
      assert.deepStrictEqual([long["truncated"], long["next_from"]], [true, 12_000])
      const rest = yield* call("jira_get_issue", { issue: "HARBOR-4", from: 12_000 })
      assert.strictEqual(
        String(long["description"]).length + String(rest["description"]).length,
        long["total_characters"]
      )
      const linked = yield* call("jira_get_issue", { issue: "HARBOR-3" })
      assert.deepStrictEqual(
        listIn(linked, "links").map(({ key, link }) => [link, key]),
        [["relates to", "HARBOR-6"]]
      )
      const parent = yield* call("jira_get_issue", { issue: "HARBOR-7" })
      assert.strictEqual(listIn(parent, "subtasks").length, 3)
      const missing = yield* refusal("jira_get_issue", { issue: "HARBOR-9999" })
      assert.deepStrictEqual(
        [missing.reason._tag, missing.detail],
        ["Missing", "Issue does not exist or you do not have permission to see it."]
      )
    })
  )

  it.effect("creates an issue out of Markdown, changes it and tells what was changed", () =>
    Effect.gen(function* () {
      const made = yield* call("jira_create_issue", {
        project: "LAB",
        issue_type: "Bug",
        summary: "Printer beeps",
        description: "It **beeps**:\n\n- at night\n- at `06:00`",
        labels: ["office"],
        priority: "High",
        components: ["API"],
        fix_versions: ["4.1"],
        due_date: "2026-12-24",
        extra_fields: { customfield_10016: 3 }
      })
      assert.deepStrictEqual(made["url"], `https://larkspur.atlassian.net/browse/${String(made["key"])}`)
      const read = yield* call("jira_get_issue", { issue: made["key"] })
      assert.deepStrictEqual(
        [read["description"], read["priority"], read["components"], read["fix_versions"], read["due_date"]],
        ["It **beeps**:\n\n- at night\n- at `06:00`", "High", ["API"], ["4.1"], "2026-12-24"]
      )
      yield* call("jira_update_issue", { issue: made["key"], summary: "Printer sings", labels: [], due_date: null })
      const after = yield* call("jira_get_issue", { issue: made["key"] })
      assert.deepStrictEqual(
        [after["summary"], after["labels"], after["due_date"], after["priority"]],
        ["Printer sings", undefined, undefined, "High"]
      )
      const history = yield* walk("jira_get_changelog", "changes", { issue: made["key"] }, 1)
      const summary = listIn(history[0] ?? {}, "changes").find(({ field }) => field === "summary")
      assert.deepStrictEqual([summary?.["from"], summary?.["to"]], ["Printer beeps", "Printer sings"])
    })
  )

  it.effect("names every field that Jira refuses", () =>
    Effect.gen(function* () {
      const refused = yield* refusal("jira_create_issue", {
        project: "LAB",
        issue_type: "Dream",
        summary: "x",
        components: ["Kitchen"],
        extra_fields: { customfield_99999: 1 }
      })
      assert.deepStrictEqual(refused.reason._tag === "Invalid" ? Object.keys(refused.reason.fields).sort() : [], [
        "components",
        "customfield_99999",
        "issuetype"
      ])
      const orphan = yield* refusal("jira_create_issue", { project: "LAB", issue_type: "Subtask", summary: "x" })
      assert.include(orphan.detail, "parent issue key or id not specified")
      const barred = yield* refusal("jira_update_issue", { issue: "LEGAL-1", summary: "x" })
      assert.deepStrictEqual([barred.reason._tag, barred.status], ["NotPermitted", 403])
      const silent = yield* refusal("jira_update_issue", { issue: "HARBOR-1", summary: "x", notify: false })
      assert.include(silent.detail, "To discard the user notification")
    })
  )

  it.effect("assigns by account id, and finds who is meant", () =>
    Effect.gen(function* () {
      const key = yield* created({}, "acme")
      // two are called so: the answer shows both, and it is not for the tool to choose
      const both = yield* call("jira_search_users", { query: "Hanna" })
      assert.strictEqual(listIn(both, "people").length, 2)
      const can = yield* call("jira_search_users", { query: "Piet", project: "LAB" })
      assert.strictEqual(listIn(can, "people").length, 0)
      const [yusuf] = listIn(yield* call("jira_search_users", { query: "yusuf", issue: key }), "people")
      yield* call("jira_assign_issue", { issue: key, account_id: yusuf?.["account_id"] })
      const read = yield* call("jira_get_issue", { issue: key })
      assert.deepInclude(read["assignee"], { name: "Yusuf Demir" })
      yield* call("jira_assign_issue", { issue: key, account_id: null })
      assert.isUndefined((yield* call("jira_get_issue", { issue: key }))["assignee"])
      const unknown = yield* refusal("jira_assign_issue", { issue: key, account_id: "557058:none" })
      assert.strictEqual(unknown.reason._tag, "Invalid")
    })
  )

  it.effect("moves an issue along its workflow, and only there", () =>
    Effect.gen(function* () {
      const key = yield* created({}, "acme")
      const steps = listIn(yield* call("jira_list_transitions", { issue: key }), "transitions")
      assert.deepStrictEqual(
        steps.map(({ name, to }) => [name, to]),
        [
          ["Start progress", "In Progress"],
          ["Done", "Done"]
        ]
      )
      const reopen = yield* refusal("jira_transition_issue", { issue: key, transition_id: "51" })
      assert.include(reopen.detail, "not valid for the current state")
      yield* call("jira_transition_issue", {
        issue: key,
        transition_id: steps.find(({ to }) => to === "Done")?.["id"],
        resolution: "Won't Do",
        comment: "Not *now*."
      })
      const done = yield* call("jira_get_issue", { issue: key })
      assert.deepStrictEqual([done["status"], done["resolution"], done["comments"]], ["Done", "Won't Do", 1])
    })
  )

  it.effect("deletes an issue, but not its subtasks unasked", () =>
    Effect.gen(function* () {
      const key = yield* created({}, "acme")
      yield* created({ issue_type: "Subtask", parent: key }, "acme")
      assert.include((yield* refusal("jira_delete_issue", { issue: key })).detail, "has subtasks")
      assert.deepStrictEqual(yield* call("jira_delete_issue", { issue: key, with_subtasks: true }), { deleted: key })
      assert.strictEqual((yield* refusal("jira_get_issue", { issue: key })).reason._tag, "Missing")
    })
  )

  it.effect("links issues so that both ends say the right thing", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* created({}, "acme"), yield* created({}, "acme")]
      const names = listIn(yield* call("jira_list_link_types"), "link_types").map(({ name }) => name)
      assert.include(names, "Blocks")
      yield* call("jira_link_issues", { issue: one, type: "Blocks", to: other })
      const seen = (key: unknown) =>
        Effect.map(call("jira_get_issue", { issue: key }), (issue) =>
          listIn(issue, "links").map(({ key, link }) => [link, key])
        )
      assert.deepStrictEqual(yield* seen(one), [["blocks", other]])
      assert.deepStrictEqual(yield* seen(other), [["is blocked by", one]])
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // comments and time

  it.effect("lists comments both ways round, and reads a long one in full", () =>
    Effect.gen(function* () {
      const all = yield* walk("jira_list_comments", "comments", { issue: "HARBOR-4" }, 10)
      assert.strictEqual(all.length, 37)
      const back = yield* walk("jira_list_comments", "comments", { issue: "HARBOR-4", order: "newest" }, 100)
      assert.deepStrictEqual(
        back.toReversed().map(({ id }) => id),
        all.map(({ id }) => id)
      )
      assert.strictEqual(all[0]?.["truncated"], true)
      const whole = yield* call("jira_get_comment", { issue: "HARBOR-4", comment_id: all[0]?.["id"] })
      assert.isAbove(String(whole["body"]).length, 2000)
    })
  )

  it.effect("comments in Markdown, and corrects its own comment only", () =>
    Effect.gen(function* () {
      const said = yield* call("jira_add_comment", { issue: "WEB-1", body: "See [the log](https://example.org/log)." })
      yield* call("jira_update_comment", { issue: "WEB-1", comment_id: said["id"], body: "See `log`." })
      const read = yield* call("jira_get_comment", { issue: "WEB-1", comment_id: said["id"] })
      assert.deepStrictEqual([read["body"], read["author"]], ["See `log`.", "Mira Okafor"])
      const [other] = listIn(yield* call("jira_list_comments", { issue: "HARBOR-3", limit: 1 }), "comments")
      const refused = yield* refusal("jira_update_comment", { issue: "HARBOR-3", comment_id: other?.["id"], body: "x" })
      assert.include(refused.detail, "permission to edit this comment")
    })
  )

  it.effect("logs time", () =>
    Effect.gen(function* () {
      const logged = yield* call("jira_add_worklog", {
        issue: "WEB-2",
        time_spent: "1h 30m",
        comment: "Looked into it"
      })
      assert.strictEqual(logged["time_spent"], "1h 30m")
      assert.property(yield* misfit("jira_add_worklog", { issue: "WEB-2", time_spent: "an hour" }), "time_spent")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // projects and people

  it.effect("knows the account, projects, types and the fields of a new issue", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("jira_get_me"))["name"], "Mira Okafor")
      const keys = (yield* walk("jira_list_projects", "projects", {}, 2)).map(({ key }) => key)
      assert.deepStrictEqual(keys, ["HARBOR", "LAB", "LEGAL", "OPS", "WEB"])
      const one = yield* call("jira_get_project", { project: "HARBOR" })
      assert.includeMembers(
        [...listIn(one, "versions")].map(({ name }) => name),
        ["4.0", "5.0"]
      )
      const types = yield* walk("jira_list_issue_types", "issue_types", { project: "HARBOR" }, 2)
      const bug = types.find(({ name }) => name === "Bug")
      const fields = yield* walk("jira_get_create_fields", "fields", { project: "HARBOR", issue_type: bug?.["id"] }, 5)
      assert.deepInclude(
        fields.find(({ field }) => field === "priority"),
        { allowed_values: ["Highest", "High", "Medium", "Low", "Lowest"] }
      )
      const none = yield* refusal("jira_get_project", { project: "NONE" })
      assert.strictEqual(none.reason._tag, "Missing")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // what goes wrong

  it.effect("names every argument that does not fit", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* misfit("jira_create_issue", { project: "a b", summary: "", labels: ["two words"], colour: "red" }),
        {
          project: "must be a project's key such as HARBOR",
          issue_type: "is required",
          summary: "must not be empty",
          "labels.0": "must be a label without spaces",
          colour: "is not known here"
        }
      )
    })
  )

  it.effect("reaches no other site than its own", () =>
    Effect.gen(function* () {
      // the credentials name the site of another account
      assert.strictEqual((yield* refusal("jira_get_me", {}, "another")).reason._tag, "Missing")
    })
  )

  it.effect("renews its token, and hands on limits and missing scopes for what they are", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.add({ provider: "jira", does: { kind: "expire" } })
      assert.strictEqual((yield* call("jira_get_me"))["name"], "Mira Okafor")
      yield* faults.add({ provider: "jira", does: { kind: "status", status: 403 } })
      assert.strictEqual((yield* refusal("jira_get_me")).reason._tag, "NotPermitted")
      yield* faults.add({ provider: "jira", does: { kind: "limit", retryAfter: 30 } })
      const limited = yield* refusal("jira_get_me")
      assert.deepStrictEqual(limited.reason._tag === "LimitReached" ? limited.reason.retryAfter : 0, 30)
    })
  )

  it.effect("has a table that keeps to the rules, and every tool was called", () =>
    Effect.gen(function* () {
      checkTable(yield* toolkit)
      assert.deepStrictEqual(yield* uncalled, [])
    })
  )
})
