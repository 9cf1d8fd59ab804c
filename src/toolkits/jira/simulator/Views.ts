import type { Account } from "../../../providers/simulation/Account.ts"
import { selfOf, site, stamp } from "./Answers.ts"
import {
  type Change,
  type Comment,
  comments,
  findProject,
  type Issue,
  issues,
  keyOf,
  type Link,
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
  type Worklog,
  worklogs
} from "./Tables.ts"

// Records as the API shows them: https://developer.atlassian.com/cloud/jira/platform/rest/v3/

/** Addresses of a picture in its four sizes. */
const avatarsOf = (path: string) =>
  Object.fromEntries(
    ["48x48", "24x24", "16x16", "32x32"].map((size) => [
      size,
      `https://avatars.example.net/${path}?size=${size.replace(/x.*/, "")}`
    ])
  )

const iconOf = (path: string) => `${site}/images/icons/${path}`

/** A person as records name one; asked for alone, a person has a language as well. */
const personOf = (account: Account, user: User) => ({
  self: selfOf(account, `user?accountId=${user.accountId}`),
  accountId: user.accountId,
  accountType: "atlassian",
  emailAddress: user.email,
  avatarUrls: avatarsOf(`users/${user.accountId}`),
  displayName: user.name,
  active: user.active,
  timeZone: "Europe/Helsinki"
})

export const userView = (account: Account, user: User) => ({
  ...personOf(account, user),
  locale: "en_GB",
  groups: { size: 1, items: [] },
  applicationRoles: { size: 1, items: [] },
  expand: "groups,applicationRoles"
})

const personView = (account: Account, accountId: string | null) => {
  const user = accountId === null ? undefined : users.get(account, accountId)
  return user === undefined ? null : personOf(account, user)
}

/** The lead of a project, of whom it shows less than of other people. */
const leadView = (account: Account, accountId: string) => {
  const user = users.get(account, accountId)
  if (user === undefined) return null
  const { accountType: _, emailAddress: __, timeZone: ___, ...shown } = personOf(account, user)
  return shown
}

const categoryView = (account: Account, category: (typeof statuses)[number]["category"]) => ({
  self: selfOf(account, `statuscategory/${category.id}`),
  ...category
})

const statusView = (account: Account, name: string) => {
  const status = statuses.find((one) => one.name === name) ?? statuses[0]
  return {
    self: selfOf(account, `status/${status.id}`),
    description: "",
    iconUrl: iconOf(`statuses/${status.id}.png`),
    name: status.name,
    id: status.id,
    statusCategory: categoryView(account, status.category)
  }
}

export const typeView = (account: Account, name: string) => {
  const type = types.find((one) => one.name === name) ?? types[2]
  return {
    self: selfOf(account, `issuetype/${type.id}`),
    id: type.id,
    description: type.description,
    iconUrl: iconOf(`issuetypes/${type.id}.svg`),
    name: type.name,
    subtask: type.subtask,
    avatarId: 10_300 + Number(type.id) - 10_100,
    hierarchyLevel: type.level
  }
}

export const priorityView = (account: Account, name: string) => {
  const priority = priorities.find((one) => one.name === name) ?? priorities[0]
  return {
    self: selfOf(account, `priority/${priority.id}`),
    iconUrl: iconOf(`priorities/${priority.id}.svg`),
    name: priority.name,
    id: priority.id
  }
}

/** A project as its issues name it. */
const projectOfIssue = (account: Account, { id, key, name }: Project) => ({
  self: selfOf(account, `project/${id}`),
  id,
  key,
  name,
  projectTypeKey: "software",
  simplified: false,
  avatarUrls: avatarsOf(`projects/${id}`)
})

export const projectView = (account: Account, project: Project) => ({
  ...projectOfIssue(account, project),
  expand: "description,lead,issueTypes,url,projectKeys,permissions,insight",
  style: "classic",
  isPrivate: false,
  properties: {}
})

export const componentView = (account: Account, { id, name }: Project["components"][number]) => ({
  self: selfOf(account, `component/${id}`),
  id,
  name
})

/** A version, which has a date once one is planned. */
export const versionView = (account: Account, version: Project["versions"][number]) => ({
  self: selfOf(account, `version/${version.id}`),
  id: version.id,
  name: version.name,
  description: "",
  archived: false,
  released: version.released,
  ...(version.releaseDate === null ? {} : { releaseDate: version.releaseDate })
})

export const fullProjectView = (account: Account, project: Project) => ({
  ...projectView(account, project),
  description: project.description,
  lead: leadView(account, project.lead),
  components: project.components.map((one) => componentView(account, one)),
  versions: project.versions.map((one) => versionView(account, one)),
  issueTypes: types.map(({ name }) => typeView(account, name)),
  assigneeType: "UNASSIGNED",
  roles: Object.fromEntries(
    ["Administrator", "Member", "Viewer"].map((role, at) => [
      role,
      selfOf(account, `project/${project.id}/role/${10_002 + at}`)
    ])
  )
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
      isConditional: false,
      isLooped: false
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

export const linkTypeView = (account: Account, name: string) => {
  const type = linkTypes.find((one) => one.name === name) ?? linkTypes[2]
  return { ...type, self: selfOf(account, `issueLinkType/${type.id}`) }
}

/** A link as it is seen from outside, or from one of its ends, which then is not shown. */
export const linkView = (account: Account, { id, inward, outward, type }: Link, seenFrom?: Issue) => {
  const shown = (name: string, issue: string) => {
    const found = issue === seenFrom?.id ? undefined : issues.get(account, issue)
    return found === undefined ? {} : { [name]: briefView(account, found) }
  }
  return {
    id,
    self: selfOf(account, `issueLink/${id}`),
    type: linkTypeView(account, type),
    ...shown("inwardIssue", inward),
    ...shown("outwardIssue", outward)
  }
}

const linksOf = (account: Account, issue: Issue) =>
  links
    .all(account)
    .filter(({ inward, outward }) => inward === issue.id || outward === issue.id)
    .map((link) => linkView(account, link, issue))

const timeOf = (account: Account, issue: Issue): number | null => {
  const all = of(issue, worklogs.all(account))
  return all.length === 0 ? null : all.reduce((sum, { seconds }) => sum + seconds, 0)
}

/** The share of the work that is logged, of an issue without an estimate. */
const progressOf = (account: Account, issue: Issue) => {
  const seconds = timeOf(account, issue)
  return seconds === null ? { progress: 0, total: 0 } : { progress: seconds, total: seconds, percent: 100 }
}

const worklogsField = (account: Account, issue: Issue) => {
  const all = of(issue, worklogs.all(account))
  return {
    startAt: 0,
    maxResults: 20,
    total: all.length,
    worklogs: all.slice(0, 20).map((one) => worklogView(account, one))
  }
}

const commentsField = (account: Account, issue: Issue) => {
  const all = of(issue, comments.all(account))
  return {
    comments: all.map((one) => commentView(account, one)),
    self: selfOf(account, `issue/${issue.id}/comment`),
    maxResults: all.length,
    total: all.length,
    startAt: 0
  }
}

/** Every field of an issue; costly ones are made only when they are asked for. */
const fields: { readonly [name: string]: (account: Account, issue: Issue) => unknown } = {
  summary: (_, { summary }) => summary,
  issuetype: (account, { type }) => typeView(account, type),
  project: (account, issue) => {
    const project = findProject(account, issue.project)
    return project === undefined ? null : projectOfIssue(account, project)
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
  resolution: (account, { resolution }) => {
    const found = resolutions.find(({ name }) => name === resolution)
    return found === undefined ? null : { ...found, self: selfOf(account, `resolution/${found.id}`) }
  },
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
    (findProject(account, issue.project)?.components ?? [])
      .filter(({ name }) => issue.components.includes(name))
      .map((one) => componentView(account, one)),
  fixVersions: (account, issue) =>
    (findProject(account, issue.project)?.versions ?? [])
      .filter(({ name }) => issue.versions.includes(name))
      .map((one) => versionView(account, one)),
  issuelinks: linksOf,
  comment: commentsField,
  worklog: worklogsField,
  timespent: timeOf,
  aggregatetimespent: timeOf,
  timetracking: (account, issue) => {
    const seconds = timeOf(account, issue)
    return seconds === null ? {} : { timeSpent: `${Math.round(seconds / 60)}m`, timeSpentSeconds: seconds }
  },
  timeestimate: () => null,
  timeoriginalestimate: () => null,
  aggregatetimeestimate: () => null,
  aggregatetimeoriginalestimate: () => null,
  progress: progressOf,
  aggregateprogress: progressOf,
  workratio: () => -1,
  statusCategory: (account, { status }) =>
    categoryView(account, (statuses.find(({ name }) => name === status) ?? statuses[0]).category),
  statuscategorychangedate: (_, { updated }) => stamp(updated),
  versions: () => [],
  security: () => null,
  issuerestriction: () => ({ issuerestrictions: {}, shouldDisplay: true }),
  environment: () => null,
  lastViewed: () => null,
  attachment: () => [],
  votes: (account, issue) => ({ self: selfOf(account, `issue/${keyOf(issue)}/votes`), votes: 0, hasVoted: false }),
  watches: (account, issue) => ({
    self: selfOf(account, `issue/${keyOf(issue)}/watchers`),
    watchCount: 0,
    isWatching: false
  }),
  customfield_10016: (_, { points }) => points
}

/** Fields that a list of issues shows only on request. */
const notNavigable = ["comment", "description", "worklog", "attachment", "timetracking"]

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
