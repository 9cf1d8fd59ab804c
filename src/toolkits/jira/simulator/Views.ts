import type { Account } from "../../../providers/simulation/Account.ts"
import { selfOf, stamp } from "./Answers.ts"
import {
  type Change,
  type Comment,
  comments,
  findProject,
  type Issue,
  issues,
  keyOf,
  links,
  linkTypes,
  of,
  priorities,
  type Project,
  resolutions,
  statuses,
  transitions,
  types,
  type User,
  users,
  type Worklog
} from "./Tables.ts"

// Records as the API shows them: https://developer.atlassian.com/cloud/jira/platform/rest/v3/

export const userView = (account: Account, user: User) => ({
  self: selfOf(account, `user?accountId=${user.accountId}`),
  accountId: user.accountId,
  accountType: "atlassian",
  emailAddress: user.email,
  displayName: user.name,
  active: user.active,
  timeZone: "Europe/Helsinki",
  locale: "en_GB"
})

const personView = (account: Account, accountId: string | null) => {
  const user = accountId === null ? undefined : users.get(account, accountId)
  return user === undefined ? null : userView(account, user)
}

const statusView = (account: Account, name: string) => {
  const status = statuses.find((one) => one.name === name) ?? statuses[0]
  return {
    self: selfOf(account, `status/${status.id}`),
    description: "",
    name: status.name,
    id: status.id,
    statusCategory: status.category
  }
}

export const typeView = (account: Account, name: string) => {
  const type = types.find((one) => one.name === name) ?? types[2]
  return {
    self: selfOf(account, `issuetype/${type.id}`),
    id: type.id,
    description: type.description,
    name: type.name,
    subtask: type.subtask,
    hierarchyLevel: type.level
  }
}

const priorityView = (account: Account, name: string) => {
  const priority = priorities.find((one) => one.name === name) ?? priorities[0]
  return { self: selfOf(account, `priority/${priority.id}`), name: priority.name, id: priority.id }
}

export const projectView = (account: Account, { id, key, name }: Project) => ({
  self: selfOf(account, `project/${id}`),
  id,
  key,
  name,
  projectTypeKey: "software",
  simplified: false,
  style: "classic",
  isPrivate: false
})

export const fullProjectView = (account: Account, project: Project) => ({
  ...projectView(account, project),
  description: project.description,
  lead: personView(account, project.lead),
  components: project.components,
  versions: project.versions.map(({ releaseDate, ...version }) => ({
    ...version,
    archived: false,
    ...(releaseDate === null ? {} : { releaseDate })
  })),
  issueTypes: types.map(({ name }) => typeView(account, name)),
  assigneeType: "UNASSIGNED"
})

export const commentView = (account: Account, comment: Comment) => ({
  self: selfOf(account, `issue/${comment.issue}/comment/${comment.id}`),
  id: comment.id,
  author: personView(account, comment.author),
  body: comment.body,
  updateAuthor: personView(account, comment.author),
  created: stamp(comment.created),
  updated: stamp(comment.updated),
  jsdPublic: true
})

export const changeView = (account: Account, change: Change) => ({
  id: change.id,
  author: personView(account, change.author),
  created: stamp(change.at),
  items: change.items.map(({ field, from, to }) => ({
    field,
    fieldtype: "jira",
    fieldId: field,
    from: null,
    fromString: from,
    to: null,
    toString: to
  }))
})

export const worklogView = (account: Account, worklog: Worklog) => ({
  self: selfOf(account, `issue/${worklog.issue}/worklog/${worklog.id}`),
  author: personView(account, worklog.author),
  updateAuthor: personView(account, worklog.author),
  ...(worklog.comment === null ? {} : { comment: worklog.comment }),
  created: stamp(worklog.created),
  updated: stamp(worklog.created),
  started: worklog.started,
  timeSpent: worklog.spent,
  timeSpentSeconds: worklog.seconds,
  id: worklog.id,
  issueId: worklog.issue
})

export const transitionsOf = (account: Account, { status }: Issue) =>
  transitions
    .filter(({ from }) => from.some((one) => one === status))
    .map(({ id, name, to }) => ({
      id,
      name,
      to: statusView(account, to),
      hasScreen: false,
      isGlobal: false,
      isInitial: false,
      isAvailable: true,
      isConditional: false
    }))

/** An issue inside of another. */
const briefView = (account: Account, issue: Issue) => ({
  id: issue.id,
  key: keyOf(issue),
  self: selfOf(account, `issue/${issue.id}`),
  fields: {
    summary: issue.summary,
    status: statusView(account, issue.status),
    priority: priorityView(account, issue.priority),
    issuetype: typeView(account, issue.type)
  }
})

const linksOf = (account: Account, issue: Issue) =>
  links.all(account).flatMap(({ id, inward, outward, type: name }) => {
    const type = linkTypes.find((one) => one.name === name)
    const isInward = inward === issue.id
    const other = isInward
      ? issues.get(account, outward)
      : outward === issue.id
        ? issues.get(account, inward)
        : undefined
    return other === undefined
      ? []
      : [
          {
            id,
            self: selfOf(account, `issueLink/${id}`),
            type,
            [isInward ? "outwardIssue" : "inwardIssue"]: briefView(account, other)
          }
        ]
  })

const commentsField = (account: Account, issue: Issue) => {
  const all = of(issue, comments.all(account))
  return {
    comments: all.map((one) => commentView(account, one)),
    maxResults: all.length,
    total: all.length,
    startAt: 0
  }
}

/** Every field of an issue; dear ones are made only when they are asked for. */
const fields: { readonly [name: string]: (account: Account, issue: Issue) => unknown } = {
  summary: (_, { summary }) => summary,
  issuetype: (account, { type }) => typeView(account, type),
  project: (account, issue) => {
    const project = findProject(account, issue.project)
    return project === undefined ? null : projectView(account, project)
  },
  status: (account, { status }) => statusView(account, status),
  priority: (account, { priority }) => priorityView(account, priority),
  assignee: (account, { assignee }) => personView(account, assignee),
  reporter: (account, { reporter }) => personView(account, reporter),
  creator: (account, { reporter }) => personView(account, reporter),
  labels: (_, { labels }) => labels,
  description: (_, { description }) => description,
  duedate: (_, { due }) => due,
  created: (_, { created }) => stamp(created),
  updated: (_, { updated }) => stamp(updated),
  resolution: (_, { resolution }) => resolutions.find(({ name }) => name === resolution) ?? null,
  resolutiondate: (_, { resolved }) => (resolved === null ? null : stamp(resolved)),
  parent: (account, { parent }) => {
    const found = parent === null ? undefined : issues.get(account, parent)
    return found === undefined ? undefined : briefView(account, found)
  },
  subtasks: (account, issue) =>
    issues
      .all(account)
      .filter(({ parent, type }) => parent === issue.id && type === "Subtask")
      .map((one) => briefView(account, one)),
  components: (account, issue) =>
    (findProject(account, issue.project)?.components ?? []).filter(({ name }) => issue.components.includes(name)),
  fixVersions: (account, issue) =>
    (findProject(account, issue.project)?.versions ?? []).filter(({ name }) => issue.versions.includes(name)),
  issuelinks: linksOf,
  comment: commentsField,
  customfield_10016: (_, { points }) => points
}

/** What a list of issues shows unless it is told. */
const notNavigable = ["comment", "description"]

const namesIn = (asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  asked.flatMap((name) => {
    if (name === "*all") return Object.keys(fields)
    return name === "*navigable" ? Object.keys(fields).filter((one) => !notNavigable.includes(one)) : [name]
  })

/** An issue with the fields asked for; unknown names show nothing. */
export const issueView = (account: Account, issue: Issue, asked: ReadonlyArray<string>) => {
  const left = asked.filter((name) => name.startsWith("-")).map((name) => name.slice(1))
  const names = namesIn(asked.filter((name) => !name.startsWith("-"))).filter((name) => !left.includes(name))
  return {
    expand: "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
    id: issue.id,
    self: selfOf(account, `issue/${issue.id}`),
    key: keyOf(issue),
    ...(names.length === 0
      ? {}
      : {
          fields: Object.fromEntries(
            names.flatMap((name) => {
              const value = fields[name]?.(account, issue)
              return value === undefined ? [] : [[name, value]]
            })
          )
        })
  }
}
