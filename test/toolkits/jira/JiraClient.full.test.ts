import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { HttpException, type Version3Models, Version3Client } from "jira.js"
import { cloudIdOf } from "../../../src/toolkits/jira/simulator/Answers.ts"
import { simulator } from "../../../src/toolkits/jira/simulator/JiraSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// The client library of jira.js against the simulator.

const site = Effect.map(onPort(simulator), ({ accessToken, url }) => {
  const host = `${url}/ex/jira/${cloudIdOf("acme")}`
  const clientOf = (token: string) => new Version3Client({ host, authentication: { oauth2: { accessToken: token } } })
  return {
    jira: clientOf(accessToken),
    stranger: clientOf("made.up"),
    misbehave: (does: { readonly kind: string; readonly [member: string]: unknown }) =>
      ask(() => fetch(`${url}/_faults`, { method: "POST", body: JSON.stringify({ does }) }))
  }
})

const test = (name: string, use: (of: Effect.Effect.Success<typeof site>) => Effect.Effect<void, never, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.flatMap(site, use))

const ask = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** The library's error for a failed call, with Jira's answer. */
const failure = (promise: () => Promise<unknown>) =>
  Effect.tryPromise({ try: promise, catch: (error) => error }).pipe(
    Effect.flip,
    Effect.orDieWith(() => new Error("the call succeeded")),
    Effect.filterOrDieMessage((error) => error instanceof HttpException, "the library did not know the error"),
    Effect.map(({ response, status }) => [status, typeof response === "string" ? response : response["data"]])
  )

/** The members of an object are as they should be. */
const holds = (value: object, members: object) => assert.deepInclude(value, members)

const document = (text: string): Version3Models.Document => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }]
})

const made = (jira: Version3Client, fields: { readonly [field: string]: unknown } = {}) =>
  ask(() =>
    jira.issues.createIssue({
      fields: { project: { key: "HARBOR" }, issuetype: { name: "Bug" }, summary: "Scanner beeps twice", ...fields }
    })
  )

describe("jira.js", () => {
  test("knows the site, people, projects, fields and what can be created", ({ jira }) =>
    Effect.gen(function* () {
      const me = yield* ask(() => jira.myself.getCurrentUser())
      assert.deepInclude(me, { displayName: "Mira Okafor", active: true })
      const hannas = yield* ask(() => jira.userSearch.findUsers({ query: "hanna" }))
      assert.lengthOf(hannas, 2)
      assert.deepStrictEqual(yield* ask(() => jira.users.getUser({ accountId: me.accountId })), me)
      const assignable = yield* ask(() => jira.userSearch.findAssignableUsers({ query: "piet", project: "HARBOR" }))
      assert.isTrue(assignable.every(({ active }) => active))

      const projects = yield* ask(() =>
        jira.projects.searchProjects({ orderBy: "name", expand: "lead", maxResults: 2 })
      )
      assert.deepStrictEqual([projects.total, projects.isLast, projects.values.length], [5, false, 2])
      assert.isTrue(projects.values.every(({ lead }) => lead.accountId !== ""))
      const project = yield* ask(() => jira.projects.getProject({ projectIdOrKey: "HARBOR" }))
      assert.deepInclude(project, { key: "HARBOR", name: "Harbor", projectTypeKey: "software" })

      const types = yield* ask(() => jira.issues.getCreateIssueMetaIssueTypes({ projectIdOrKey: "HARBOR" }))
      const bug = types.issueTypes?.find(({ name }) => name === "Bug")
      const meta = yield* ask(() =>
        jira.issues.getCreateIssueMetaIssueTypeId({ projectIdOrKey: "HARBOR", issueTypeId: bug?.id ?? "" })
      )
      assert.sameMembers(meta.fields?.flatMap(({ fieldId, required }) => (required ? [fieldId] : [])) ?? [], [
        "summary",
        "project",
        "issuetype"
      ])
      const fields = yield* ask(() => jira.issueFields.getFields())
      assert.sameMembers(
        fields.map(({ id }) => id),
        meta.fields?.map(({ fieldId }) => fieldId) ?? []
      )
      assert.deepInclude(
        fields.find(({ custom }) => custom),
        { id: "customfield_10016", name: "Story point estimate" }
      )
      const links = yield* ask(() => jira.issueLinkTypes.getIssueLinkTypes())
      assert.sameMembers(links.issueLinkTypes?.map(({ name }) => name) ?? [], ["Blocks", "Duplicate", "Relates"])
      const server = yield* ask(() => jira.serverInfo.getServerInfo())
      assert.strictEqual(server.deploymentType, "Cloud")
    }))

  test("searches with JQL, page by page", ({ jira }) =>
    Effect.gen(function* () {
      const jql = "project = HARBOR AND status != Done ORDER BY created DESC"
      const { count = 0 } = yield* ask(() => jira.issueSearch.countIssues({ jql }))
      assert.isAbove(count, 40)
      const keys: Array<string> = []
      let nextPageToken: string | undefined
      do {
        const token = nextPageToken
        const page = yield* ask(() =>
          jira.issueSearch.searchForIssuesUsingJqlEnhancedSearchPost({
            jql,
            fields: ["summary", "status", "created"],
            maxResults: 30,
            ...(token === undefined ? {} : { nextPageToken: token })
          })
        )
        for (const { fields, key } of page.issues ?? []) {
          assert.hasAllKeys(fields, ["summary", "status", "created"])
          assert.notStrictEqual(fields.status.name, "Done")
          keys.push(key)
        }
        nextPageToken = page.nextPageToken
      } while (nextPageToken !== undefined)
      assert.lengthOf(new Set(keys), count)

      const first = yield* ask(() =>
        jira.issueSearch.searchForIssuesUsingJqlEnhancedSearch({ jql, fields: ["summary"], maxResults: 5 })
      )
      assert.deepStrictEqual(
        first.issues?.map(({ key }) => key),
        keys.slice(0, 5)
      )
      const second = yield* ask(() =>
        jira.issueSearch.searchForIssuesUsingJqlEnhancedSearch({
          jql,
          fields: ["summary"],
          maxResults: 5,
          ...(first.nextPageToken === undefined ? {} : { nextPageToken: first.nextPageToken })
        })
      )
      assert.deepStrictEqual(
        second.issues?.map(({ key }) => key),
        keys.slice(5, 10)
      )
    }))

  test("creates, reads, edits, assigns, moves and deletes issues", ({ jira }) =>
    Effect.gen(function* () {
      const me = yield* ask(() => jira.myself.getCurrentUser())
      const { id, key } = yield* made(jira, {
        description: document("Since 4.1"),
        priority: { name: "High" },
        labels: ["scanner"],
        components: [{ name: "API" }],
        duedate: "2027-01-31",
        customfield_10016: 3
      })
      const read = ask(() => jira.issues.getIssue({ issueIdOrKey: key, expand: "changelog,transitions" }))
      const issue = yield* read
      assert.strictEqual(issue.id, id)
      holds(issue.fields, {
        summary: "Scanner beeps twice",
        labels: ["scanner"],
        duedate: "2027-01-31",
        description: document("Since 4.1"),
        assignee: null,
        resolution: null,
        timespent: null,
        attachment: [],
        customfield_10016: 3
      })
      assert.strictEqual(issue.fields.issuetype?.name, "Bug")
      assert.strictEqual(issue.fields.reporter.accountId, me.accountId)
      assert.strictEqual(issue.fields.status.statusCategory?.key, "new")
      assert.strictEqual(issue.fields.comment.total, 0)
      assert.strictEqual(issue.changelog?.total, 0)
      const brief = yield* ask(() => jira.issues.getIssue({ issueIdOrKey: id, fields: ["summary", "labels"] }))
      assert.hasAllKeys(brief.fields, ["summary", "labels"])

      yield* ask(() =>
        jira.issues.editIssue({
          issueIdOrKey: key,
          fields: { summary: "Scanner beeps thrice", duedate: null, labels: [], description: document("Since 4.2") }
        })
      )
      yield* ask(() => jira.issues.assignIssue({ issueIdOrKey: key, accountId: me.accountId }))
      const edited = yield* read
      holds(edited.fields, { summary: "Scanner beeps thrice", duedate: null, labels: [] })
      assert.strictEqual(edited.fields.assignee.accountId, me.accountId)
      yield* ask(() => jira.issues.assignIssue({ issueIdOrKey: key, accountId: null }))

      const open = yield* ask(() => jira.issues.getTransitions({ issueIdOrKey: key }))
      assert.sameMembers(open.transitions?.map(({ id }) => id) ?? [], issue.transitions?.map(({ id }) => id) ?? [])
      const done = open.transitions?.find(({ to }) => to?.statusCategory?.key === "done")
      yield* ask(() =>
        jira.issues.doTransition({
          issueIdOrKey: key,
          transition: { id: done?.id ?? "" },
          fields: { resolution: { name: "Duplicate" } },
          update: { comment: [{ add: { body: document("Seen before") } }] }
        })
      )
      const moved = yield* read
      assert.deepStrictEqual(
        [moved.fields.status.name, moved.fields.resolution?.name, moved.fields.comment.total],
        ["Done", "Duplicate", 1]
      )
      assert.isString(moved.fields.resolutiondate)
      const history = yield* ask(() => jira.issues.getChangeLogs({ issueIdOrKey: key, maxResults: 2 }))
      assert.deepStrictEqual([history.total, history.isLast, history.values?.length], [4, false, 2])
      assert.includeMembers(history.values?.[0]?.items?.map(({ field }) => field) ?? [], [
        "summary",
        "duedate",
        "labels"
      ])

      yield* ask(() => jira.issues.deleteIssue({ issueIdOrKey: key }))
      assert.deepStrictEqual((yield* failure(() => jira.issues.getIssue({ issueIdOrKey: key })))[0], 404)
    }))

  test("keeps comments and time", ({ jira }) =>
    Effect.gen(function* () {
      const { key: issueIdOrKey } = yield* made(jira)
      for (const words of ["First", "Second", "Third"]) {
        yield* ask(() => jira.issueComments.addComment({ issueIdOrKey, comment: document(words) }))
      }
      const page = yield* ask(() =>
        jira.issueComments.getComments({ issueIdOrKey, startAt: 0, maxResults: 2, orderBy: "-created" })
      )
      assert.strictEqual(page.total, 3)
      assert.deepStrictEqual(
        page.comments?.map(({ body }) => body),
        [document("Third"), document("Second")]
      )
      const id = page.comments?.[0]?.id ?? ""
      const changed = yield* ask(() =>
        jira.issueComments.updateComment({ issueIdOrKey, id, body: document("Third, corrected") })
      )
      assert.deepStrictEqual(changed, yield* ask(() => jira.issueComments.getComment({ issueIdOrKey, id })))
      assert.deepStrictEqual(changed.body, document("Third, corrected"))
      yield* ask(() => jira.issueComments.deleteComment({ issueIdOrKey, id }))
      assert.deepStrictEqual((yield* failure(() => jira.issueComments.getComment({ issueIdOrKey, id })))[0], 404)

      const started = "2027-01-04T09:00:00.000+0000"
      const work = yield* ask(() =>
        jira.issueWorklogs.addWorklog({ issueIdOrKey, timeSpent: "1h 30m", started, comment: document("Measured") })
      )
      assert.deepInclude(work, { timeSpent: "1h 30m", timeSpentSeconds: 5400, started, comment: document("Measured") })
      yield* ask(() => jira.issueWorklogs.addWorklog({ issueIdOrKey, timeSpentSeconds: 600 }))
      const all = yield* ask(() => jira.issueWorklogs.getIssueWorklog({ issueIdOrKey }))
      assert.deepStrictEqual(all.worklogs[0], work)
      assert.strictEqual(all.total, 2)
      const { fields } = yield* ask(() => jira.issues.getIssue({ issueIdOrKey }))
      assert.deepStrictEqual([fields.timespent, fields.timetracking.timeSpentSeconds], [6000, 6000])
      assert.deepStrictEqual(fields.worklog.worklogs, all.worklogs)
    }))

  test("links issues, and takes links away", ({ jira }) =>
    Effect.gen(function* () {
      const [one, other] = [yield* made(jira), yield* made(jira)]
      yield* ask(() =>
        jira.issueLinks.linkIssues({
          type: { name: "Blocks" },
          inwardIssue: { key: one.key },
          outwardIssue: { key: other.key }
        })
      )
      const linksOf = ({ key }: { readonly key: string }) =>
        Effect.map(
          ask(() => jira.issues.getIssue({ issueIdOrKey: key, fields: ["issuelinks"] })),
          ({ fields }) => fields.issuelinks
        )
      const [seen] = yield* linksOf(one)
      assert.strictEqual(seen?.outwardIssue?.key, other.key)
      assert.isUndefined(seen?.inwardIssue)
      assert.strictEqual((yield* linksOf(other))[0]?.inwardIssue?.key, one.key)
      const linkId = seen?.id ?? ""
      const link = yield* ask(() => jira.issueLinks.getIssueLink({ linkId }))
      assert.deepStrictEqual(
        [link.type?.outward, link.inwardIssue?.key, link.outwardIssue?.key],
        ["blocks", one.key, other.key]
      )
      yield* ask(() => jira.issueLinks.deleteIssueLink({ linkId }))
      assert.deepStrictEqual(yield* linksOf(one), [])
      assert.deepStrictEqual((yield* failure(() => jira.issueLinks.getIssueLink({ linkId })))[0], 404)
    }))

  test("throws the errors of the library, with Jira's answers", ({ jira, misbehave, stranger }) =>
    Effect.gen(function* () {
      const me = () => jira.myself.getCurrentUser()
      assert.deepStrictEqual(yield* failure(() => stranger.myself.getCurrentUser()), [
        401,
        { code: 401, message: "Unauthorized" }
      ])
      assert.deepStrictEqual(yield* failure(() => jira.issues.getIssue({ issueIdOrKey: "HARBOR-9999" })), [
        404,
        { errorMessages: ["Issue does not exist or you do not have permission to see it."], errors: {} }
      ])
      const wrong = { project: { key: "HARBOR" }, issuetype: { name: "Bug" }, summary: "", duedate: "soon" }
      assert.deepStrictEqual(yield* failure(() => jira.issues.createIssue({ fields: wrong })), [
        400,
        {
          errorMessages: [],
          errors: {
            summary: "You must specify a summary of the issue.",
            duedate: "Error parsing date string: soon"
          }
        }
      ])
      const [status] = yield* failure(() => jira.issueSearch.countIssues({ jql: "colour = red" }))
      assert.strictEqual(status, 400)
      yield* misbehave({ kind: "limit", retryAfter: 30 })
      assert.deepStrictEqual((yield* failure(me))[0], 429)
      yield* misbehave({ kind: "status", status: 403 })
      assert.deepStrictEqual((yield* failure(me))[0], 403)
      yield* misbehave({ kind: "status", status: 500 })
      assert.deepStrictEqual((yield* failure(me))[0], 500)
    }))
})
