import { assert, describe, it } from "@effect/vitest"
import {
  AuthenticationLinearError,
  ForbiddenLinearError,
  GraphqlLinearError,
  InternalLinearError,
  InvalidInputLinearError,
  type Issue,
  LinearClient,
  LinearDocument,
  LinearError,
  RatelimitedLinearError
} from "@linear/sdk"
import { Effect, type Scope } from "effect"
import { simulator } from "../../../src/toolkits/linear/simulator/LinearSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// Linear's own client library against the simulator: it asks for every field of what it reads.

const workspace = Effect.map(onPort(simulator), ({ accessToken, url }) => ({
  linear: new LinearClient({ accessToken, apiUrl: `${url}/graphql` }),
  stranger: new LinearClient({ accessToken: "made.up", apiUrl: `${url}/graphql` }),
  misbehave: (does: { readonly kind: string; readonly [member: string]: unknown }) =>
    ask(() => fetch(`${url}/_faults`, { method: "POST", body: JSON.stringify({ does }) }))
}))

const test = (
  name: string,
  use: (of: Effect.Effect.Success<typeof workspace>) => Effect.Effect<void, never, Scope.Scope>
) => it.scopedLive(name, () => Effect.flatMap(workspace, use))

const ask = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** A linked object, which the library reads when it is looked at. */
const there = <A>(promise: () => Promise<A | undefined> | undefined) =>
  Effect.flatMap(
    ask(() => promise() ?? Promise.resolve(undefined)),
    (found) => (found === undefined ? Effect.dieMessage("nothing is linked") : Effect.succeed(found))
  )

/** The library's error for a failed call. */
const failure = (promise: () => Promise<unknown>) =>
  Effect.tryPromise({ try: promise, catch: (error) => error }).pipe(
    Effect.flip,
    Effect.orDieWith(() => new Error("the call succeeded")),
    Effect.filterOrDieMessage((error) => error instanceof LinearError, "the library did not know the error")
  )

const team = (linear: LinearClient, key: string) =>
  there(async () => (await linear.teams({ filter: { key: { eq: key } } })).nodes[0])

const ids = (nodes: ReadonlyArray<{ readonly id: string }>) => nodes.map(({ id }) => id)

describe("@linear/sdk", () => {
  test("reads the workspace, its people, teams, states, labels, cycles and projects", ({ linear }) =>
    Effect.gen(function* () {
      const viewer = yield* ask(() => linear.viewer)
      assert.deepInclude({ ...viewer }, { name: "Mira Okafor", isMe: true, active: true, initials: "MO" })
      assert.instanceOf(viewer.createdAt, Date)
      const organization = yield* ask(() => linear.organization)
      assert.deepInclude({ ...organization }, { name: "Larkspur Labs", userCount: 9 })
      assert.lengthOf(organization.projectStatuses, 5)
      const people = yield* ask(() => linear.users({ filter: { name: { startsWith: "Hanna" } } }))
      assert.lengthOf(people.nodes, 2)
      assert.strictEqual((yield* ask(() => linear.user(viewer.id))).email, viewer.email)

      const harbor = yield* team(linear, "HAR")
      assert.deepInclude({ ...harbor }, { name: "Harbor", displayName: "Harbor", cyclesEnabled: true, private: false })
      assert.isAbove(harbor.issueCount, 100)
      const states = yield* ask(() => harbor.states())
      assert.sameMembers(
        states.nodes.map(({ name }) => name),
        ["Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled"]
      )
      assert.strictEqual((yield* there(() => harbor.defaultIssueState)).type, "backlog")
      const all = yield* ask(() => linear.workflowStates({ filter: { team: { id: { eq: harbor.id } } } }))
      assert.sameMembers(ids(all.nodes), ids(states.nodes))
      assert.deepStrictEqual(
        (yield* ask(() => harbor.labels())).nodes.map(({ name }) => name),
        ["Carrier outage"]
      )
      const labels = yield* ask(() => linear.issueLabels())
      const own = yield* there(() => labels.nodes.find(({ name }) => name === "Carrier outage")?.team)
      assert.strictEqual(own.id, harbor.id)
      assert.lengthOf((yield* ask(() => harbor.members())).nodes, organization.userCount)

      const cycles = yield* ask(() => linear.cycles({ filter: { team: { key: { eq: "HAR" } } } }))
      assert.lengthOf(cycles.nodes, 14)
      for (const { endsAt, isActive, isFuture, isPast, startsAt } of cycles.nodes) {
        assert.isBelow(startsAt.getTime(), endsAt.getTime())
        assert.lengthOf([isPast, isActive, isFuture].filter(Boolean), 1)
      }
      const [cycle] = cycles.nodes
      assert.strictEqual((yield* there(() => cycle?.team)).key, "HAR")
      assert.deepStrictEqual(ids((yield* ask(() => harbor.cycles())).nodes), ids(cycles.nodes))

      const projects = yield* ask(() => linear.projects({ filter: { name: { eq: "New billing page" } } }))
      const [project] = projects.nodes
      assert.deepInclude(project, { name: "New billing page", priority: 3, state: "completed" })
      assert.strictEqual((yield* there(() => project?.status)).type, "completed")
      assert.isString((yield* there(() => project?.lead)).name)
      assert.deepStrictEqual(
        (yield* there(() => project?.teams())).nodes.map(({ key }) => key),
        ["WEB"]
      )
      const [issue] = (yield* there(() => project?.issues({ first: 1 }))).nodes
      assert.strictEqual(issue?.projectId, project?.id)
    }))

  test("reads an issue with all it is linked to", ({ linear }) =>
    Effect.gen(function* () {
      const issue = yield* ask(() => linear.issue("HAR-5"))
      assert.deepInclude(issue, {
        identifier: "HAR-5",
        number: 5,
        labelIds: ids((yield* ask(() => issue.labels())).nodes)
      })
      assert.match(issue.url, /^https:\/\/linear\.app\/.+\/issue\/HAR-5\//)
      assert.instanceOf(issue.updatedAt, Date)
      assert.strictEqual((yield* there(() => issue.team)).key, "HAR")
      assert.strictEqual((yield* there(() => issue.state)).id, issue.stateId)
      assert.strictEqual((yield* there(() => issue.creator)).id, issue.creatorId)
      const comments = yield* ask(() => issue.comments({ first: 10 }))
      const [comment] = comments.nodes
      assert.strictEqual((yield* there(() => comment?.issue)).id, issue.id)
      assert.isString((yield* there(() => comment?.user)).name)
      assert.strictEqual(
        (yield* ask(() => linear.comment({ hash: comment?.url.split("#comment-")[1] ?? "" }))).body,
        comment?.body
      )
      while (comments.pageInfo.hasNextPage) yield* ask(() => comments.fetchNext())
      assert.lengthOf(new Set(ids(comments.nodes)), 34)

      const relations = yield* ask(() => linear.issueRelations({ first: 1 }))
      const [relation] = relations.nodes
      const related = yield* there(() => relation?.issue)
      assert.include(ids((yield* ask(() => related.relations())).nodes), relation?.id)
      const children = yield* ask(() => linear.paginate(linear.issues, { filter: { team: { key: { eq: "WEB" } } } }))
      const child = children.find(({ parentId }) => parentId !== undefined)
      const parent = yield* there(() => child?.parent)
      assert.include(ids((yield* ask(() => parent.children())).nodes), child?.id)
    }))

  test("walks lists forwards and back, each entry once, in the order asked for", ({ linear }) =>
    Effect.gen(function* () {
      const filter = { team: { key: { eq: "HAR" } } }
      const whole = yield* ask(() => linear.paginate(linear.issues, { filter, first: 30 }))
      assert.isAbove(whole.length, 100)
      assert.lengthOf(new Set(ids(whole)), whole.length)
      const times = whole.map(({ createdAt }) => createdAt.getTime())
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => b - a)
      )

      const forwards = yield* ask(() => linear.issues({ filter, first: 7 }))
      assert.isFalse(forwards.pageInfo.hasPreviousPage)
      yield* ask(() => forwards.fetchNext())
      assert.deepStrictEqual(ids(forwards.nodes), ids(whole.slice(0, 14)))

      const backwards = yield* ask(() => linear.issues({ filter, last: 7 }))
      assert.deepStrictEqual(ids(backwards.nodes), ids(whole.slice(-7)))
      yield* ask(() => backwards.fetchPrevious())
      assert.deepStrictEqual(ids(backwards.nodes), ids(whole.slice(-14)))

      const archived = yield* ask(() => linear.paginate(linear.issues, { filter, includeArchived: true }))
      assert.isAbove(archived.length, whole.length)

      const { Ascending, Descending } = LinearDocument.PaginationSortOrder
      const sorted = yield* ask(() =>
        linear.issues({
          filter,
          first: 100,
          sort: [{ estimate: { order: Descending } }, { title: { order: Ascending } }]
        })
      )
      const estimates = sorted.nodes.map(({ estimate }) => estimate ?? -1)
      assert.deepStrictEqual(
        estimates,
        estimates.toSorted((a, b) => b - a)
      )
      const updated = yield* ask(() => linear.issues({ orderBy: LinearDocument.PaginationOrderBy.UpdatedAt }))
      assert.lengthOf(updated.nodes, 50)
      assert.isAtLeast(Number(updated.nodes[0]?.updatedAt), Number(updated.nodes[49]?.updatedAt))

      const mine = yield* ask(async () => (await linear.viewer).assignedIssues({ first: 5 }))
      assert.lengthOf(mine.nodes, 5)
      const viewer = yield* ask(() => linear.viewer)
      assert.isTrue(mine.nodes.every(({ assigneeId }) => assigneeId === viewer.id))
    }))

  test("searches issues by words", ({ linear }) =>
    Effect.gen(function* () {
      const wanted = yield* ask(() => linear.issue("HAR-3"))
      const found = yield* ask(() => linear.searchIssues(wanted.title, { includeComments: true }))
      assert.isAbove(found.totalCount, 0)
      const hit = found.nodes.find(({ id }) => id === wanted.id)
      assert.deepInclude(hit, { identifier: "HAR-3", title: wanted.title })
      assert.strictEqual((yield* there(() => hit?.team)).key, "HAR")
      const web = yield* team(linear, "WEB")
      const elsewhere = yield* ask(() => linear.searchIssues(wanted.title, { teamId: web.id }))
      assert.notInclude(ids(elsewhere.nodes), wanted.id)
    }))

  test("creates, changes, archives, deletes and brings back issues", ({ linear }) =>
    Effect.gen(function* () {
      const harbor = yield* team(linear, "HAR")
      const viewer = yield* ask(() => linear.viewer)
      const labels = yield* ask(() => linear.issueLabels({ filter: { name: { in: ["Bug", "Chore"] } } }))
      const [bug = "", chore = ""] = ids(labels.nodes)
      const payload = yield* ask(() =>
        linear.createIssue({
          teamId: harbor.id,
          title: "Scanner beeps twice",
          description: "Since **4.1**",
          priority: 2,
          estimate: 3,
          dueDate: "2027-01-31",
          labelIds: [bug],
          assigneeId: viewer.id
        })
      )
      assert.isTrue(payload.success)
      const made: Issue = yield* there(() => payload.issue)
      assert.deepInclude(made, {
        title: "Scanner beeps twice",
        priorityLabel: "High",
        estimate: 3,
        labelIds: [bug],
        assigneeId: viewer.id
      })
      assert.strictEqual((yield* there(() => made.state)).name, "Backlog")

      const states = yield* ask(() => harbor.states())
      const stateOf = (type: string) => states.nodes.find((state) => state.type === type)?.id ?? ""
      const change = (input: Parameters<LinearClient["updateIssue"]>[1]) =>
        Effect.flatMap(
          ask(() => linear.updateIssue(made.id, input)),
          ({ issue }) => there(() => issue)
        )
      const begun = yield* change({ stateId: stateOf("started"), addedLabelIds: [chore], assigneeId: null })
      assert.instanceOf(begun.startedAt, Date)
      assert.isUndefined(begun.assigneeId)
      assert.sameMembers(begun.labelIds, [bug, chore])
      const done = yield* change({ stateId: stateOf("completed"), removedLabelIds: [bug], dueDate: null })
      assert.instanceOf(done.completedAt, Date)
      assert.deepStrictEqual([done.labelIds, done.startedAt, done.dueDate], [[chore], begun.startedAt, undefined])
      const dropped = yield* change({ stateId: stateOf("canceled") })
      assert.deepStrictEqual([dropped.completedAt, dropped.canceledAt instanceof Date], [undefined, true])

      const other = yield* ask(() => linear.issue("HAR-1"))
      const relation = yield* ask(() =>
        linear.createIssueRelation({
          issueId: made.id,
          relatedIssueId: other.id,
          type: LinearDocument.IssueRelationType.Blocks
        })
      )
      assert.strictEqual((yield* there(() => relation.issueRelation)).relatedIssueId, other.id)

      const isListed = Effect.map(
        ask(() => linear.issues({ filter: { id: { eq: made.id } } })),
        ({ nodes }) => nodes.length === 1
      )
      const again = () => ask(() => linear.issue(made.id))
      const archived = yield* ask(() => linear.archiveIssue(made.id))
      assert.deepStrictEqual([archived.success, archived.entityId], [true, made.id])
      assert.isFalse(yield* isListed)
      assert.isUndefined((yield* again()).trashed)
      yield* ask(() => linear.unarchiveIssue(made.id))
      assert.isTrue(yield* isListed)
      yield* ask(() => linear.deleteIssue(made.id))
      const trashed = yield* again()
      assert.deepStrictEqual([trashed.trashed, trashed.archivedAt instanceof Date], [true, true])
      yield* ask(() => linear.unarchiveIssue(made.id))
      assert.isUndefined((yield* again()).trashed)
      yield* ask(() => linear.deleteIssue(made.id, { permanentlyDelete: true }))
      assert.instanceOf(yield* failure(() => linear.issue(made.id)), InvalidInputLinearError)
    }))

  test("writes, edits, answers and deletes comments", ({ linear }) =>
    Effect.gen(function* () {
      const issue = yield* ask(() => linear.issue("WEB-2"))
      const written = yield* ask(() => linear.createComment({ issueId: "WEB-2", body: "Seen here, too" }))
      const comment = yield* there(() => written.comment)
      assert.deepStrictEqual(
        [comment.body, comment.issueId, comment.parentId, comment.editedAt],
        ["Seen here, too", issue.id, undefined, undefined]
      )
      const reply = yield* ask(() =>
        linear.createComment({ issueId: issue.id, parentId: comment.id, body: "And there" })
      )
      const answer = yield* there(() => reply.comment)
      // the library does not say by itself whose children it asks for
      assert.deepStrictEqual(ids((yield* ask(() => comment.children({ id: comment.id }))).nodes), [answer.id])
      yield* ask(() => linear.updateComment(comment.id, { body: "Seen **here**" }))
      const read = yield* ask(() => linear.comment({ id: comment.id }))
      assert.deepStrictEqual([read.body, read.editedAt instanceof Date], ["Seen **here**", true])
      const deleted = yield* ask(() => linear.deleteComment(answer.id))
      assert.deepStrictEqual([deleted.success, deleted.entityId], [true, answer.id])
      const left = yield* ask(() => linear.comments({ filter: { issue: { id: { eq: issue.id } } } }))
      assert.notInclude(ids(left.nodes), answer.id)
      const others = left.nodes.find(({ userId }) => userId !== comment.userId)
      const refused = yield* failure(() => linear.updateComment(others?.id ?? "", { body: "Mine" }))
      assert.instanceOf(refused, ForbiddenLinearError)
    }))

  test("creates and changes projects", ({ linear }) =>
    Effect.gen(function* () {
      const web = yield* team(linear, "WEB")
      const viewer = yield* ask(() => linear.viewer)
      const made = yield* ask(() =>
        linear.createProject({ name: "Dark mode", teamIds: [web.id], description: "At last", targetDate: "2027-03-31" })
      )
      const project = yield* there(() => made.project)
      assert.deepStrictEqual(
        [project.name, project.description, project.targetDate, project.progress],
        ["Dark mode", "At last", "2027-03-31", 0]
      )
      assert.strictEqual((yield* there(() => project.status)).name, "Backlog")
      yield* ask(() => linear.updateProject(project.id, { leadId: viewer.id, content: "# Why", targetDate: null }))
      const read = yield* ask(() => linear.project(project.id))
      assert.deepStrictEqual([read.leadId, read.content, read.targetDate], [viewer.id, "# Why", undefined])
      assert.include(ids((yield* ask(() => web.projects())).nodes), project.id)
    }))

  test("throws the errors of the library", ({ linear, misbehave, stranger }) =>
    Effect.gen(function* () {
      assert.instanceOf(yield* failure(() => stranger.viewer), AuthenticationLinearError)
      const missing = yield* failure(() => linear.issue("HAR-9999"))
      assert.instanceOf(missing, InvalidInputLinearError)
      assert.deepStrictEqual(
        missing.errors?.map(({ message, path, userError }) => [message, path, userError]),
        [["Could not find referenced Issue.", ["issue"], true]]
      )
      const harbor = yield* team(linear, "HAR")
      const empty = yield* failure(() => linear.createIssue({ teamId: harbor.id, title: " " }))
      assert.instanceOf(empty, InvalidInputLinearError)
      assert.include(empty.message, "title should not be empty")
      const tooMany = yield* failure(() => linear.client.rawRequest("{ issues(first: 251) { nodes { id } } }"))
      assert.include(tooMany.message, "first must be between 1 and 250")
      const tooComplex = yield* failure(() => linear.issues({ first: 250 }))
      assert.include(tooComplex.message, "Query is too complex")
      const misspelt = yield* failure(() => linear.client.rawRequest("{ viewer { shoeSize } }"))
      assert.instanceOf(misspelt, GraphqlLinearError)
      assert.include(misspelt.message, 'Cannot query field "shoeSize" on type "User".')

      yield* misbehave({ kind: "limit", retryAfter: 30 })
      const limited = yield* failure(() => linear.viewer)
      assert.instanceOf(limited, RatelimitedLinearError)
      assert.deepInclude(limited, { status: 400, retryAfter: 30, requestsLimit: 5000, requestsRemaining: 0 })
      yield* misbehave({ kind: "status", status: 403 })
      assert.instanceOf(yield* failure(() => linear.viewer), ForbiddenLinearError)
      yield* misbehave({ kind: "status", status: 500 })
      assert.instanceOf(yield* failure(() => linear.viewer), InternalLinearError)
    }))
})
