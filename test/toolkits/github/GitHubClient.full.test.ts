import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { App } from "octokit"
import { misfits } from "../../support/AnswerTypes.ts"
import { answers, ask, connected, refusal, statusOf, uncalled } from "./Connected.ts"

// GitHub's own client library judges the simulator.

const api = { owner: "larkspur-labs", repo: "harbor-api" }
const lathe = { owner: "openlathe", repo: "lathe" }
const me = "mira-okafor"

type Connected = Effect.Effect.Success<typeof connected>

const test = (name: string, use: (connected: Connected) => Effect.Effect<void, never, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.flatMap(connected, use))

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("octokit", () => {
  test("knows whose account it is, and walks its repositories", ({ github, octokit }) =>
    Effect.gen(function* () {
      const user = yield* ask(() => github.users.getAuthenticated())
      assert.deepInclude(user, { login: me, type: "User" })

      const own = yield* Effect.promise(() =>
        octokit.paginate(github.repos.listForAuthenticatedUser, { sort: "pushed", direction: "desc", per_page: 3 })
      )
      const names = own.map(({ full_name }) => full_name)
      assert.includeMembers(names, ["larkspur-labs/harbor-api", `${me}/dotfiles`])
      assert.strictEqual(new Set(names).size, names.length)
      assert.isAbove(names.length, 6)
      const pushed = own.map(({ pushed_at }) => pushed_at ?? "")
      assert.deepStrictEqual(pushed, pushed.toSorted().toReversed())

      const secret = yield* ask(() =>
        github.repos.listForAuthenticatedUser({ visibility: "private", sort: "full_name", per_page: 2 })
      )
      assert.isTrue(secret.length === 2 && secret.every((one) => one.private && one.visibility === "private"))
      const ofFirm = yield* ask(() => github.repos.listForOrg({ org: api.owner, type: "public", per_page: 5 }))
      assert.isTrue(ofFirm.length > 0 && ofFirm.every((one) => one.owner.login === api.owner && !one.private))
    }))

  test("gets, finds, makes and forks repositories", ({ github }) =>
    Effect.gen(function* () {
      const one = yield* ask(() => github.repos.get(api))
      assert.deepInclude(one, { full_name: "larkspur-labs/harbor-api", default_branch: "main", private: true })
      assert.deepInclude(one.permissions, { push: true, admin: false })
      const found = yield* ask(() => github.search.repos({ q: "tracing language:rust stars:>1000", sort: "stars" }))
      assert.deepStrictEqual(
        [found.total_count, found.incomplete_results, found.items.map(({ full_name }) => full_name)],
        [1, false, ["openlathe/lathe"]]
      )
      const made = yield* ask(() => github.repos.createForAuthenticatedUser({ name: "trial", auto_init: true }))
      assert.deepInclude(made, { full_name: `${me}/trial`, private: false, default_branch: "main" })
      const readme = yield* ask(() => github.repos.getContent({ owner: me, repo: "trial", path: "README.md" }))
      assert.deepInclude(readme, { type: "file", name: "README.md", content: `${base64("# trial\n\n")}\n` })
      const ofFirm = yield* ask(() => github.repos.createInOrg({ org: api.owner, name: "probe", private: true }))
      assert.deepInclude(ofFirm, { full_name: "larkspur-labs/probe", private: true })
      const fork = yield* ask(() => github.repos.createFork(lathe))
      assert.deepInclude(fork, { full_name: `${me}/lathe`, fork: true })
      const copy = yield* ask(() => github.repos.get({ owner: me, repo: "lathe" }))
      assert.deepStrictEqual([copy.parent?.full_name, copy.source?.full_name], ["openlathe/lathe", "openlathe/lathe"])
    }))

  test("branches, references and releases", ({ github, octokit }) =>
    Effect.gen(function* () {
      const main = yield* ask(() => github.git.getRef({ ...api, ref: "heads/main" }))
      const made = yield* ask(() => github.git.createRef({ ...api, ref: "refs/heads/try/one", sha: main.object.sha }))
      assert.deepStrictEqual(
        [made.ref, made.object.type, made.object.sha],
        ["refs/heads/try/one", "commit", main.object.sha]
      )
      const first = yield* ask(() => github.repos.listBranches({ ...api, per_page: 2 }))
      assert.lengthOf(first, 2)
      const all = yield* Effect.promise(() => octokit.paginate(github.repos.listBranches, { ...api, per_page: 4 }))
      assert.includeDeepMembers(
        all.map(({ commit, name, protected: isProtected }) => [name, commit.sha, isProtected]),
        [
          ["main", main.object.sha, true],
          ["try/one", main.object.sha, false]
        ]
      )
      yield* ask(() => github.git.deleteRef({ ...api, ref: "heads/try/one" }))
      assert.strictEqual(yield* statusOf(() => github.git.getRef({ ...api, ref: "heads/try/one" })), 404)
      assert.strictEqual(yield* statusOf(() => github.git.deleteRef({ ...api, ref: "heads/try/one" })), 422)

      const [latest] = yield* ask(() => github.repos.listReleases({ ...api, per_page: 2 }))
      const tag = latest?.tag_name ?? ""
      assert.deepInclude(yield* ask(() => github.repos.getReleaseByTag({ ...api, tag })), {
        id: latest?.id ?? 0,
        draft: false
      })
      assert.strictEqual(yield* statusOf(() => github.repos.getReleaseByTag({ ...api, tag: "v99" })), 404)
    }))

  test("reads, writes and deletes files", ({ github }) =>
    Effect.gen(function* () {
      const path = "src/retry.ts"
      const read = yield* ask(() => github.repos.getContent({ ...api, path }))
      if (Array.isArray(read) || !("content" in read)) throw new Error("not a file")
      const text = Buffer.from(read.content, "base64").toString()
      assert.include(text, "export const retryAfter")
      const raw = yield* ask(() => github.repos.getContent({ ...api, path, mediaType: { format: "raw" } }))
      assert.strictEqual(String(raw), text)
      for (const directory of ["", "src"]) {
        const listed = yield* ask(() => github.repos.getContent({ ...api, path: directory, ref: "main" }))
        assert.isTrue(Array.isArray(listed) && listed.some(({ type }) => type === "dir"))
      }

      const file = { ...api, path: "src/fresh.ts", branch: "main", message: "Add fresh" }
      const made = yield* ask(() => github.repos.createOrUpdateFileContents({ ...file, content: base64("one\n") }))
      assert.deepInclude(made.commit, { message: "Add fresh" })
      const old = made.content?.sha ?? ""
      const changed = yield* ask(() =>
        github.repos.createOrUpdateFileContents({ ...file, message: "Change it", content: base64("two\n"), sha: old })
      )
      const write = (sha?: string) => () =>
        github.repos.createOrUpdateFileContents({ ...file, content: "", ...(sha === undefined ? {} : { sha }) })
      assert.strictEqual(yield* statusOf(write()), 422)
      assert.strictEqual(yield* statusOf(write(old)), 409)
      const sha = changed.content?.sha ?? ""
      const gone = yield* ask(() => github.repos.deleteFile({ ...file, message: "Delete it", sha }))
      assert.isNull(gone.content)
      assert.strictEqual(yield* statusOf(() => github.repos.getContent({ ...api, path: file.path })), 404)

      const [last] = yield* ask(() => github.repos.listCommits({ ...api, path: "src", per_page: 2 }))
      assert.strictEqual(last?.commit.message, "Delete it")
      const commit = yield* ask(() => github.repos.getCommit({ ...api, ref: changed.commit.sha ?? "" }))
      assert.deepStrictEqual([commit.stats?.additions, commit.stats?.deletions], [1, 1])
      assert.deepInclude(commit.files?.[0], {
        filename: file.path,
        status: "modified",
        patch: "@@ -1,1 +1,1 @@\n-one\n+two"
      })
      const between = yield* ask(() =>
        github.repos.compareCommitsWithBasehead({ ...api, basehead: `${made.commit.sha}...main` })
      )
      assert.deepInclude(between, { status: "ahead", ahead_by: 2, behind_by: 0, total_commits: 2 })
      assert.deepStrictEqual(
        between.files?.map(({ filename, status }) => [filename, status]),
        [[file.path, "removed"]]
      )
    }))

  test("walks the commits of a branch, and of a comparison, which has its files on the first page", ({
    github,
    octokit
  }) =>
    Effect.gen(function* () {
      const commits = yield* Effect.promise(() => octokit.paginate(github.repos.listCommits, { ...api, per_page: 20 }))
      const basehead = `${commits.at(-1)?.sha}...main`
      const page = (page: number) =>
        ask(() => github.repos.compareCommitsWithBasehead({ ...api, basehead, per_page: 40, page }))
      const [first, second] = yield* Effect.all([page(1), page(2)])
      assert.sameMembers(
        [...first.commits, ...second.commits].map(({ sha }) => sha),
        commits.slice(0, -1).map(({ sha }) => sha)
      )
      assert.isAbove(first.files?.length ?? 0, 5)
      assert.isEmpty(second.files)
    }))

  test("issues, their comments, labels and milestones", ({ github, octokit }) =>
    Effect.gen(function* () {
      const all = yield* Effect.promise(() =>
        octokit.paginate(github.issues.listForRepo, {
          ...api,
          state: "all",
          sort: "created",
          direction: "asc",
          per_page: 9
        })
      )
      assert.deepStrictEqual(
        all.map(({ number }) => number).toSorted((a, b) => a - b),
        all.map((_, at) => at + 1)
      )
      assert.isTrue(all.some(({ pull_request }) => pull_request !== undefined))
      const few = yield* ask(() =>
        github.issues.listForRepo({ ...api, labels: "bug,area: api", assignee: "*", since: "2025-01-01T00:00:00Z" })
      )
      assert.isNotEmpty(few)
      assert.isTrue(few.every(({ assignees, labels }) => assignees?.length !== 0 && labels.length > 1))
      const [milestone] = yield* ask(() => github.issues.listMilestones({ ...api, state: "open", per_page: 2 }))
      const [somebody] = yield* ask(() => github.issues.listAssignees({ ...api, per_page: 2 }))
      const [label] = yield* ask(() => github.issues.listLabelsForRepo({ ...api, per_page: 2 }))

      const made = yield* ask(() =>
        github.issues.create({
          ...api,
          title: "It is slow",
          body: "Since **Monday**.",
          labels: [label?.name ?? ""],
          assignees: [somebody?.login ?? ""],
          milestone: milestone?.number ?? null
        })
      )
      const at = { ...api, issue_number: made.number }
      assert.deepStrictEqual(
        [made.state, made.user?.login, made.milestone?.title, made.assignees?.map(({ login }) => login)],
        ["open", me, milestone?.title, [somebody?.login]]
      )
      const closed = yield* ask(() => github.issues.update({ ...at, state: "closed", state_reason: "not_planned" }))
      assert.deepInclude(closed, { state: "closed", state_reason: "not_planned", title: "It is slow" })
      assert.deepStrictEqual([closed.closed_by?.login, closed.closed_at], [me, closed.updated_at])
      assert.deepInclude(yield* ask(() => github.issues.get(at)), { number: made.number, comments: 0 })

      const comment = yield* ask(() => github.issues.createComment({ ...at, body: "Why?" }))
      const change = { ...api, comment_id: comment.id }
      yield* ask(() => github.issues.updateComment({ ...change, body: "Why not?" }))
      assert.deepInclude(yield* ask(() => github.issues.getComment(change)), { body: "Why not?", id: comment.id })
      const said = yield* ask(() => github.issues.listComments({ ...at, since: comment.created_at }))
      assert.deepStrictEqual(
        said.map(({ id }) => id),
        [comment.id]
      )

      const more = yield* ask(() => github.issues.addLabels({ ...at, labels: ["help wanted", "area: new"] }))
      assert.sameMembers(
        more.map(({ name }) => name),
        [label?.name, "help wanted", "area: new"]
      )
      const fewer = yield* ask(() => github.issues.removeLabel({ ...at, name: "help wanted" }))
      assert.notInclude(JSON.stringify(fewer), "help wanted")
      assert.strictEqual(yield* statusOf(() => github.issues.removeLabel({ ...at, name: "help wanted" })), 404)
    }))

  test("searches issues, pull requests and code", ({ github, octokit }) =>
    Effect.gen(function* () {
      const bugs = { q: "is:issue repo:larkspur-labs/harbor-api label:bug", sort: "created", order: "asc" } as const
      const { items, total_count } = yield* ask(() => github.search.issuesAndPullRequests({ ...bugs, per_page: 2 }))
      assert.isAbove(total_count, 5)
      assert.isTrue(items.every(({ labels }) => labels.some(({ name }) => name === "bug")))
      const all = yield* Effect.promise(() =>
        octokit.paginate(github.search.issuesAndPullRequests, { ...bugs, per_page: 4 })
      )
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, total_count)
      const pulls = yield* ask(() =>
        github.search.issuesAndPullRequests({ q: "is:pr is:merged author:@me", per_page: 2 })
      )
      assert.isTrue(pulls.items.every(({ pull_request }) => pull_request?.merged_at !== null))
      const code = yield* ask(() => github.search.code({ q: "retryAfter repo:larkspur-labs/harbor-api" }))
      assert.sameMembers(
        code.items.map(({ path }) => path),
        ["src/retry.ts", "test/retry.test.ts"]
      )
    }))

  test("pull requests from branch to merge", ({ github, octokit }) =>
    Effect.gen(function* () {
      const all = yield* Effect.promise(() =>
        octokit.paginate(github.pulls.list, { ...api, state: "all", per_page: 5 })
      )
      assert.lengthOf(all, 18)

      const main = yield* ask(() => github.git.getRef({ ...api, ref: "heads/main" }))
      yield* ask(() => github.git.createRef({ ...api, ref: "refs/heads/fresh", sha: main.object.sha }))
      const head = "fresh"
      const content = base64("one\ntwo\n")
      yield* ask(() =>
        github.repos.createOrUpdateFileContents({ ...api, path: "fresh.md", branch: head, message: "Fresh", content })
      )
      const made = yield* ask(() => github.pulls.create({ ...api, title: "Fresh", head, base: "main", body: "Look" }))
      assert.deepInclude(made, {
        state: "open",
        merged: false,
        mergeable: true,
        commits: 1,
        additions: 2,
        changed_files: 1
      })
      const at = { ...api, pull_number: made.number }
      const listed = yield* ask(() => github.pulls.list({ ...api, head: "larkspur-labs:fresh", sort: "updated" }))
      assert.deepStrictEqual(
        listed.map(({ number }) => number),
        [made.number]
      )
      const changed = yield* ask(() => github.pulls.update({ ...at, title: "Something fresh" }))
      assert.deepStrictEqual(
        [changed.title, changed.head.label, changed.base.ref],
        ["Something fresh", "larkspur-labs:fresh", "main"]
      )
      const diff = yield* ask(() => github.pulls.get({ ...at, mediaType: { format: "diff" } }))
      assert.include(String(diff), "+++ b/fresh.md\n@@ -0,0 +1,2 @@\n+one\n+two\n")
      const [file] = yield* ask(() => github.pulls.listFiles(at))
      assert.deepInclude(file, { filename: "fresh.md", status: "added", additions: 2 })

      const asked = yield* ask(() =>
        github.pulls.requestReviewers({ ...at, reviewers: ["dmitri-halonen"], team_reviewers: ["platform"] })
      )
      assert.deepStrictEqual(
        asked.requested_reviewers?.map(({ login }) => login),
        ["dmitri-halonen"]
      )
      const merged = yield* ask(() =>
        github.pulls.merge({ ...at, merge_method: "squash", sha: made.head.sha, commit_title: "Fresh (#1)" })
      )
      assert.isTrue(merged.merged)
      const done = yield* ask(() => github.pulls.get(at))
      assert.deepInclude(done, { state: "closed", merged: true, merge_commit_sha: merged.sha })
      assert.strictEqual(done.merged_by?.login, me)
      const again = yield* refusal(() => github.pulls.merge(at))
      assert.deepStrictEqual([again.status, again.message.split(" - ")[0]], [405, "Pull Request is not mergeable"])
    }))

  test("reviews, comments on lines and checks", ({ github, octokit }) =>
    Effect.gen(function* () {
      const pulls = yield* Effect.promise(() => octokit.paginate(github.pulls.list, { ...api, state: "open" }))
      const pull = pulls.find(({ user }) => user?.login !== me)
      const at = { ...api, pull_number: pull?.number ?? 0 }
      const files = yield* ask(() => github.pulls.listFiles({ ...at, per_page: 1 }))
      const path = files[0]?.filename ?? ""
      const review = yield* ask(() =>
        github.pulls.createReview({
          ...at,
          event: "REQUEST_CHANGES",
          body: "Nearly",
          comments: [{ path, line: 1, body: "Why?" }]
        })
      )
      assert.deepInclude(review, { state: "CHANGES_REQUESTED", body: "Nearly", commit_id: pull?.head.sha ?? null })
      assert.deepInclude(yield* ask(() => github.pulls.getReview({ ...at, review_id: review.id })), { id: review.id })
      const reviews = yield* ask(() => github.pulls.listReviews(at))
      assert.include(
        reviews.map(({ id }) => id),
        review.id
      )
      const comments = yield* ask(() => github.pulls.listReviewComments(at))
      const mine = comments.find((one) => one.pull_request_review_id === review.id)
      assert.deepInclude(mine, { path, line: 1, side: "RIGHT", body: "Why?" })
      const comment_id = mine?.id ?? 0
      const reply = yield* ask(() => github.pulls.createReplyForReviewComment({ ...at, comment_id, body: "Because." }))
      assert.deepInclude(reply, { in_reply_to_id: comment_id, body: "Because.", path })
      assert.deepInclude(yield* ask(() => github.pulls.getReviewComment({ ...api, comment_id: reply.id })), {
        id: reply.id
      })

      const checks = yield* ask(() => github.checks.listForRef({ ...api, ref: pull?.head.sha ?? "" }))
      assert.strictEqual(checks.total_count, checks.check_runs.length)
      assert.sameMembers(
        checks.check_runs.map(({ name }) => name),
        ["lint", "test", "types"]
      )
    }))

  test("tells what was wrong, in the library's errors", ({ Connected, fault, github }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* statusOf(() => new Connected({ auth: "made.up" }).rest.users.getAuthenticated()), 401)
      const unknown = yield* refusal(() => github.issues.get({ ...api, issue_number: 999_999 }))
      assert.deepStrictEqual([unknown.status, unknown.message.split(" - ")[0]], [404, "Not Found"])
      const blank = yield* refusal(() => github.issues.create({ ...api, title: "" }))
      assert.deepStrictEqual(
        [blank.status, blank.message.split(" - ")[0]],
        [422, 'Validation Failed: {"resource":"Issue","field":"title","code":"missing_field"}']
      )
      const twice = yield* refusal(() => github.repos.createForAuthenticatedUser({ name: "dotfiles" }))
      assert.include(twice.message, "name already exists on this account")
      yield* fault({ kind: "status", status: 403 })
      const forbidden = yield* refusal(() => github.repos.get(api))
      assert.deepStrictEqual(
        [forbidden.status, forbidden.message.split(" - ")[0]],
        [403, "Resource not accessible by integration"]
      )
      yield* fault({ kind: "status", status: 502 })
      assert.strictEqual(yield* statusOf(() => github.repos.get(api)), 502)
    }))

  test("waits for a limit as the library's own throttling does", ({ Connected, accessToken, fault }) =>
    Effect.gen(function* () {
      const waits: Array<number> = []
      const throttled = new Connected({
        auth: accessToken,
        throttle: {
          onRateLimit: () => false,
          onSecondaryRateLimit: (seconds: number) => waits.push(seconds) === 1,
          retryAfterBaseValue: 1
        }
      })
      yield* fault({ kind: "limit", retryAfter: 45 })
      const { data, headers } = yield* Effect.promise(() => throttled.rest.users.getAuthenticated())
      assert.deepStrictEqual([data.login, waits], [me, [45]])
      assert.isBelow(Number(headers["x-ratelimit-remaining"]), Number(headers["x-ratelimit-limit"]))
      yield* fault({ kind: "limit", retryAfter: 45 })
      assert.strictEqual(yield* statusOf(() => throttled.rest.users.getAuthenticated()), 403)
    }))

  test("signs in, and has its tokens replaced, by the library's own OAuth", ({ Connected, reach, refreshToken }) =>
    Effect.gen(function* () {
      // the key is for what an app does without a user, which nothing here does
      const app = new App({
        appId: 1,
        privateKey: "none",
        oauth: { clientId: "id", clientSecret: "secret" },
        Octokit: Connected
      }).oauth
      const redirectUrl = "https://app.example/callback"
      const consent = new URL(app.getWebFlowAuthorizationUrl({ state: "s", redirectUrl }).url)
      // the sandbox asks every provider for what RFC 6749 requires; GitHub itself does not
      consent.searchParams.set("response_type", "code")
      const body = new URLSearchParams({ decision: "allow" })
      const back = yield* Effect.promise(() => reach(consent.href, { method: "POST", body, redirect: "manual" }))
      const code = new URL(back.headers.get("location") ?? "").searchParams.get("code") ?? ""
      const signedIn = yield* Effect.promise(() => app.createToken({ code, redirectUrl }))
      const whoIs = (auth: string) => ask(() => new Connected({ auth }).rest.users.getAuthenticated())
      assert.strictEqual((yield* whoIs(signedIn.authentication.token)).login, me)

      const { authentication } = yield* Effect.promise(() => app.refreshToken({ refreshToken }))
      assert.strictEqual((yield* whoIs(authentication.token)).login, me)
      assert.isAbove(Date.parse(authentication.refreshTokenExpiresAt), Date.parse(authentication.expiresAt))
      const used = yield* refusal(() => app.refreshToken({ refreshToken }))
      assert.include(used.message, "bad_refresh_token")
      yield* Effect.promise(() => app.refreshToken({ refreshToken: authentication.refreshToken }))
    }))

  it("reached all that is served", () => {
    // a path without a name is the root directory
    assert.deepStrictEqual(uncalled(), ["GET /repos/*/*/contents"])
  })

  it("is answered what its types say, down to the member", () => {
    assert.deepStrictEqual(misfits('import type { Endpoints } from "@octokit/types"', answers), [])
  })
})
