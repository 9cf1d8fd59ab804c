import { firm } from "../../../src/providers/simulation/SampleSoftware.ts"
import { cloudIdOf } from "../../../src/toolkits/jira/simulator/Answers.ts"
import { me } from "../../../src/toolkits/jira/simulator/Tables.ts"
import type { Requests } from "../Ask.ts"

const bearer = (token: string) => `Bearer ${token}`

const repository = "/repos/{id}/{repo}"

const github: Requests = {
  authorization: bearer,
  address: (path) => path.replace(repository, `/repos/${firm.slug}/harbor-api`),
  records: {
    "*": "",
    [`PUT ${repository}/contents/{path}`]: "content"
  },
  id: "number",
  first: [`POST ${repository}/git/refs`, `PUT ${repository}/contents/{path}`],
  query: {
    [`GET ${repository}/issues`]: { state: "all", per_page: "50" },
    [`GET ${repository}/pulls`]: { state: "all", per_page: "50" },
    "GET /user/repos": { per_page: "50" }
  },
  named: {
    issue: { request: `GET ${repository}/issues`, where: { pull_request: undefined } },
    pull: { request: `GET ${repository}/pulls` },
    openPull: { request: `GET ${repository}/pulls`, where: { state: "open", draft: false } },
    reviewedPull: { request: `GET ${repository}/pulls/47` },
    review: { request: `GET ${repository}/pulls/47/reviews`, id: "id" },
    path: { request: `GET ${repository}/contents`, where: { type: "file" }, id: "path" },
    assignee: { request: `GET ${repository}/assignees`, id: "login" },
    head: { request: `GET ${repository}/branches`, where: { name: "main" }, id: "commit.sha" }
  },
  ids: { [`GET ${repository}/pulls/{reviewedPull}/reviews/{id}`]: "review" },
  bodies: {
    [`PATCH ${repository}/issues/{issue}`]: [{ title: "Renamed" }],
    [`PATCH ${repository}/pulls/{pull}`]: [{ title: "Renamed" }],
    [`POST ${repository}/git/refs`]: [{ ref: "refs/heads/recorded", sha: "{head}" }],
    [`POST ${repository}/issues`]: [{ title: "New issue", body: "Checked", labels: ["bug"] }],
    [`POST ${repository}/issues/{issue}/comments`]: [{ body: "Checked" }],
    [`POST ${repository}/pulls`]: [{ title: "New", head: "recorded", base: "main", body: "Checked", draft: false }],
    [`POST ${repository}/pulls/{pull}/reviews`]: [{ event: "COMMENT", body: "Checked" }],
    [`POST ${repository}/pulls/{openPull}/requested_reviewers`]: [{ reviewers: ["{assignee}"] }],
    [`PUT ${repository}/contents/{path}`]: [
      { message: "Write", content: "Q2hlY2tlZA==", sha: "{path.sha}", branch: "recorded" }
    ],
    [`PUT ${repository}/pulls/{openPull}/merge`]: [{ merge_method: "squash" }],
    [`DELETE ${repository}/contents/{path}`]: [{ message: "Delete", sha: "{path.sha}", branch: "main" }]
  }
}

const mailbox = "/gmail/v1/users/me"

const raw = Buffer.from("To: mira@example.com\r\nSubject: Checked\r\n\r\nChecked").toString("base64url")

const gmail: Requests = {
  authorization: bearer,
  records: {
    "*": "",
    [`GET ${mailbox}/drafts`]: "drafts",
    [`GET ${mailbox}/labels`]: "labels",
    [`GET ${mailbox}/messages`]: "messages",
    [`GET ${mailbox}/threads`]: "threads"
  },
  id: "id",
  query: {
    [`GET ${mailbox}/messages`]: { maxResults: "30" },
    [`GET ${mailbox}/messages/{id}`]: { format: "metadata" },
    [`GET ${mailbox}/threads`]: { maxResults: "30" },
    [`GET ${mailbox}/threads/{id}`]: { format: "metadata" }
  },
  named: {
    label: { request: `GET ${mailbox}/labels`, where: { type: "user" } },
    draft: { request: `GET ${mailbox}/drafts` },
    message: { request: `GET ${mailbox}/messages` },
    thread: { request: `GET ${mailbox}/threads` }
  },
  ids: {
    [`POST ${mailbox}/messages/{id}/modify`]: "message",
    [`POST ${mailbox}/messages/{id}/trash`]: "message",
    [`POST ${mailbox}/threads/{id}/modify`]: "thread"
  },
  bodies: {
    [`POST ${mailbox}/drafts`]: [{ message: { raw } }],
    [`POST ${mailbox}/drafts/send`]: [{ id: "{draft}" }],
    [`POST ${mailbox}/labels`]: [{ name: "New", labelListVisibility: "labelShow", messageListVisibility: "show" }],
    [`POST ${mailbox}/messages/send`]: [{ raw }],
    [`POST ${mailbox}/messages/{id}/modify`]: [{ addLabelIds: ["STARRED"] }],
    [`POST ${mailbox}/messages/{id}/trash`]: [undefined],
    [`POST ${mailbox}/threads/{id}/modify`]: [{ removeLabelIds: ["UNREAD"] }],
    [`PUT ${mailbox}/drafts/{id}`]: [{ message: { raw } }]
  }
}

const site = "/ex/jira/1/rest/api/3"

const paragraph = (text: string) => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }]
})

/** Fields that the recorded search asked for. */
const fields = "assignee,created,creator,description,issuetype,labels,priority,project,reporter,status,summary,updated"

const jira: Requests = {
  authorization: bearer,
  address: (path, account) => path.replace("/ex/jira/1", `/ex/jira/${cloudIdOf(account)}`),
  records: {
    "*": "",
    [`GET ${site}/issue/{issue}/changelog`]: "values",
    [`GET ${site}/issue/{issue}/comment`]: "comments",
    [`GET ${site}/issue/{issue}/transitions`]: "transitions",
    [`GET ${site}/issue/{issue}/worklog`]: "worklogs",
    [`GET ${site}/project/search`]: "values",
    [`GET ${site}/search/jql`]: "issues",
    [`POST ${site}/search/jql`]: "issues"
  },
  id: "id",
  first: [`POST ${site}/issue/{issue}/comment`, `POST ${site}/issue/{issue}/worklog`],
  query: {
    [`GET ${site}/search/jql`]: { jql: "project = HARBOR order by created", fields },
    [`GET ${site}/user`]: { accountId: "{user}" },
    [`GET ${site}/user/search`]: { query: "a" },
    [`GET ${site}/project/search`]: { startAt: "0", maxResults: "50" }
  },
  named: {
    issue: { request: `GET ${site}/search/jql` },
    project: { request: `GET ${site}/project/search` },
    harbor: { request: `GET ${site}/project/search`, where: { key: "HARBOR" } },
    user: { request: `GET ${site}/user/search`, id: "accountId", query: { query: "a" } },
    comment: { request: `GET ${site}/issue/{issue}/comment`, where: { "author.accountId": me } },
    transition: { request: `GET ${site}/issue/{issue}/transitions` },
    link: { request: `GET ${site}/issue/HARBOR-3`, records: "fields.issuelinks" },
    type: { request: `GET ${site}/project/{harbor}`, records: "issueTypes" }
  },
  ids: {
    [`PUT ${site}/issue/{issue}/comment/{id}`]: "comment",
    [`DELETE ${site}/issue/{issue}/comment/{id}`]: "comment",
    [`DELETE ${site}/issueLink/{id}`]: "link"
  },
  bodies: {
    [`POST ${site}/issue`]: [{ fields: { project: { key: "HARBOR" }, issuetype: { id: "{type}" }, summary: "New" } }],
    [`POST ${site}/issue/{issue}/comment`]: [{ body: paragraph("Checked") }],
    [`POST ${site}/issue/{issue}/transitions`]: [{ transition: { id: "{transition}" } }],
    [`POST ${site}/issue/{issue}/worklog`]: [
      { timeSpentSeconds: 3600, started: "2026-06-30T10:00:00.000+0000", comment: paragraph("Checked") }
    ],
    [`POST ${site}/issueLink`]: [
      { type: { name: "Blocks" }, inwardIssue: { key: "HARBOR-1" }, outwardIssue: { key: "HARBOR-2" } }
    ],
    [`POST ${site}/search/jql`]: [{ jql: "project = HARBOR", maxResults: 20 }],
    [`PUT ${site}/issue/{issue}/comment/{id}`]: [{ body: paragraph("Changed") }],
    [`PUT ${site}/issue/{issue}`]: [{ fields: { summary: "Renamed" } }]
  }
}

const listed = (plural: string) => ({
  request: "POST /graphql",
  body: { query: `{ ${plural}(first: 30) { nodes { id } } }` },
  records: `data.${plural}.nodes`
})

const linearBodies = {
  issues: "(first: 30)",
  comments: "(first: 30)",
  cycles: "(first: 30)",
  issueLabels: "(first: 30)",
  projects: "(first: 30)",
  teams: "(first: 30)",
  users: "(first: 30)",
  workflowStates: "(first: 30)",
  searchIssues: '(term: "parcel", first: 20)',
  viewer: "",
  issue: '(id: "{issue}")',
  comment: '(id: "{comment}")',
  cycle: '(id: "{cycle}")',
  issueLabel: '(id: "{label}")',
  project: '(id: "{project}")',
  team: '(id: "{team}")',
  user: '(id: "{user}")',
  workflowState: '(id: "{state}")',
  issueArchive: '(id: "{issue}")',
  issueUnarchive: '(id: "{issue}")',
  issueDelete: '(id: "{issue}")',
  issueCreate: '(input: { title: "New", teamId: "{team}" })',
  issueUpdate: '(id: "{issue}", input: { title: "Renamed" })',
  issueRelationCreate: '(input: { issueId: "{issue}", relatedIssueId: "{other}", type: related })',
  commentCreate: '(input: { issueId: "{issue}", body: "Checked" })',
  commentUpdate: '(id: "{own}", input: { body: "Changed" })',
  commentDelete: '(id: "{own}")',
  projectCreate: '(input: { name: "New", teamIds: ["{team}"] })',
  projectUpdate: '(id: "{project}", input: { name: "Renamed" })'
}

const linear: Requests = {
  authorization: bearer,
  records: Object.fromEntries(
    Object.keys(linearBodies).map((field) => [
      `POST /graphql#${field}`,
      `data.${field}${field.endsWith("s") ? ".nodes" : ""}`
    ])
  ),
  id: "id",
  named: {
    issue: listed("issues"),
    comment: listed("comments"),
    cycle: listed("cycles"),
    label: listed("issueLabels"),
    project: listed("projects"),
    team: listed("teams"),
    user: listed("users"),
    state: listed("workflowStates"),
    other: {
      request: "POST /graphql",
      body: { query: "{ issues(filter: { number: { eq: 2 } }) { nodes { id } } }" },
      records: "data.issues.nodes"
    },
    own: {
      request: "POST /graphql",
      body: { query: "{ comments(first: 30, filter: { user: { isMe: { eq: true } } }) { nodes { id } } }" },
      records: "data.comments.nodes"
    }
  },
  bodies: Object.fromEntries(Object.entries(linearBodies).map(([field, call]) => [`POST /graphql#${field}`, [call]]))
}

const rich_text = [{ type: "text", text: { content: "Checked" } }]

const notion: Requests = {
  authorization: bearer,
  headers: () => ({ "notion-version": "2025-09-03" }),
  records: {
    "*": "",
    "GET /v1/blocks/{page}/children": "results",
    "GET /v1/comments": "results",
    "GET /v1/users": "results",
    "PATCH /v1/blocks/{page}/children": "results",
    "POST /v1/data_sources/{id}/query": "results",
    "POST /v1/search": "results"
  },
  id: "id",
  first: ["POST /v1/comments"],
  query: {
    "GET /v1/blocks/{page}/children": { page_size: "100" },
    "GET /v1/comments": { block_id: "{page}", page_size: "100" },
    "GET /v1/users": { page_size: "100" }
  },
  named: {
    page: { request: "POST /v1/search", body: { query: "Onboarding" } },
    source: { request: "POST /v1/search", body: { filter: { property: "object", value: "data_source" } } },
    block: { request: "GET /v1/blocks/{handbook}/children", records: "results" },
    handbook: { request: "POST /v1/search", body: { query: "handbook" } },
    text: { request: "GET /v1/blocks/{handbook}/children", records: "results", where: { type: "paragraph" } }
  },
  ids: {
    "GET /v1/blocks/{id}": "block",
    "GET /v1/data_sources/{id}": "source",
    "GET /v1/pages/{id}": "page",
    "PATCH /v1/blocks/{id}": "text",
    "PATCH /v1/pages/{id}": "handbook",
    "POST /v1/data_sources/{id}/query": "source",
    "DELETE /v1/blocks/{id}": "text"
  },
  bodies: {
    "PATCH /v1/blocks/{id}": [{ paragraph: { rich_text } }],
    "PATCH /v1/blocks/{page}/children": [{ children: [{ type: "paragraph", paragraph: { rich_text } }] }],
    "PATCH /v1/pages/{id}": [
      { properties: { title: { title: [{ text: { content: "Renamed handbook" } }] } } },
      { archived: false },
      { in_trash: false }
    ],
    "POST /v1/comments": [{ parent: { type: "page_id", page_id: "{page}" }, rich_text }],
    "POST /v1/data_sources/{id}/query": [
      { page_size: 100, sorts: [{ timestamp: "last_edited_time", direction: "descending" }] }
    ],
    "POST /v1/pages": [
      {
        parent: { type: "page_id", page_id: "{handbook}" },
        properties: { title: { title: [{ text: { content: "New" } }] } }
      }
    ],
    "POST /v1/search": [
      { page_size: 100, sort: { timestamp: "last_edited_time", direction: "descending" } },
      { query: "roadmap", filter: { property: "object", value: "data_source" } }
    ]
  }
}

/** How the recorded requests are sent to the simulators of toolkits, by slug. */
export const toolkitRequests: { readonly [slug: string]: Requests } = { github, gmail, jira, linear, notion }
