import type { Account } from "../../../providers/simulation/Account.ts"
import { pick, random } from "../../../providers/simulation/SampleCompany.ts"
import { remarks, staff, work } from "../../../providers/simulation/SampleSoftware.ts"
import {
  comments,
  cycles,
  freshId,
  type Issue,
  issues,
  labels,
  me,
  type Project,
  projects,
  projectStatuses,
  relations,
  states,
  type Team,
  teams,
  users,
  uuidOf
} from "./Tables.ts"

// The Linear workspace of a software firm; the same for every account.

const day = 86_400_000
const start = Date.UTC(2026, 1, 2, 8, 10)
/** When the sample data ends. */
const end = Date.UTC(2026, 9, 30, 16, 40)

const personAt = (index: number): string => {
  const place = index % staff.length
  return place === 0 ? me : uuidOf(`colleague ${place}`)
}

const addPeople = (account: Account) => {
  staff.forEach(({ email, login, name }, index) => {
    const id = personAt(index)
    users.put(account, id, {
      id,
      name,
      displayName: login.split("-")[0] ?? login,
      email,
      active: true,
      createdAt: start + index * day
    })
  })
  const id = uuidOf("hanna the second")
  users.put(account, id, {
    id,
    name: "Hanna Okonkwo",
    displayName: "hanna.o",
    email: "hanna.okonkwo@larkspur.example",
    active: true,
    createdAt: start + 9 * day
  })
}

const workflow = [
  ["Backlog", "backlog"],
  ["Todo", "unstarted"],
  ["In Progress", "started"],
  ["In Review", "started"],
  ["Done", "completed"],
  ["Canceled", "canceled"]
] as const

const addTeam = (account: Account, key: string, name: string, description: string | null): Team => {
  const team = { id: freshId(account), key, name, description, cyclesEnabled: key !== "OPS", createdAt: start }
  teams.put(account, team.id, team)
  workflow.forEach(([stateName, type], position) => {
    const id = freshId(account)
    states.put(account, id, { id, team: team.id, name: stateName, type, position, createdAt: start - position })
  })
  return team
}

const addLabels = (account: Account, team: Team): ReadonlyArray<string> =>
  (
    [
      ["Bug", null],
      ["Feature", null],
      ["Chore", null],
      ["Customer", null],
      ["Carrier outage", team.id]
    ] as const
  ).map(([name, owner], index) => {
    const id = freshId(account)
    labels.put(account, id, { id, team: owner, name, description: null, createdAt: start + index })
    return id
  })

const addProjects = (account: Account, all: ReadonlyArray<Team>): ReadonlyArray<Project> =>
  ["Baltic lockers", "Cursor paging", "Offline scans", "New billing page", "Worker migration", "Accessibility"].map(
    (name, index) => {
      const item = work[(index * 5) % work.length]
      const made: Project = {
        id: freshId(account),
        name,
        description: index === 3 ? "" : (item?.title ?? ""),
        // one text is long
        content: index === 1 ? `${item?.text ?? ""}\n\n`.repeat(160) : (item?.text ?? ""),
        status: projectStatuses[index % 4]?.id ?? projectStatuses[0].id,
        priority: index % 5,
        lead: index === 4 ? null : personAt(index),
        teams: [all[index % 2]?.id ?? ""],
        startDate: "2026-06-01",
        targetDate: index === 2 ? null : "2026-12-18",
        createdAt: start + index * 20 * day,
        updatedAt: end - index * day
      }
      projects.put(account, made.id, made)
      return made
    }
  )

const addCycles = (account: Account, team: Team): ReadonlyArray<string> =>
  Array.from({ length: 14 }, (_, index) => {
    const id = freshId(account)
    const startsAt = Date.UTC(2026, 5, 1) + index * 14 * day
    cycles.put(account, id, {
      id,
      team: team.id,
      number: index + 1,
      name: index === 3 ? "Summer" : null,
      startsAt,
      endsAt: startsAt + 14 * day,
      createdAt: startsAt - 30 * day
    })
    return id
  })

const kinds = ["bug", "feature", "chore"]

const addIssues = (
  account: Account,
  team: Team,
  count: number,
  offset: number,
  with_: { labels: ReadonlyArray<string>; projects: ReadonlyArray<Project>; cycles: ReadonlyArray<string> }
) => {
  const own = states.all(account).filter((state) => state.team === team.id)
  const made: Array<Issue> = []
  for (let number = 1; number <= count; number += 1) {
    const next = random(3_000 + offset + number)
    const place = number + offset
    const item = work[place % work.length]
    const state = own[Math.floor(next() * own.length)]
    const createdAt = start + Math.floor((number / (count + 1)) * (end - start))
    const updatedAt = Math.min(end, createdAt + Math.floor(next() * 15 * day))
    const kind = with_.labels[kinds.indexOf(item?.kind ?? "chore")]
    const issue: Issue = {
      id: freshId(account),
      team: team.id,
      number,
      title: item?.title ?? "",
      description: number === 5 ? `${item?.text ?? ""}\n\n`.repeat(170) : place % 7 === 6 ? null : (item?.text ?? ""),
      state: state?.id ?? "",
      priority: place % 5,
      assignee: place % 4 === 2 ? null : personAt(place),
      creator: personAt(place * 3 + 1),
      labels: [
        ...(kind === undefined || place % 11 === 7 ? [] : [kind]),
        ...(place % 6 === 0 ? with_.labels.slice(3, 4) : [])
      ],
      project: place % 3 === 0 ? (with_.projects[place % with_.projects.length]?.id ?? null) : null,
      cycle: place % 4 === 1 ? (with_.cycles[place % Math.max(1, with_.cycles.length)] ?? null) : null,
      parent: number % 10 === 4 ? (made.at(-2)?.id ?? null) : null,
      estimate: place % 2 === 0 ? 1 + (place % 5) : null,
      dueDate: place % 5 === 0 ? new Date(createdAt + 30 * day).toISOString().slice(0, 10) : null,
      createdAt,
      updatedAt,
      startedAt: state?.type === "started" ? updatedAt : null,
      completedAt: state?.type === "completed" ? updatedAt : null,
      canceledAt: state?.type === "canceled" ? updatedAt : null,
      archivedAt: number % 29 === 28 ? updatedAt : null,
      trashed: false
    }
    issues.put(account, issue.id, issue)
    made.push(issue)
    addComments(account, issue, number === 5 ? 34 : number % 4)
  }
  made.forEach((issue, index) => {
    const other = made[index + 2]
    if (index % 8 !== 1 || other === undefined) return
    const id = freshId(account)
    relations.put(account, id, {
      id,
      type: index % 16 === 1 ? "blocks" : "related",
      issue: issue.id,
      related: other.id,
      createdAt: issue.updatedAt
    })
  })
}

const addComments = (account: Account, issue: Issue, count: number) => {
  const next = random(8_000 + issue.number)
  for (let index = 0; index < count; index += 1) {
    const id = freshId(account)
    const at = Math.min(end, issue.createdAt + (index + 1) * 7_200_000) + index
    const body = pick(next, remarks)
    comments.put(account, id, {
      id,
      issue: issue.id,
      user: personAt(index + issue.number),
      body: issue.number === 5 && index === 33 ? `${body} `.repeat(90) : body,
      parent: null,
      createdAt: at,
      updatedAt: at,
      editedAt: null
    })
  }
}

/** Sample data of a new account: 3 teams, 6 projects, and 112 issues in the first team. */
export const seed = (account: Account): void => {
  addPeople(account)
  const harbor = addTeam(account, "HAR", "Harbor", "Parcel tracking")
  const web = addTeam(account, "WEB", "Website", null)
  const operations = addTeam(account, "OPS", "Operations", "Keeping it running")
  const with_ = {
    labels: addLabels(account, harbor),
    projects: addProjects(account, [harbor, web]),
    cycles: addCycles(account, harbor)
  }
  addIssues(account, harbor, 112, 0, with_)
  addIssues(account, web, 13, 40, { ...with_, cycles: [] })
  addIssues(account, operations, 21, 80, { ...with_, cycles: [] })
}
