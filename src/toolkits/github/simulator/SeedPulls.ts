import type { Account } from "../../../providers/simulation/Account.ts"
import { random } from "../../../providers/simulation/SampleCompany.ts"
import { putCommit } from "./Git.ts"
import { addCommit, day, end, hour, personAt, setBranch, tipOf } from "./SeedHistory.ts"
import { putIssue, sampleIssue } from "./SeedIssues.ts"
import { checkRuns, freshId, me, type Repository, reviewComments, reviews } from "./Tables.ts"

/** Pull requests with a branch, checks and reviews; every third is merged, one clashes with the default branch. */
export const addPulls = (account: Account, repository: Repository, count: number, first: number) => {
  for (let index = 0; index < count; index += 1) {
    const next = random(70_000 + index)
    const number = first + index
    const { pull: _, ...issue } = sampleIssue(account, repository, number, index * 2 + 1, next)
    const slug = issue.title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 32)
      .replace(/-$/, "")
    const branch = `${issue.labels[0] === "bug" ? "fix" : "feature"}/${slug === "" ? `work-${number}` : slug}`
    const isMerged = index % 3 === 0
    const author = index === 1 ? me : personAt(index + 1)
    const isClash = index === 2
    const parent = tipOf(account, repository, "main")
    const at = Math.max(parent?.at ?? 0, issue.createdAt) + hour
    const head = addCommit(account, repository, branch, {
      at,
      author,
      message: `${issue.title}\n\nCloses #${index + 1}`,
      files: {
        [isClash ? "src/retry.ts" : `src/work/${number}.ts`]:
          `export const change${number} = ${JSON.stringify(issue.title)}\n`,
        [`test/work-${number}.test.ts`]: Array.from({ length: 12 + index }, (_, line) => `check(${line})`).join("\n")
      }
    })
    const reviewers = isMerged ? [] : [personAt(index + 3), personAt(index + 4)].filter((login) => login !== author)
    const merge = isMerged
      ? putCommit(account, {
          message: `Merge pull request #${number} from ${repository.owner}/${branch}`,
          author: me,
          at: at + day,
          parents: [parent?.sha ?? "", head.sha],
          tree: head.tree
        })
      : undefined
    if (merge !== undefined) setBranch(account, repository, "main", merge.sha, true)
    putIssue(account, {
      ...issue,
      body: `Closes #${index + 1}.\n\n${issue.body ?? ""}`,
      user: author,
      state: isMerged ? "closed" : "open",
      reason: null,
      closedAt: merge?.at ?? null,
      closedBy: isMerged ? me : null,
      createdAt: at,
      updatedAt: merge?.at ?? at,
      pull: {
        headRepository: `${repository.owner}/${repository.name}`,
        headRef: branch,
        headSha: head.sha,
        baseRef: "main",
        isDraft: index % 5 === 4,
        mergedAt: merge?.at ?? null,
        mergedBy: isMerged ? me : null,
        mergeSha: merge?.sha ?? null,
        reviewers,
        teams: []
      }
    })
    addChecks(account, head.sha, at, index)
    if (index % 2 === 0) addReview(account, repository, number, head.sha, at, personAt(index + 6), isMerged)
  }
  // makes the third pull request clash
  addCommit(account, repository, "main", {
    at: end - 5 * day,
    author: personAt(5),
    message: "fix(api): stop after 410 Gone",
    files: {
      "src/retry.ts":
        "export const retryAfter = (attempt) => Math.min(3600, 2 ** attempt)\n\nexport const isLost = (status) => status === 410\n"
    }
  })
}

const addChecks = (account: Account, sha: string, at: number, index: number) => {
  for (const name of ["lint", "test", "types"]) {
    const id = freshId(account)
    const isFailed = name === "test" && index % 4 === 1
    const isRunning = name === "types" && index % 7 === 5
    checkRuns.put(account, String(id), {
      id,
      sha,
      name,
      status: isRunning ? "in_progress" : "completed",
      conclusion: isRunning ? null : isFailed ? "failure" : "success",
      title: isFailed ? "3 of 214 tests failed" : null,
      startedAt: at + 60_000,
      completedAt: isRunning ? null : at + 240_000
    })
  }
}

const addReview = (
  account: Account,
  repository: Repository,
  number: number,
  sha: string,
  at: number,
  user: string,
  isApproval: boolean
) => {
  const review = freshId(account)
  reviews.put(account, String(review), {
    id: review,
    repository: repository.id,
    number,
    user,
    body: isApproval ? "Looks right to me." : "Two remarks inline.",
    state: isApproval ? "APPROVED" : "CHANGES_REQUESTED",
    sha,
    submittedAt: at + 4 * hour
  })
  const id = freshId(account)
  reviewComments.put(account, String(id), {
    id,
    repository: repository.id,
    number,
    review,
    inReplyTo: null,
    user,
    body: "Could this have a name that says what is checked?",
    path: `test/work-${number}.test.ts`,
    line: 2,
    startLine: null,
    side: "RIGHT",
    hunk: "@@ -0,0 +1,12 @@\n+check(0)\n+check(1)",
    sha,
    createdAt: at + 4 * hour
  })
}
