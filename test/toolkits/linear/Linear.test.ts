import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { Linear } from "../../../src/toolkits/linear/Linear.ts"
import { simulator } from "../../../src/toolkits/linear/simulator/LinearSimulator.ts"
import { checkTable, type Doc, listIn, toolbox, tools } from "../../support/Toolbox.ts"

const { call, misfit, refusal, toolkit, uncalled } = tools("linear")

/** All pages of a list. */
const walk = (name: string, list: string, args: Doc = {}, limit = 100, account = "acme") =>
  Effect.gen(function* () {
    const entries: Array<Doc> = []
    for (let cursor: unknown = undefined; cursor !== null;) {
      const answer: Doc = yield* call(name, { ...args, limit, ...(cursor === undefined ? {} : { cursor }) }, account)
      entries.push(...listIn(answer, list))
      cursor = answer["next_cursor"]
    }
    return entries
  })

const stateOf = (name: string, account = "acme") =>
  Effect.map(
    walk("linear_list_states", "states", { team: "HAR" }, 100, account),
    (all) => all.find((one) => one["name"] === name)?.["id"]
  )

const missing = "00000000-0000-4000-8000-000000000000"

layer(toolbox(Linear, simulator))("Linear", (it) => {
  // -------------------------------------------------------------------------------------------------------------------
  // the workspace

  it.effect("knows the account, teams, states, labels, people and cycles", () =>
    Effect.gen(function* () {
      const me = yield* call("linear_get_me")
      assert.deepInclude(me, { name: "Mira Okafor" })
      assert.deepInclude(me["workspace"], { name: "Larkspur Labs" })
      const teams = (yield* walk("linear_list_teams", "teams", {}, 2)).map(({ key }) => key)
      assert.sameMembers(teams, ["HAR", "WEB", "OPS"])
      const states = yield* walk("linear_list_states", "states", { team: "har" }, 4)
      assert.sameMembers(
        states.map(({ name, type }) => [name, type].join(": ")),
        [
          "Backlog: backlog",
          "Todo: unstarted",
          "In Progress: started",
          "In Review: started",
          "Done: completed",
          "Canceled: canceled"
        ]
      )
      const labels = yield* walk("linear_list_labels", "labels", { name: "carrier" })
      assert.deepStrictEqual(
        labels.map(({ name, team }) => [name, team]),
        [["Carrier outage", "HAR"]]
      )
      // two are called so: the answer shows both, and it is not for the tool to choose
      assert.strictEqual((yield* walk("linear_list_users", "people", { name: "hanna" })).length, 2)
      assert.strictEqual((yield* walk("linear_list_cycles", "cycles", { team: "HAR" }, 5)).length, 14)
    })
  )

  it.effect("lists, reads, creates and changes projects", () =>
    Effect.gen(function* () {
      const all = yield* walk("linear_list_projects", "projects", {}, 4)
      assert.strictEqual(all.length, 6)
      const [paging] = yield* walk("linear_list_projects", "projects", { name: "cursor" })
      const read = yield* call("linear_get_project", { project_id: paging?.["id"] })
      assert.deepStrictEqual([read["truncated"], read["next_from"]], [true, 12_000])
      const rest = yield* call("linear_get_project", { project_id: paging?.["id"], from: 12_000 })
      assert.strictEqual(String(read["content"]).length + String(rest["content"]).length, read["total_characters"])
      const made = yield* call("linear_create_project", { team: "web", name: "New shelves", target_date: "2027-01-31" })
      assert.deepStrictEqual(
        [made["teams"], made["target_date"], made["status_type"]],
        [["WEB"], "2027-01-31", "backlog"]
      )
      const changed = yield* call("linear_update_project", { project_id: made["id"], summary: "For the depot" })
      assert.deepStrictEqual([changed["summary"], changed["target_date"]], ["For the depot", "2027-01-31"])
      const planned = yield* walk("linear_list_projects", "projects", { status_type: "planned" })
      assert.isTrue(planned.length > 0 && planned.every(({ status_type }) => status_type === "planned"))
      assert.strictEqual((yield* refusal("linear_get_project", { project_id: missing })).reason._tag, "Missing")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // issues

  it.effect("lists issues page by page, each once, the last changed first", () =>
    Effect.gen(function* () {
      const whole = yield* walk("linear_list_issues", "issues", { team: "HAR", include_archived: true })
      assert.strictEqual(whole.length, 112)
      assert.deepStrictEqual(
        yield* walk("linear_list_issues", "issues", { team: "HAR", include_archived: true }, 9),
        whole
      )
      const stamps = whole.map(({ updated_at }) => String(updated_at))
      assert.deepStrictEqual([...stamps].sort().toReversed(), stamps)
      const current = yield* walk("linear_list_issues", "issues", { team: "HAR" })
      assert.isBelow(current.length, 112)
    })
  )

  it.effect("narrows the list by what people ask for", () =>
    Effect.gen(function* () {
      const list = (args: Doc) => walk("linear_list_issues", "issues", args)
      const mine = yield* list({ assignee: "me", state_type: "started" })
      assert.isTrue(
        mine.length > 0 && mine.every((one) => one["assignee"] === "Mira Okafor" && one["state_type"] === "started")
      )
      const nobodys = yield* list({ assignee: "none", label: "bug" })
      assert.isTrue(nobodys.length > 0 && nobodys.every((one) => one["assignee"] === undefined))
      const urgent = yield* list({ team: "OPS", priority: "urgent" })
      assert.isTrue(urgent.length > 0 && urgent.every((one) => one["priority"] === "Urgent" && one["team"] === "OPS"))
      const late = yield* list({ due_before: "2026-09-01", state: "done" })
      assert.isTrue(
        late.length > 0 && late.every((one) => String(one["due_date"]) < "2026-09-01" && one["state"] === "Done")
      )
      const fresh = yield* list({ updated_since: "2026-10-01" })
      assert.isTrue(fresh.length > 0 && fresh.every((one) => String(one["updated_at"]) >= "2026-10-01"))
      const [project] = yield* walk("linear_list_projects", "projects", { name: "Baltic" })
      const inProject = yield* list({ project_id: project?.["id"] })
      assert.isTrue(inProject.length > 0 && inProject.every((one) => one["project"] === "Baltic lockers"))
    })
  )

  it.effect("finds issues by words, in comments when asked", () =>
    Effect.gen(function* () {
      const found = yield* call("linear_search_issues", { words: "umlauts query", team: "HAR", limit: 1 })
      assert.strictEqual(listIn(found, "issues")[0]?.["title"], "Search misses parcels with umlauts in the name")
      assert.isAbove(Number(found["total"]), 1)
      const silent = yield* call("linear_search_issues", { words: "reproduce sandbox account" })
      const talked = yield* call("linear_search_issues", { words: "reproduce sandbox account", include_comments: true })
      assert.isAbove(Number(talked["total"]), Number(silent["total"]))
    })
  )

  it.effect("reads an issue by its identifier, with its text in parts", () =>
    Effect.gen(function* () {
      const issue = yield* call("linear_get_issue", { issue: "har-5" })
      assert.deepStrictEqual([issue["identifier"], issue["truncated"], issue["next_from"]], ["HAR-5", true, 12_000])
      assert.match(String(issue["url"]), /^https:\/\/linear\.app\/larkspur-labs\/issue\/HAR-5\//)
      const related = yield* call("linear_get_issue", { issue: "HAR-2" })
      assert.deepStrictEqual(
        listIn(related, "relations").map(({ identifier, type }) => [type, identifier]),
        [["blocks", "HAR-4"]]
      )
      const none = yield* refusal("linear_get_issue", { issue: "HAR-9999" })
      assert.deepStrictEqual(
        [none.reason._tag, none.detail],
        ["Missing", "Entity not found: Issue - Could not find referenced Issue."]
      )
    })
  )

  it.effect("creates an issue, changes it, moves it, and takes things away again", () =>
    Effect.gen(function* () {
      const [tomas] = yield* walk("linear_list_users", "people", { name: "tomás" })
      const [bug] = yield* walk("linear_list_labels", "labels", { name: "bug" })
      const [feature] = yield* walk("linear_list_labels", "labels", { name: "feature" })
      const made = yield* call("linear_create_issue", {
        team: "har",
        title: "Printer beeps",
        description: "All **day**.",
        assignee_id: tomas?.["id"],
        label_ids: [bug?.["id"]],
        priority: "high",
        parent: "HAR-1",
        estimate: 3,
        due_date: "2026-12-24"
      })
      assert.deepInclude(made, {
        state: "Backlog",
        priority: "High",
        assignee: "Tomás Rueda",
        parent: "HAR-1",
        due_date: "2026-12-24"
      })
      const issue = made["identifier"]
      const done = yield* call("linear_update_issue", {
        issue,
        state_id: yield* stateOf("Done"),
        add_label_ids: [feature?.["id"]]
      })
      assert.deepInclude(done, { state: "Done", title: "Printer beeps" })
      assert.sameMembers([...listOf(done["labels"])], ["Bug", "Feature"])
      assert.isString(done["completed_at"])
      const bare = yield* call("linear_update_issue", {
        issue,
        assignee_id: null,
        parent: null,
        due_date: null,
        estimate: null,
        remove_label_ids: [bug?.["id"]]
      })
      assert.deepStrictEqual(
        [bare["assignee"], bare["parent"], bare["due_date"], bare["estimate"], bare["labels"]],
        [undefined, undefined, undefined, undefined, ["Feature"]]
      )
      const read = yield* call("linear_get_issue", { issue })
      assert.strictEqual(read["description"], "All **day**.")
    })
  )

  it.effect("hands on what Linear refuses", () =>
    Effect.gen(function* () {
      const other = listIn(yield* call("linear_list_states", { team: "OPS", limit: 1 }), "states")[0]?.["id"]
      const wrong = yield* refusal("linear_update_issue", { issue: "HAR-1", state_id: other })
      assert.deepStrictEqual(
        [wrong.reason._tag, wrong.detail],
        ["Invalid", "Argument Validation Error - stateId must be a state of the issue's team"]
      )
      const nobody = yield* refusal("linear_create_issue", { team: "HAR", title: "x", assignee_id: missing })
      assert.include(nobody.detail, "Entity not found: User")
      const nowhere = yield* refusal("linear_create_issue", { team: "NONE", title: "x" })
      assert.deepStrictEqual(
        [nowhere.reason._tag, nowhere.detail],
        ["Invalid", "there is no team with the key NONE; linear_list_teams lists them"]
      )
      const cursor = yield* refusal("linear_list_issues", { cursor: "made-up" })
      assert.include(cursor.detail, "after is not a valid cursor")
    })
  )

  it.effect("relates issues and throws one away", () =>
    Effect.gen(function* () {
      const one = yield* call("linear_create_issue", { team: "WEB", title: "First" })
      const other = yield* call("linear_create_issue", { team: "WEB", title: "Second" })
      yield* call("linear_relate_issues", { issue: one["identifier"], type: "blocks", to: other["identifier"] })
      const read = yield* call("linear_get_issue", { issue: one["identifier"] })
      assert.deepStrictEqual(
        listIn(read, "relations").map(({ identifier, type }) => [type, identifier]),
        [["blocks", other["identifier"]]]
      )
      yield* call("linear_delete_issue", { issue: other["identifier"] })
      const left = (yield* walk("linear_list_issues", "issues", { team: "WEB" })).map(({ identifier }) => identifier)
      assert.include(left, one["identifier"])
      assert.notInclude(left, other["identifier"])
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // comments

  it.effect("lists comments, newest first, and reads a long one in full", () =>
    Effect.gen(function* () {
      const all = yield* walk("linear_list_comments", "comments", { issue: "HAR-5" }, 10)
      assert.strictEqual(all.length, 34)
      assert.strictEqual(all[0]?.["truncated"], true)
      const whole = yield* call("linear_get_comment", { comment_id: all[0]?.["id"] })
      assert.isAbove(String(whole["body"]).length, 2000)
      assert.strictEqual(whole["issue"], "HAR-5")
    })
  )

  it.effect("comments, answers a comment, and corrects its own only", () =>
    Effect.gen(function* () {
      const said = yield* call("linear_add_comment", { issue: "OPS-1", body: "Seen here." })
      const answer = yield* call("linear_add_comment", { issue: "OPS-1", body: "Me too.", reply_to: said["id"] })
      assert.strictEqual(answer["in_reply_to"], said["id"])
      yield* call("linear_update_comment", { comment_id: said["id"], body: "Seen **here**." })
      assert.strictEqual((yield* call("linear_get_comment", { comment_id: said["id"] }))["body"], "Seen **here**.")
      const foreign = (yield* walk("linear_list_comments", "comments", { issue: "HAR-5" })).find(
        ({ author }) => author !== "Mira Okafor"
      )
      const refused = yield* refusal("linear_update_comment", { comment_id: foreign?.["id"], body: "x" })
      assert.deepStrictEqual(
        [refused.reason._tag, refused.detail],
        ["NotPermitted", "Forbidden - You can only edit your own comments."]
      )
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // what goes wrong

  it.effect("names every argument that does not fit", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* misfit("linear_create_issue", { team: "no team", priority: "burning", state_id: "Done", colour: "red" }),
        {
          team: "must be a team's key such as HAR",
          title: "is required",
          priority: 'must be "none" or "urgent" or "high" or "medium" or "low"',
          state_id: "must be an id from linear_list_states",
          colour: "is not known here"
        }
      )
    })
  )

  it.effect("renews its token, and hands on limits and missing rights for what they are", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* call("linear_get_me", {}, "renewer")
      yield* faults.add({ provider: "linear", does: { kind: "expire" } })
      assert.strictEqual((yield* call("linear_get_me", {}, "renewer"))["name"], "Mira Okafor")
      yield* faults.add({ provider: "linear", does: { kind: "status", status: 403 } })
      assert.strictEqual((yield* refusal("linear_get_me", {}, "renewer")).reason._tag, "NotPermitted")
      // a used-up limit comes with status 400
      yield* faults.add({ provider: "linear", does: { kind: "limit", retryAfter: 45 } })
      const limited = yield* refusal("linear_get_me", {}, "renewer")
      assert.deepStrictEqual(
        [limited.status, limited.reason._tag === "LimitReached" ? limited.reason.retryAfter : 0],
        [400, 45]
      )
    })
  )

  it.effect("asks again after a breakdown only what changes nothing", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.add({ provider: "linear", does: { kind: "drop", after: true } })
      const lost = yield* refusal("linear_create_issue", { team: missing, title: "x" }, "unlucky")
      assert.strictEqual(lost.reason._tag, "Down")
    })
  )

  it.effect("has a table that keeps to the rules, and every tool was called", () =>
    Effect.gen(function* () {
      checkTable(yield* toolkit)
      assert.deepStrictEqual(yield* uncalled, [])
    })
  )
})

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
