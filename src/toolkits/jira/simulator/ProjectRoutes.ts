import { Either } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, failure, ok, pageOf, paging, queryOf, route, selfOf, site } from "./Answers.ts"
import { findIssue, findProject, me, noIssue, priorities, type Project, projects, types, users } from "./Tables.ts"
import { componentView, fullProjectView, priorityView, projectView, typeView, userView, versionView } from "./Views.ts"

const projectOf = (request: SimulatedRequest, account: Account): Answered<Project> => {
  const name = request.params.project ?? ""
  const found = findProject(account, name)
  return found === undefined
    ? Either.left(failure(404, [`No project could be found with key '${name}'.`]))
    : Either.right(found)
}

/** Fields of issues, those that a new one can have. */
const issueFields = [
  { id: "summary", name: "Summary", type: "string" },
  { id: "project", name: "Project", type: "project" },
  { id: "issuetype", name: "Issue Type", type: "issuetype" },
  { id: "description", name: "Description", type: "string" },
  { id: "priority", name: "Priority", type: "priority" },
  { id: "labels", name: "Labels", type: "array" },
  { id: "assignee", name: "Assignee", type: "user" },
  { id: "components", name: "Components", type: "array" },
  { id: "fixVersions", name: "Fix versions", type: "array" },
  { id: "duedate", name: "Due date", type: "date" },
  { id: "parent", name: "Parent", type: "issuelink" },
  { id: "customfield_10016", name: "Story point estimate", type: "number" }
] as const

const schemaOf = (id: string, type: string) => ({
  type,
  ...(type === "array" ? { items: id === "labels" ? "string" : id === "components" ? "component" : "version" } : {}),
  ...(id.startsWith("customfield_")
    ? { custom: "com.pyxis.greenhopper.jira:jsw-story-points", customId: Number(id.replace("customfield_", "")) }
    : { system: id })
})

const fieldView = ({ id, name, type }: (typeof issueFields)[number]) => ({
  id,
  key: id,
  name,
  custom: id.startsWith("customfield_"),
  orderable: true,
  navigable: true,
  searchable: true,
  clauseNames: id.startsWith("customfield_") ? [`cf[${id.replace("customfield_", "")}]`, name] : [id],
  schema: schemaOf(id, type)
})

const metaOf = (account: Account, project: Project) => {
  const allowed: { readonly [id: string]: ReadonlyArray<object> } = {
    priority: priorities.map(({ name }) => priorityView(account, name)),
    components: project.components.map((one) => componentView(account, one)),
    fixVersions: project.versions.map((one) => versionView(account, one))
  }
  return issueFields.map(({ id, name, type }) => ({
    fieldId: id,
    key: id,
    name,
    required: ["summary", "project", "issuetype"].includes(id),
    hasDefaultValue: id === "priority",
    operations: ["set"],
    schema: schemaOf(id, type),
    ...(allowed[id] === undefined ? {} : { allowedValues: allowed[id] })
  }))
}

/** People by the beginning of a word of their name, or by their address. */
const peopleOf = (account: Account, query: string) =>
  users.all(account).filter(
    ({ email, name }) =>
      email.toLowerCase() === query.toLowerCase() ||
      name
        .toLowerCase()
        .split(" ")
        .some((part) => part.startsWith(query.toLowerCase())) ||
      name.toLowerCase().startsWith(query.toLowerCase())
  )

const orders = { name: (one: Project) => one.name, key: (one: Project) => one.key }

/** Projects, what can be created in them, fields, and people. */
export const projectRoutes: ReadonlyArray<Route> = [
  route("GET", "/serverInfo", () =>
    Either.right(ok({ baseUrl: site, version: "1001.0.0-SNAPSHOT", deploymentType: "Cloud", serverTitle: "Jira" }))
  ),
  route("GET", "/myself", (_, account) => {
    const user = users.get(account, me)
    return user === undefined
      ? Either.left(failure(404, ["User not found"]))
      : Either.right(ok(userView(account, user)))
  }),
  route("GET", "/project/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", "orderBy", "expand", ...paging])
      const part = (query("query") ?? "").toLowerCase()
      const order = query("orderBy") === "name" ? orders.name : orders.key
      const all = projects
        .all(account)
        .filter(({ key, name }) => key.toLowerCase().includes(part) || name.toLowerCase().includes(part))
        .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 50)
      const view = (query("expand") ?? "").includes("lead") ? fullProjectView : projectView
      return ok({
        self: selfOf(account, "project/search"),
        maxResults,
        startAt,
        total: all.length,
        isLast: startAt + entries.length >= all.length,
        values: entries.map((one) => view(account, one))
      })
    })
  ),
  route("GET", "/project/:project", (request, account) =>
    Either.map(projectOf(request, account), (project) => ok(fullProjectView(account, project)))
  ),
  route("GET", "/issue/createmeta/:project/issuetypes", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      yield* projectOf(request, account)
      const { entries, maxResults, startAt } = yield* pageOf(query, types, 50)
      return ok({
        maxResults,
        startAt,
        total: types.length,
        issueTypes: entries.map(({ name }) => typeView(account, name))
      })
    })
  ),
  route("GET", "/issue/createmeta/:project/issuetypes/:type", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      const project = yield* projectOf(request, account)
      if (!types.some(({ id }) => id === request.params.type)) {
        return yield* Either.left(failure(404, ["The issue type does not exist."]))
      }
      const all = metaOf(account, project)
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 50)
      return ok({ maxResults, startAt, total: all.length, fields: entries })
    })
  ),
  route("GET", "/field", () => Either.right(ok(issueFields.map(fieldView)))),
  route("GET", "/user", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["accountId", "expand"])
      const user = users.get(account, query("accountId") ?? "")
      return user === undefined
        ? yield* Either.left(failure(404, ["Specified user does not exist or you do not have required permissions"]))
        : ok(userView(account, user))
    })
  ),
  route("GET", "/user/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", ...paging])
      const { entries } = yield* pageOf(query, peopleOf(account, query("query") ?? ""), 50, 1000)
      return ok(entries.map((user) => userView(account, user)))
    })
  ),
  route("GET", "/user/assignable/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", "project", "issueKey", ...paging])
      const [project, issue] = [query("project"), query("issueKey")]
      if (project === undefined && issue === undefined) {
        return yield* Either.left(failure(400, ["Please provide a project, an issue key or an issue id."]))
      }
      if (issue !== undefined && findIssue(account, issue) === undefined) return yield* Either.left(noIssue)
      if (project !== undefined && findProject(account, project) === undefined) {
        return yield* Either.left(failure(404, [`No project could be found with key '${project}'.`]))
      }
      const all = peopleOf(account, query("query") ?? "").filter(({ active }) => active)
      const { entries } = yield* pageOf(query, all, 50, 1000)
      return ok(entries.map((user) => userView(account, user)))
    })
  )
]
