import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { part } from "../Answers.ts"
import { anyText, choice, formed, from, optional, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, id, paging, teamFilter, teamKey } from "./Calls.ts"
import {
  bodyLength,
  cycle,
  label,
  pageInfo,
  projectFields,
  projectLine,
  state,
  team,
  user,
  userFields
} from "./Shapes.ts"

/** Variables of a query for a page. */
const paged = "$first: Int, $after: String"

/** A day, as Linear writes dates without a time. */
export const day = (description: string) => formed(description, /^\d{4}-\d{2}-\d{2}$/, "a day such as 2026-03-31")

const projectInput = {
  summary: optional(anyText("What it is about, at most 255 characters.", 255)),
  content: optional(anyText("The whole text about it, in Markdown.")),
  lead_id: optional(id("person who leads it", "linear_list_users")),
  start_date: optional(day("Day it begins, such as `2026-01-15`.")),
  target_date: optional(day("Day it is to be done, such as `2026-03-31`."))
}

interface ProjectInput {
  readonly summary?: string
  readonly content?: string
  readonly lead_id?: string
  readonly start_date?: string
  readonly target_date?: string
}

const projectValues = ({ content, lead_id, start_date, summary, target_date }: ProjectInput) => ({
  description: summary,
  content,
  leadId: lead_id,
  startDate: start_date,
  targetDate: target_date
})

/** Teams, their states, labels and cycles; people; projects. https://linear.app/developers/graphql */
export const workspaceTools = ({ ask, page, teamId }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "linear_get_me",
    title: "Get the connected Linear user",
    description: "Tells whose Linear account is connected (id, name, e-mail) and which workspace it is in.",
    keywords: ["whoami", "viewer", "current user", "workspace"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(
        ask(connection, {
          operation: "viewer.get",
          query: `{ viewer { ${userFields} } organization { id name urlKey } }`,
          isRead: true
        }),
        (data) => ({ ...user(data["viewer"]), workspace: data["organization"] })
      )
  }),
  tool({
    name: "linear_list_teams",
    title: "List teams",
    description:
      "Lists the teams of the workspace with the keys that other tools take. Issues, states and cycles belong to teams.",
    keywords: ["groups", "team key", "find team"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct(paging),
    run: (connection, paging) =>
      page(
        connection,
        {
          operation: "teams.list",
          query: `query(${paged}) { teams(first: $first, after: $after) { nodes { id key name description cyclesEnabled } ${pageInfo} } }`
        },
        paging,
        { path: "teams", name: "teams", show: team }
      )
  }),
  tool({
    name: "linear_list_states",
    title: "List workflow states",
    description:
      "Lists the states that issues of a team can be in, with ids for linear_create_issue and linear_update_issue. The type tells what a state means: backlog, unstarted, started, completed, canceled.",
    keywords: ["statuses", "workflow", "columns", "done", "in progress"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ team: optional(teamKey), ...paging }),
    run: (connection, { team, ...paging }) =>
      page(
        connection,
        {
          operation: "states.list",
          query: `query(${paged}, $filter: WorkflowStateFilter) { workflowStates(first: $first, after: $after, filter: $filter) { nodes { id name type description team { key } } ${pageInfo} } }`,
          variables: { filter: { team: teamFilter(team) } }
        },
        paging,
        { path: "workflowStates", name: "states", show: state }
      )
  }),
  tool({
    name: "linear_list_labels",
    title: "List labels",
    description:
      "Lists the labels of issues with their ids: those of the workspace, which all teams can use, and those of single teams. Narrow it by `name`.",
    keywords: ["tags", "categories"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ name: optional(text("Part of the name, in any case.", 100)), ...paging }),
    run: (connection, { name, ...paging }) =>
      page(
        connection,
        {
          operation: "labels.list",
          query: `query(${paged}, $filter: IssueLabelFilter) { issueLabels(first: $first, after: $after, filter: $filter) { nodes { id name description team { key } } ${pageInfo} } }`,
          variables: { filter: name === undefined ? undefined : { name: { containsIgnoreCase: name } } }
        },
        paging,
        { path: "issueLabels", name: "labels", show: label }
      )
  }),
  tool({
    name: "linear_list_users",
    title: "List people",
    description:
      "Lists the people of the workspace with their ids, for assigning. Narrow it by part of a name or e-mail address. Several may fit a name: do not guess, ask.",
    keywords: ["members", "find user", "who is", "assignee id", "team mates"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ name: optional(text("Part of the name or e-mail address, in any case.", 100)), ...paging }),
    run: (connection, { name, ...paging }) =>
      page(
        connection,
        {
          operation: "users.list",
          query: `query(${paged}, $filter: UserFilter) { users(first: $first, after: $after, filter: $filter) { nodes { ${userFields} } ${pageInfo} } }`,
          variables: {
            filter:
              name === undefined
                ? undefined
                : { or: [{ name: { containsIgnoreCase: name } }, { email: { containsIgnoreCase: name } }] }
          }
        },
        paging,
        { path: "users", name: "people", show: user }
      )
  }),
  tool({
    name: "linear_list_cycles",
    title: "List cycles",
    description: "Lists the cycles (sprints) of a team, newest first: number, dates, whether it is the active one.",
    keywords: ["sprints", "iterations", "current cycle"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ team: teamKey, ...paging }),
    run: (connection, { team, ...paging }) =>
      page(
        connection,
        {
          operation: "cycles.list",
          query: `query(${paged}, $filter: CycleFilter) { cycles(first: $first, after: $after, filter: $filter) { nodes { id number name startsAt endsAt isActive progress team { key } } ${pageInfo} } }`,
          variables: { filter: { team: teamFilter(team) } }
        },
        paging,
        { path: "cycles", name: "cycles", show: cycle }
      )
  }),
  tool({
    name: "linear_list_projects",
    title: "List projects",
    description:
      "Lists the projects of the workspace with status, lead, dates and progress (from 0 to 1). Narrow it by part of the name, or by the type of the status.",
    keywords: ["initiatives", "roadmap", "find project", "milestones"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({
      name: optional(text("Part of the name, in any case.", 100)),
      status_type: optional(
        choice("Only projects of this type.", "backlog", "planned", "started", "paused", "completed", "canceled")
      ),
      ...paging
    }),
    run: (connection, { name, status_type, ...paging }) =>
      page(
        connection,
        {
          operation: "projects.list",
          query: `query(${paged}, $filter: ProjectFilter) { projects(first: $first, after: $after, filter: $filter) { nodes { ${projectFields} } ${pageInfo} } }`,
          variables: {
            filter: {
              name: name === undefined ? undefined : { containsIgnoreCase: name },
              status: status_type === undefined ? undefined : { type: { eq: status_type } }
            }
          }
        },
        paging,
        { path: "projects", name: "projects", show: projectLine }
      )
  }),
  tool({
    name: "linear_get_project",
    title: "Get a project",
    description:
      "Gets one project with its whole text, 12,000 characters at a time (`next_from` tells where to read on). Its issues come from linear_list_issues with `project_id`.",
    keywords: ["project details", "project brief", "scope"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ project_id: id("project", "linear_list_projects"), from }),
    run: (connection, { from, project_id }) =>
      Effect.map(
        ask(connection, {
          operation: "projects.get",
          query: `query($id: String!) { project(id: $id) { ${projectFields} content } }`,
          variables: { id: project_id },
          isRead: true
        }),
        ({ project }) => ({
          ...projectLine(project),
          ...part("content", getPath(project, "content"), bodyLength, from)
        })
      )
  }),
  tool({
    name: "linear_create_project",
    title: "Create a project",
    description: "Creates a project for a team and answers its id and address.",
    keywords: ["new project", "start project", "plan"],
    hints: hints.create,
    scopes: ["write"],
    input: Schema.Struct({ team: teamKey, name: text("Name of the project.", 80), ...projectInput }),
    run: (connection, { name, team, ...rest }) =>
      Effect.gen(function* () {
        const teamIds = [yield* teamId(connection, team)]
        const { projectCreate } = yield* ask(connection, {
          operation: "projects.create",
          query: `mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { success project { ${projectFields} } } }`,
          variables: { input: { name, teamIds, ...projectValues(rest) } }
        })
        return projectLine(getPath(projectCreate, "project"))
      })
  }),
  tool({
    name: "linear_update_project",
    title: "Update a project",
    description: "Changes a project: name, texts, lead, dates. What is left out stays as it is.",
    keywords: ["edit project", "reschedule", "change lead"],
    hints: hints.update,
    scopes: ["write"],
    input: Schema.Struct({
      project_id: id("project", "linear_list_projects"),
      name: optional(text("The new name.", 80)),
      ...projectInput
    }),
    run: (connection, { name, project_id, ...rest }) =>
      Effect.map(
        ask(connection, {
          operation: "projects.update",
          query: `mutation($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success project { ${projectFields} } } }`,
          variables: { id: project_id, input: { name, ...projectValues(rest) } }
        }),
        ({ projectUpdate }) => projectLine(getPath(projectUpdate, "project"))
      )
  })
]
