import type { Account } from "../../../providers/simulation/Account.ts"
import { pick, random } from "../../../providers/simulation/SampleCompany.ts"
import { remarks, work } from "../../../providers/simulation/SampleSoftware.ts"
import { day, end, hour, personAt, start } from "./SeedHistory.ts"
import { comments, freshId, type Issue, issues, labels, milestones, type Repository, within } from "./Tables.ts"

// Issues of the sample, with labels, milestones and comments.

const palette: ReadonlyArray<readonly [name: string, color: string, description: string | null]> = [
  ["bug", "d73a4a", "Something is not as it should be"],
  ["enhancement", "a2eeef", "New feature or request"],
  ["chore", "cfd3d7", "Has to be done"],
  ["good first issue", "7057ff", "Good for newcomers"],
  ["area: api", "0e8a16", null],
  ["area: carriers", "0e8a16", null],
  ["area: dashboard", "0e8a16", null],
  ["help wanted", "008672", null],
  ["priority: high", "b60205", "Before anything else"]
]

const kindLabel = { bug: "bug", feature: "enhancement", chore: "chore" } as const

const areaLabel = (area: string) => palette.flatMap(([name]) => (name === `area: ${area}` ? [name] : []))

export const addLabels = (account: Account, repository: Repository) => {
  for (const [name, color, description] of palette) {
    labels.put(account, within(repository.id, name), {
      id: freshId(account),
      repository: repository.id,
      name,
      color,
      description
    })
  }
}

export const addMilestones = (account: Account, repository: Repository) => {
  const all = ["4.0 Carriers", "4.1 Paging", "5.0 Offline"]
  all.forEach((title, index) =>
    milestones.put(account, within(repository.id, index + 1), {
      id: freshId(account),
      repository: repository.id,
      number: index + 1,
      title,
      description: index === 1 ? "Cursors everywhere" : null,
      state: index === 0 ? "closed" : "open",
      dueOn: end + (index - 1) * 40 * day,
      createdAt: start + index * 90 * day
    })
  )
}

const addComments = (account: Account, issue: Issue, count: number, next: () => number) => {
  for (let index = 0; index < count; index += 1) {
    const at = Math.min(end, issue.createdAt + (index + 1) * 5 * hour)
    const id = freshId(account)
    // one long discussion is there to be read on
    const body = issue.number === 2 && index === 0 ? `${pick(next, remarks)}\n\n`.repeat(90) : pick(next, remarks)
    comments.put(account, String(id), {
      id,
      repository: issue.repository,
      number: issue.number,
      user: personAt(index + issue.number),
      body,
      createdAt: at,
      updatedAt: at
    })
  }
}

export const sampleIssue = (
  account: Account,
  repository: Repository,
  number: number,
  place: number,
  next: () => number
): Issue => {
  const item = work[place % work.length]
  const createdAt = start + 40 * day + Math.floor((number / 64) * (end - start - 60 * day))
  const isClosed = next() < 0.35
  return {
    id: freshId(account),
    repository: repository.id,
    number,
    title: item?.title ?? "",
    body: place % 9 === 8 ? null : (item?.text ?? ""),
    user: personAt(place * 5 + 1),
    state: isClosed ? "closed" : "open",
    reason: isClosed ? (place % 6 === 5 ? "not_planned" : "completed") : null,
    labels:
      place % 13 === 6
        ? []
        : [
            kindLabel[item?.kind ?? "bug"],
            ...areaLabel(item?.area ?? ""),
            ...(place % 11 === 3 ? ["priority: high"] : [])
          ],
    assignees: place % 3 === 0 ? [] : [personAt(place), ...(place % 7 === 1 ? [personAt(place + 2)] : [])],
    milestone: place % 4 === 0 ? 1 + (place % 3) : null,
    createdAt,
    updatedAt: createdAt + 3 * day,
    closedAt: isClosed ? createdAt + 3 * day : null,
    closedBy: isClosed ? personAt(place) : null,
    pull: null
  }
}

export const putIssue = (account: Account, issue: Issue) =>
  issues.put(account, within(issue.repository, issue.number), issue)

export const addIssues = (account: Account, repository: Repository, count: number, seedOf: number) => {
  for (let index = 0; index < count; index += 1) {
    const next = random(seedOf + index)
    const issue = sampleIssue(account, repository, index + 1, index + seedOf, next)
    const long = `${issue.body ?? ""}\n\n`.repeat(180)
    putIssue(
      account,
      index === 1 ? { ...issue, state: "open", reason: null, closedAt: null, closedBy: null, body: long } : issue
    )
    addComments(account, issue, index === 1 ? 40 : index % 4, next)
  }
}
