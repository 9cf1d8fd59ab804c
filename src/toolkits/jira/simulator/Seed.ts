import type { Account } from "../../../providers/simulation/Account.ts"
import { pick, random } from "../../../providers/simulation/SampleCompany.ts"
import { remarks, staff, work } from "../../../providers/simulation/SampleSoftware.ts"
import { documentOf } from "./Documents.ts"
import {
  changes,
  comments,
  freshId,
  type Issue,
  issues,
  links,
  linkTypes,
  me,
  priorities,
  type Project,
  projects,
  statuses,
  users
} from "./Tables.ts"

// The Jira site of a software firm; the same for every account.

const day = 86_400_000
const start = Date.UTC(2026, 0, 12, 8, 20)
/** When the sample data ends. */
const end = Date.UTC(2026, 9, 30, 16, 40)

const accountIds = staff.map((_, index) =>
  index === 0 ? me : `557058:4c2d9e${10 + index}-1a7b-4f0e-8c33-9d5e7f1b2a${10 + index}`
)
const personAt = (index: number) => accountIds[index % accountIds.length] ?? me

const addPeople = (account: Account) => {
  staff.forEach(({ email, name }, index) => {
    const accountId = personAt(index)
    users.put(account, accountId, { accountId, name, email, active: true })
  })
  // two of a name, so that one must ask which is meant; and one who left
  for (const [accountId, name, isActive] of [
    ["557058:7e6f5d4c-0b1a-4c2d-9e8f-aa0011223344", "Hanna Okonkwo", true],
    ["557058:1f2e3d4c-5b6a-4789-8abc-bb5566778899", "Piet Jansen", false]
  ] as const) {
    const email = `${name.toLowerCase().replace(" ", ".")}@larkspur.example`
    users.put(account, accountId, { accountId, name, email, active: isActive })
  }
}

const addProject = (
  account: Account,
  key: string,
  name: string,
  description: string,
  lead: number,
  mayWrite = true
): Project => {
  const named = (names: ReadonlyArray<string>) => names.map((one) => ({ id: freshId(account), name: one }))
  const project: Project = {
    id: freshId(account),
    key,
    name,
    description,
    lead: personAt(lead),
    mayWrite,
    components: named(["Carriers", "Notifications", "API", "Dashboard", "Billing", "Infrastructure", "Mobile"]),
    versions: named(["4.0", "4.1", "5.0"]).map((version, index) => ({
      ...version,
      released: index === 0,
      releaseDate: index === 2 ? null : `2026-${index === 0 ? "06-30" : "12-15"}`
    }))
  }
  projects.put(account, project.id, project)
  return project
}

const types = { bug: "Bug", feature: "Story", chore: "Task" } as const

const issueAt = (account: Account, project: Project, number: number, place: number, count: number): Issue => {
  const next = random(5_000 + place * 13 + number)
  const item = work[place % work.length]
  const created = start + Math.floor((number / (count + 1)) * (end - start))
  const status = pick(next, [statuses[0], statuses[0], statuses[1], statuses[2], statuses[3], statuses[3]]).name
  const updated = Math.min(end, created + Math.floor(next() * 20 * day))
  const isDone = status === "Done"
  return {
    id: freshId(account),
    project: project.key,
    number,
    type: number % 15 === 1 ? "Epic" : types[item?.kind ?? "chore"],
    summary: number % 15 === 1 ? `${item?.area ?? "Work"}: what is left` : (item?.title ?? ""),
    description: place % 8 === 7 ? null : documentOf(item?.text ?? ""),
    status,
    priority: pick(next, priorities).name,
    assignee: place % 4 === 3 ? null : personAt(place),
    reporter: personAt(place * 3 + 6),
    labels: place % 3 === 0 ? ["customer-reported"] : place % 5 === 1 ? ["tech-debt", "q4"] : [],
    parent: null,
    due: place % 4 === 0 ? new Date(created + 30 * day).toISOString().slice(0, 10) : null,
    components:
      item === undefined || place % 7 === 5
        ? []
        : project.components.flatMap(({ name }) => (name.toLowerCase() === item.area ? [name] : [])),
    versions: place % 6 === 0 ? ["4.1"] : [],
    points: place % 2 === 0 ? 1 + (place % 5) : null,
    created,
    updated,
    resolution: isDone ? "Done" : null,
    resolved: isDone ? updated : null
  }
}

const addIssues = (account: Account, project: Project, count: number, offset: number) => {
  const made: Array<Issue> = []
  for (let number = 1; number <= count; number += 1) {
    const plain = issueAt(account, project, number, number + offset, count)
    const epic = made.findLast(({ type }) => type === "Epic")
    const parent = plain.type !== "Epic" && number % 3 === 0 && epic !== undefined ? epic.id : null
    const long = number === 4 ? documentOf(`${work[3]?.text ?? ""}\n\n`.repeat(180)) : plain.description
    const issue = { ...plain, parent, description: long }
    issues.put(account, issue.id, issue)
    made.push(issue)
    addTalk(account, issue, number === 4 ? 37 : number % 4)
  }
  return made
}

const addTalk = (account: Account, issue: Issue, count: number) => {
  const next = random(9_000 + issue.number)
  for (let index = 0; index < count; index += 1) {
    const id = freshId(account)
    const at = Math.min(end, issue.created + (index + 1) * 7_200_000)
    comments.put(account, id, {
      id,
      issue: issue.id,
      author: personAt(index + issue.number),
      body: documentOf(issue.number === 4 && index === 0 ? `${pick(next, remarks)} `.repeat(80) : pick(next, remarks)),
      created: at,
      updated: at
    })
  }
  if (issue.status === "To Do") return
  const id = freshId(account)
  const items = [{ field: "status", from: "To Do", to: issue.status }]
  changes.put(account, id, { id, issue: issue.id, author: personAt(issue.number), at: issue.updated, items })
}

const addLinks = (account: Account, all: ReadonlyArray<Issue>) => {
  all.forEach((issue, index) => {
    const other = all[index + 3]
    if (index % 6 !== 2 || other === undefined) return
    const id = freshId(account)
    links.put(account, id, {
      id,
      type: linkTypes[index % linkTypes.length]?.name ?? "Relates",
      inward: issue.id,
      outward: other.id
    })
  })
}

const addSubtasks = (account: Account, project: Project, parent: Issue, first: number) => {
  const parts = ["Write the test", "Change the code", "Tell support"]
  parts.forEach((summary, index) => {
    const issue: Issue = {
      ...issueAt(account, project, first + index, index, first + 3),
      type: "Subtask",
      summary,
      parent: parent.id,
      created: parent.created + day,
      components: parent.components
    }
    issues.put(account, issue.id, issue)
  })
}

/** Sample data of a new account: 5 projects, and 118 issues in the first of them. */
export const seed = (account: Account): void => {
  addPeople(account)
  const harbor = addProject(account, "HARBOR", "Harbor", "Parcel tracking", 0)
  const all = addIssues(account, harbor, 115, 0)
  addLinks(account, all)
  const parent = all[6]
  if (parent !== undefined) addSubtasks(account, harbor, parent, 116)
  addIssues(account, addProject(account, "WEB", "Website", "What customers see first", 2), 14, 40)
  addIssues(account, addProject(account, "OPS", "Operations", "Keeping it running", 3), 22, 80)
  addIssues(account, addProject(account, "LEGAL", "Legal", "Contracts; look, do not touch", 6, false), 4, 120)
  addProject(account, "LAB", "Laboratory", "", 5)
}
