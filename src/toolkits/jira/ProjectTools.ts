import { Effect, Schema } from "effect"
import { optional, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, issueKey, paging, projectKey, root } from "./Calls.ts"
import { createField, issueType, linkType, person, project, projectDetails } from "./Shapes.ts"

/** Projects, what can be created in them, and people. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/ */
export const projectTools = ({ one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "jira_get_me",
    title: "Get the connected Jira user",
    description:
      "Tells whose Jira account is connected: account id, name, e-mail. In JQL the same user is `currentUser()`.",
    keywords: ["whoami", "current user", "my account id"],
    hints: hints.read,
    scopes: ["read:jira-user"],
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(one(connection, { operation: "users.me", method: "GET", path: `${root}/myself` }), person)
  }),
  tool({
    name: "jira_list_projects",
    title: "List projects",
    description:
      "Lists the Jira projects that the account can see, by name, with the keys that other tools and JQL need. Narrow it with `query`.",
    keywords: ["boards", "spaces", "find project", "project key"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({
      query: optional(text("Part of the name or key of the project.", 255)),
      ...paging
    }),
    run: (connection, { query, ...paged }) =>
      page(
        connection,
        {
          operation: "projects.list",
          method: "GET",
          path: `${root}/project/search`,
          query: { query, orderBy: "name", expand: "lead" }
        },
        paged,
        { name: "projects", member: "values", show: project }
      )
  }),
  tool({
    name: "jira_get_project",
    title: "Get a project",
    description:
      "Gets one project: lead, components, versions, and the types of issues it has. Use it before creating issues with components or versions.",
    keywords: ["project details", "components", "versions", "releases"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ project: projectKey }),
    run: (connection, params) =>
      Effect.map(
        one(connection, { operation: "projects.get", method: "GET", path: `${root}/project/:project`, params }),
        projectDetails
      )
  }),
  tool({
    name: "jira_list_issue_types",
    title: "List issue types",
    description:
      "Lists the types of issues that can be created in a project (such as Bug, Story, Task), with ids for jira_get_create_fields.",
    keywords: ["bug", "story", "task", "epic", "what can I create"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ project: projectKey, ...paging }),
    run: (connection, { project, ...paged }) =>
      page(
        connection,
        {
          operation: "issueTypes.list",
          method: "GET",
          path: `${root}/issue/createmeta/:project/issuetypes`,
          params: { project }
        },
        paged,
        { name: "issue_types", member: "issueTypes", show: issueType }
      )
  }),
  tool({
    name: "jira_get_create_fields",
    title: "List fields for a new issue",
    description:
      "Lists the fields that a new issue of a type can have in a project: ids, which are required, and the values they allow. Use it when jira_create_issue says that a field is missing or wrong.",
    keywords: ["required fields", "custom fields", "create screen", "allowed values"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({
      project: projectKey,
      issue_type: text("Id of the type, from jira_list_issue_types.", 20),
      ...paging
    }),
    run: (connection, { issue_type, project, ...paged }) =>
      page(
        connection,
        {
          operation: "fields.list",
          method: "GET",
          path: `${root}/issue/createmeta/:project/issuetypes/:type`,
          params: { project, type: issue_type }
        },
        paged,
        { name: "fields", member: "fields", show: createField }
      )
  }),
  tool({
    name: "jira_search_users",
    title: "Search people",
    description:
      "Finds people by name or e-mail and answers their account ids, which assigning and JQL need. With `issue` or `project` it finds only those who can be assigned there. Several may fit a name: do not guess, ask.",
    keywords: ["find user", "account id", "who is", "assignable", "team member"],
    hints: hints.read,
    scopes: ["read:jira-user"],
    input: Schema.Struct({
      query: text("Beginning of a name, or an e-mail address.", 255),
      issue: optional(issueKey.annotations({ description: "Only people who can be assigned to this issue." })),
      project: optional(projectKey.annotations({ description: "Only people who can be assigned in this project." })),
      ...paging
    }),
    run: (connection, { issue, project, query, ...paged }) =>
      page(
        connection,
        {
          operation: "users.search",
          method: "GET",
          path: issue === undefined && project === undefined ? `${root}/user/search` : `${root}/user/assignable/search`,
          query: { query, issueKey: issue, project: issue === undefined ? project : undefined }
        },
        paged,
        { name: "people", show: person }
      )
  }),
  tool({
    name: "jira_list_link_types",
    title: "List types of links",
    description:
      "Lists the ways in which issues can be linked, such as `Blocks`, with their words for both directions.",
    keywords: ["dependencies", "blocks", "relates to", "duplicates"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(
        one(connection, { operation: "linkTypes.list", method: "GET", path: `${root}/issueLinkType` }),
        ({ issueLinkTypes }) => ({ link_types: Array.isArray(issueLinkTypes) ? issueLinkTypes.map(linkType) : [] })
      )
  })
]
