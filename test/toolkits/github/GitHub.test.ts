import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { GitHub } from "../../../src/toolkits/github/GitHub.ts"
import { simulator } from "../../../src/toolkits/github/simulator/GitHubSimulator.ts"
import { checkTable, type Doc, listIn, toolbox, tools } from "../../support/Toolbox.ts"

const api = { owner: "larkspur-labs", repo: "harbor-api" }
const lathe = { owner: "openlathe", repo: "lathe" }

const { call, misfit, refusal, toolkit, uncalled } = tools("github")

/** All pages of a list. */
const walk = (name: string, list: string, args: Doc, limit: number) =>
  Effect.gen(function* () {
    const entries: Array<Doc> = []
    let place: Doc = {}
    for (;;) {
      const answer: Doc = yield* call(name, { ...args, ...place, limit })
      entries.push(...listIn(answer, list))
      const { next_cursor: cursor = null, next_page: page = null } = answer
      if (cursor === null && page === null) return entries
      place = page === null ? { cursor } : { page }
    }
  })

const branchWithFile = (branch: string, account: string, path = "src/fresh.ts") =>
  Effect.gen(function* () {
    yield* call("github_create_branch", { ...api, branch }, account)
    return yield* call(
      "github_create_or_update_file",
      { ...api, path, branch, content: "export const fresh = true\n", message: "Add fresh" },
      account
    )
  })

layer(toolbox(GitHub, simulator))("GitHub", (it) => {
  // -------------------------------------------------------------------------------------------------------------------
  // repositories

  it.effect("tells whose account it is, and its repositories with those of its organisations", () =>
    Effect.gen(function* () {
      const me = yield* call("github_get_me")
      assert.strictEqual(me["login"], "mira-okafor")
      const all = yield* walk("github_list_repositories", "repositories", {}, 3)
      const names = all.map(({ full_name }) => full_name)
      assert.includeMembers(names, ["larkspur-labs/harbor-api", "mira-okafor/dotfiles"])
      assert.notInclude(names, "openlathe/lathe")
      assert.deepStrictEqual([...new Set(names)], names)
      const secret = yield* call("github_list_repositories", { organization: "larkspur-labs", visibility: "private" })
      assert.isTrue(listIn(secret, "repositories").every((one) => one["private"] === true))
    })
  )

  it.effect("finds repositories, and shows what the account may do in one", () =>
    Effect.gen(function* () {
      const found = yield* call("github_search_repositories", { query: "tracing language:rust stars:>1000" })
      assert.deepStrictEqual(
        [found["total"], listIn(found, "repositories").map(({ full_name }) => full_name)],
        [1, ["openlathe/lathe"]]
      )
      const one = yield* call("github_get_repository", api)
      assert.deepStrictEqual(
        [one["default_branch"], one["private"], one["permissions"]],
        ["main", true, ["maintain", "push", "triage", "pull"]]
      )
      const other = yield* call("github_get_repository", lathe)
      assert.deepStrictEqual(other["permissions"], ["pull"])
    })
  )

  it.effect("makes a repository, and forks one of somebody else's", () =>
    Effect.gen(function* () {
      const made = yield* call("github_create_repository", { name: "trial", description: "A trial" }, "maker")
      assert.deepStrictEqual([made["full_name"], made["private"]], ["mira-okafor/trial", true])
      const readme = yield* call("github_get_file", { owner: "mira-okafor", repo: "trial", path: "README.md" }, "maker")
      assert.include(readme["content"], "# trial")
      const again = yield* refusal("github_create_repository", { name: "trial" }, "maker")
      assert.strictEqual(again.reason._tag, "Invalid")
      assert.include(again.detail, "name already exists on this account")
      const fork = yield* call("github_fork_repository", lathe, "maker")
      assert.deepStrictEqual(
        [fork["full_name"], fork["fork"], fork["parent"]],
        ["mira-okafor/lathe", true, "openlathe/lathe"]
      )
    })
  )

  it.effect("makes and deletes branches, but not the default one", () =>
    Effect.gen(function* () {
      const made = yield* call("github_create_branch", { ...api, branch: "try/one" }, "brancher")
      assert.strictEqual(made["from"], "main")
      const names = (yield* walk("github_list_branches", "branches", api, 7)).map(({ name }) => name)
      assert.include(names, "main")
      const twice = yield* refusal("github_create_branch", { ...api, branch: "try/one", from: "main" }, "brancher")
      assert.include(twice.detail, "Reference already exists")
      assert.deepStrictEqual(yield* call("github_delete_branch", { ...api, branch: "try/one" }, "brancher"), {
        deleted: "try/one"
      })
      const kept = yield* refusal("github_delete_branch", { ...api, branch: "main" }, "brancher")
      assert.strictEqual(kept.reason._tag, "Invalid")
      const nowhere = yield* refusal("github_create_branch", { ...api, branch: "b", from: "no-such-branch" })
      assert.strictEqual(nowhere.reason._tag, "Missing")
    })
  )

  it.effect("lists releases, newest first, page by page", () =>
    Effect.gen(function* () {
      const all = yield* walk("github_list_releases", "releases", api, 10)
      assert.strictEqual(all.length, 34)
      assert.strictEqual(all[0]?.["tag"], "v4.33.0")
      const long = yield* call("github_get_release", { ...api, tag: "v4.3.0" })
      assert.deepStrictEqual([long["truncated"], long["next_from"]], [true, 12_000])
      const none = yield* refusal("github_get_release", { ...api, tag: "v9" })
      assert.strictEqual(none.reason._tag, "Missing")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // files and commits

  it.effect("reads a file, a long one in parts, and of a binary one only what it is", () =>
    Effect.gen(function* () {
      const server = yield* call("github_get_file", { ...api, path: "src/server.ts" })
      assert.include(server["content"], "createServer(route).listen(port)")
      assert.isUndefined(server["truncated"])
      let text = ""
      for (let from: unknown = 0; typeof from === "number";) {
        const answer: Doc = yield* call("github_get_file", { ...api, path: "CHANGELOG.md", from })
        text += String(answer["content"])
        from = answer["next_from"]
      }
      assert.isAbove(text.length, 20_000)
      assert.include(text, "change 1 of the log")
      const logo = yield* call("github_get_file", { ...api, path: "docs/logo.png" })
      assert.deepStrictEqual([logo["binary"], logo["size"], logo["content"]], [true, 20, undefined])
    })
  )

  it.effect("lists directories, and tells files and directories apart", () =>
    Effect.gen(function* () {
      const root = listIn(yield* call("github_list_directory", api), "entries")
      assert.include(
        root.map(({ name, type }) => [type, name].join(" ")),
        "dir src"
      )
      const paths = (yield* walk("github_list_directory", "entries", api, 2)).map(({ path }) => path)
      assert.deepStrictEqual(
        paths,
        root.map(({ path }) => path)
      )
      const carriers = listIn(yield* call("github_list_directory", { ...api, path: "src/carriers" }), "entries")
      assert.deepStrictEqual(
        carriers.map(({ path }) => path),
        ["src/carriers/baltic.ts", "src/carriers/post.ts", "src/carriers/rapid.ts"]
      )
      assert.include((yield* refusal("github_get_file", { ...api, path: "src" })).detail, "github_list_directory")
      assert.include((yield* refusal("github_list_directory", { ...api, path: "README.md" })).detail, "github_get_file")
      assert.strictEqual((yield* refusal("github_get_file", { ...api, path: "src/none.ts" })).reason._tag, "Missing")
    })
  )

  it.effect("finds code", () =>
    Effect.gen(function* () {
      const found = yield* call("github_search_code", {
        query: "retryAfter repo:larkspur-labs/harbor-api extension:ts"
      })
      assert.includeMembers(
        listIn(found, "files").map(({ path }) => path),
        ["src/retry.ts", "test/retry.test.ts"]
      )
    })
  )

  it.effect("writes a file once it was seen, and not over what somebody else wrote", () =>
    Effect.gen(function* () {
      const file = { ...api, path: "docs/ünï code.md" }
      const written = yield* call(
        "github_create_or_update_file",
        { ...file, content: "# Été 🌞\n", message: "Add" },
        "writer"
      )
      const read = yield* call("github_get_file", file, "writer")
      assert.deepStrictEqual([read["content"], read["sha"]], ["# Été 🌞\n", written["sha"]])
      const blind = yield* refusal("github_create_or_update_file", { ...file, content: "", message: "Empty" }, "writer")
      assert.include(blind.detail, '"sha" wasn\'t supplied')
      yield* call(
        "github_create_or_update_file",
        { ...file, content: "b", message: "B", sha: written["sha"] },
        "writer"
      )
      const late = { ...file, content: "c", message: "C", sha: written["sha"] }
      assert.strictEqual((yield* refusal("github_create_or_update_file", late, "writer")).reason._tag, "Clash")
      const now = yield* call("github_get_file", file, "writer")
      const deleted = yield* call("github_delete_file", { ...file, sha: now["sha"], message: "Remove" }, "writer")
      assert.strictEqual(deleted["deleted"], "docs/ünï code.md")
      assert.strictEqual((yield* refusal("github_get_file", file, "writer")).reason._tag, "Missing")
      const foreign = { ...lathe, path: "x.md", content: "x", message: "x" }
      assert.strictEqual((yield* refusal("github_create_or_update_file", foreign)).reason._tag, "Missing")
    })
  )

  it.effect("tells the history, of all and of a path, and what a commit changed", () =>
    Effect.gen(function* () {
      const all = yield* walk("github_list_commits", "commits", api, 40)
      assert.strictEqual(new Set(all.map(({ sha }) => sha)).size, all.length)
      assert.isAbove(all.length, 50)
      const dates = all.map(({ date }) => String(date))
      assert.deepStrictEqual([...dates].sort().toReversed(), dates)
      const [last] = yield* walk("github_list_commits", "commits", { ...api, path: "src/retry.ts" }, 10)
      assert.strictEqual(last?.["message"], "fix(api): stop after 410 Gone")
      const commit = yield* call("github_get_commit", { ...api, ref: last?.["sha"] })
      const [file] = listIn(commit, "files")
      assert.deepStrictEqual([file?.["path"], file?.["status"]], ["src/retry.ts", "modified"])
      assert.include(file?.["patch"], "+export const isLost = (status) => status === 410")
      const mine = yield* walk("github_list_commits", "commits", { ...api, author: "aiko-sato" }, 100)
      assert.isTrue(mine.length > 0 && mine.every(({ author }) => author === "aiko-sato"))
    })
  )

  it.effect("compares branches", () =>
    Effect.gen(function* () {
      yield* branchWithFile("try/compare", "comparer")
      const compared = yield* call("github_compare", { ...api, base: "main", head: "try/compare" }, "comparer")
      assert.deepStrictEqual([compared["status"], compared["ahead_by"], compared["behind_by"]], ["ahead", 1, 0])
      assert.deepStrictEqual(
        listIn(compared, "files").map(({ path, status }) => [path, status]),
        [["src/fresh.ts", "added"]]
      )
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // issues

  it.effect("lists issues at every page size, without pull requests", () =>
    Effect.gen(function* () {
      const whole = yield* walk("github_list_issues", "issues", { ...api, state: "all" }, 100)
      assert.strictEqual(whole.length, 46)
      for (const limit of [1, 7, 25]) {
        assert.deepStrictEqual(yield* walk("github_list_issues", "issues", { ...api, state: "all" }, limit), whole)
      }
      // the newest are all pull requests, which are passed over
      assert.lengthOf(listIn(yield* call("github_list_issues", { ...api, limit: 3 }), "issues"), 3)
      const bugs = yield* walk("github_list_issues", "issues", { ...api, labels: ["bug"], assignee: "none" }, 30)
      assert.isTrue(bugs.length > 0 && bugs.every((one) => one["assignees"] === undefined && one["state"] === "open"))
    })
  )

  it.effect("finds issues, and pull requests apart from them", () =>
    Effect.gen(function* () {
      const found = yield* call("github_search_issues", { query: "webhook retries repo:larkspur-labs/harbor-api" })
      const [first] = listIn(found, "issues")
      assert.deepStrictEqual(
        [first?.["repository"], first?.["title"]],
        ["larkspur-labs/harbor-api", "Carrier webhook retries forever after a 410"]
      )
      const pulls = yield* call("github_search_pull_requests", { query: "org:larkspur-labs is:merged", limit: 2 })
      assert.deepStrictEqual([pulls["total"], listIn(pulls, "pull_requests").length, pulls["next_page"]], [6, 2, 2])
      const strange = yield* refusal("github_search_issues", { query: "colour:red" })
      assert.strictEqual(strange.reason._tag, "Invalid")
    })
  )

  it.effect("reads an issue and its discussion, long texts in parts", () =>
    Effect.gen(function* () {
      const issue = yield* call("github_get_issue", { ...api, number: 2 })
      assert.deepStrictEqual([issue["truncated"], issue["next_from"]], [true, 12_000])
      const rest = yield* call("github_get_issue", { ...api, number: 2, from: 12_000 })
      assert.isUndefined(rest["truncated"])
      assert.strictEqual(String(issue["body"]).length + String(rest["body"]).length, issue["total_characters"])
      const comments = yield* walk("github_list_issue_comments", "comments", { ...api, number: 2 }, 15)
      assert.strictEqual(comments.length, 40)
      const [long] = comments
      assert.strictEqual(long?.["truncated"], true)
      const whole = yield* call("github_get_issue_comment", { ...api, comment_id: long?.["id"] })
      assert.isAbove(String(whole["body"]).length, 2000)
    })
  )

  it.effect("opens, changes, closes and reopens an issue", () =>
    Effect.gen(function* () {
      const made = yield* call(
        "github_create_issue",
        {
          ...api,
          title: "Label printer beeps",
          body: "All day.",
          labels: ["bug"],
          assignees: ["aiko-sato"],
          milestone: 2
        },
        "reporter"
      )
      assert.deepStrictEqual(
        [made["labels"], made["assignees"], made["milestone"]],
        [["bug"], ["aiko-sato"], "4.1 Paging"]
      )
      const at = { ...api, number: made["number"] }
      const closed = yield* call(
        "github_update_issue",
        { ...at, state: "closed", state_reason: "not_planned" },
        "reporter"
      )
      assert.deepStrictEqual([closed["state"], closed["state_reason"]], ["closed", "not_planned"])
      const open = yield* call(
        "github_update_issue",
        { ...at, state: "open", title: "Printer beeps", milestone: null, assignees: [] },
        "reporter"
      )
      assert.deepStrictEqual(
        [open["state"], open["title"], open["milestone"], open["assignees"], open["labels"]],
        ["open", "Printer beeps", undefined, undefined, ["bug"]]
      )
      const unknown = yield* refusal("github_update_issue", { ...at, assignees: ["nobody"] }, "reporter")
      assert.include(unknown.detail, "assignees")
      // without write access GitHub drops labels without a word
      const elsewhere = yield* call(
        "github_create_issue",
        { ...lathe, title: "Docs link is broken", labels: ["bug"] },
        "reporter"
      )
      assert.isUndefined(elsewhere["labels"])
    })
  )

  it.effect("comments on an issue and corrects it", () =>
    Effect.gen(function* () {
      const said = yield* call("github_add_issue_comment", { ...api, number: 3, body: "Seen here, too." }, "talker")
      yield* call("github_update_issue_comment", { ...api, comment_id: said["id"], body: "Seen here." }, "talker")
      const read = yield* call("github_get_issue_comment", { ...api, comment_id: said["id"] }, "talker")
      assert.deepStrictEqual([read["body"], read["author"]], ["Seen here.", "mira-okafor"])
      const nowhere = yield* refusal("github_add_issue_comment", { ...api, number: 9999, body: "Hello" })
      assert.deepStrictEqual([nowhere.reason._tag, nowhere.status, nowhere.detail], ["Missing", 404, "Not Found"])
    })
  )

  it.effect("puts labels on and takes them off", () =>
    Effect.gen(function* () {
      const names = (yield* walk("github_list_labels", "labels", api, 4)).map(({ name }) => name)
      assert.include(names, "help wanted")
      const at = { ...api, number: 1 }
      const added = yield* call("github_add_labels", { ...at, labels: ["help wanted", "fresh"] }, "sorter")
      assert.includeMembers(added["labels"] as never, ["help wanted", "fresh"] as never)
      const kept = yield* call("github_remove_label", { ...at, label: "help wanted" }, "sorter")
      assert.notInclude(kept["labels"], "help wanted")
      const gone = yield* refusal("github_remove_label", { ...at, label: "help wanted" }, "sorter")
      assert.strictEqual(gone.detail, "Label does not exist")
    })
  )

  it.effect("knows milestones and who can be assigned", () =>
    Effect.gen(function* () {
      const open = yield* walk("github_list_milestones", "milestones", api, 30)
      assert.deepStrictEqual(
        open.map(({ title }) => title),
        ["4.1 Paging", "5.0 Offline"]
      )
      const people = yield* walk("github_list_assignees", "people", api, 3)
      assert.strictEqual(people.length, 8)
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // pull requests

  it.effect("lists and reads pull requests, their files, diff and checks", () =>
    Effect.gen(function* () {
      const open = yield* walk("github_list_pull_requests", "pull_requests", api, 5)
      assert.strictEqual(open.length, 12)
      const pull = yield* call("github_get_pull_request", { ...api, number: 48 })
      assert.deepStrictEqual([pull["mergeable"], pull["author"], pull["changed_files"]], [true, "mira-okafor", 2])
      const files = yield* walk("github_list_pull_request_files", "files", { ...api, number: 48 }, 1)
      assert.deepStrictEqual(
        files.map(({ path }) => path),
        ["src/work/48.ts", "test/work-48.test.ts"]
      )
      const { diff } = yield* call("github_get_pull_request_diff", { ...api, number: 48 })
      assert.match(String(diff), /^diff --git a\/src\/work\/48\.ts/)
      assert.include(diff, "+export const change48")
      const checks = yield* call("github_list_checks", { ...api, ref: pull["head_sha"] })
      assert.deepStrictEqual(
        listIn(checks, "checks").map(({ conclusion, name }) => [name, conclusion]),
        [
          ["lint", "success"],
          ["test", "failure"],
          ["types", "success"]
        ]
      )
    })
  )

  it.effect("takes a change from branch to merge", () =>
    Effect.gen(function* () {
      yield* branchWithFile("fix/label", "merger")
      const opened = yield* call(
        "github_create_pull_request",
        { ...api, title: "Fix the label", head: "fix/label", base: "main", body: "Closes #4" },
        "merger"
      )
      const at = { ...api, number: opened["number"] }
      const twice = yield* refusal(
        "github_create_pull_request",
        { ...api, title: "x", head: "fix/label", base: "main" },
        "merger"
      )
      assert.include(twice.detail, "A pull request already exists for larkspur-labs:fix/label.")
      const asked = yield* call("github_request_reviewers", { ...at, reviewers: ["yusuf-demir"] }, "merger")
      assert.deepStrictEqual(asked["requested_reviewers"], ["yusuf-demir"])
      const renamed = yield* call("github_update_pull_request", { ...at, title: "Fix the A6 label" }, "merger")
      assert.strictEqual(renamed["title"], "Fix the A6 label")
      const stale = yield* refusal("github_merge_pull_request", { ...at, sha: "0".repeat(40) }, "merger")
      assert.strictEqual(stale.reason._tag, "Clash")
      const merged = yield* call("github_merge_pull_request", { ...at, method: "squash" }, "merger")
      assert.strictEqual(merged["merged"], true)
      const file = yield* call("github_get_file", { ...api, path: "src/fresh.ts" }, "merger")
      assert.include(file["content"], "fresh")
      const after = yield* call("github_get_pull_request", at, "merger")
      assert.deepStrictEqual([after["state"], after["merged"], after["merged_by"]], ["closed", true, "mira-okafor"])
      const [last] = yield* walk("github_list_commits", "commits", { ...api, path: "src/fresh.ts" }, 5)
      assert.isUndefined(last)
      const [squashed] = listIn(yield* call("github_list_commits", { ...api, limit: 1 }, "merger"), "commits")
      assert.include(squashed?.["message"], "Fix the A6 label")
    })
  )

  it.effect("refuses to merge what clashes, with GitHub's words", () =>
    Effect.gen(function* () {
      const clash = yield* call("github_get_pull_request", { ...api, number: 49 })
      assert.deepStrictEqual([clash["mergeable"], clash["mergeable_state"]], [false, "dirty"])
      const refused = yield* refusal("github_merge_pull_request", { ...api, number: 49 })
      assert.deepStrictEqual([refused.reason._tag, refused.detail], ["Clash", "Pull Request has merge conflicts"])
      const none = yield* refusal("github_create_pull_request", { ...api, title: "x", head: "main", base: "main" })
      assert.include(none.detail, "No commits between main and main")
    })
  )

  it.effect("reviews a pull request with comments on lines, and answers them", () =>
    Effect.gen(function* () {
      const at = { ...api, number: 49 }
      const before = listIn(yield* call("github_list_reviews", at, "reviewer"), "reviews")
      const review = yield* call(
        "github_create_review",
        {
          ...at,
          event: "REQUEST_CHANGES",
          body: "One remark.",
          comments: [{ path: "test/work-49.test.ts", line: 3, body: "Why three?" }]
        },
        "reviewer"
      )
      assert.strictEqual(review["state"], "CHANGES_REQUESTED")
      assert.strictEqual(
        listIn(yield* call("github_list_reviews", at, "reviewer"), "reviews").length,
        before.length + 1
      )
      const comments = yield* call("github_list_review_comments", at, "reviewer")
      const mine = listIn(comments, "comments").find(({ body }) => body === "Why three?")
      assert.deepStrictEqual([mine?.["path"], mine?.["line"]], ["test/work-49.test.ts", 3])
      const one = yield* call("github_get_review_comment", { ...api, comment_id: mine?.["id"] }, "reviewer")
      assert.deepStrictEqual([one["body"], one["path"]], ["Why three?", "test/work-49.test.ts"])
      const verdict = yield* call("github_get_review", { ...at, review_id: review["id"] }, "reviewer")
      assert.deepStrictEqual([verdict["body"], verdict["state"]], ["One remark.", "CHANGES_REQUESTED"])
      const reply = yield* call(
        "github_reply_to_review_comment",
        { ...at, comment_id: mine?.["id"], body: "No reason." },
        "reviewer"
      )
      assert.strictEqual(reply["in_reply_to"], mine?.["id"])
      const outside = { ...at, event: "COMMENT", comments: [{ path: "test/work-49.test.ts", line: 900, body: "?" }] }
      assert.include((yield* refusal("github_create_review", outside)).detail, "Line could not be resolved")
      const own = yield* refusal("github_create_review", { ...api, number: 48, event: "APPROVE" })
      assert.include(own.detail, "Can not approve your own pull request")
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // what goes wrong

  it.effect("names every argument that does not fit", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* misfit("github_list_issues", { owner: "a b", state: "new", limit: 101, colour: 1 }),
        {
          repo: "is required",
          owner: "must be an account's name: letters, digits and hyphens",
          state: 'must be "open" or "closed" or "all"',
          limit: "must be a whole number from 1 to 100",
          colour: "is not known here"
        }
      )
      const escape = { ...api, path: "src/../../secret" }
      assert.property(yield* misfit("github_get_file", escape), "path")
      assert.property(yield* misfit("github_create_branch", { ...api, branch: "a..b" }), "branch")
    })
  )

  it.effect("renews its token in the middle of things", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* call("github_get_me", {}, "renewer")
      yield* faults.add({ provider: "github", does: { kind: "expire" } })
      assert.strictEqual((yield* call("github_get_me", {}, "renewer"))["login"], "mira-okafor")
    })
  )

  it.effect("hands on limits, missing permissions and breakdowns for what they are", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.add({ provider: "github", does: { kind: "limit", retryAfter: 40 } })
      const limited = yield* refusal("github_get_repository", api, "limited")
      assert.deepStrictEqual(
        [limited.reason._tag, limited.reason._tag === "LimitReached" ? limited.reason.retryAfter : 0],
        ["LimitReached", 40]
      )
      yield* faults.add({ provider: "github", does: { kind: "status", status: 403 } })
      const barred = yield* refusal("github_get_repository", api)
      assert.deepStrictEqual(
        [barred.reason._tag, barred.detail],
        ["NotPermitted", "Resource not accessible by integration"]
      )
      yield* faults.add({ provider: "github", does: { kind: "status", status: 502 }, method: "POST" })
      assert.strictEqual((yield* refusal("github_create_issue", { ...api, title: "Lost" })).reason._tag, "Down")
    })
  )

  it.effect("has a table that keeps to the rules, and every tool was called", () =>
    Effect.gen(function* () {
      const all = yield* toolkit
      assert.isAtLeast(all.tools.length, 25)
      checkTable(all)
      assert.deepStrictEqual(yield* uncalled, [])
    })
  )
})
