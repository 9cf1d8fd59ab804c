import type { Account } from "../../../providers/simulation/Account.ts"
import { staff, work } from "../../../providers/simulation/SampleSoftware.ts"
import { putBlob, putCommit } from "./Git.ts"
import { branches, commits, freshId, keyOf, me, repositories, type Repository, within } from "./Tables.ts"

// Repositories of the sample, with their commits.

export const hour = 3_600_000
export const day = 24 * hour
export const start = Date.UTC(2025, 1, 3, 8, 30)
/** When the sample data ends. */
export const end = Date.UTC(2026, 9, 30, 16, 40)

const people = staff.map(({ login }) => login)
export const personAt = (index: number) => people[index % people.length] ?? me

export type Facts = Partial<
  Pick<Repository, "description" | "isPrivate" | "isArchived" | "language" | "topics" | "stars" | "mayPush" | "license">
>

export const addRepository = (
  account: Account,
  owner: string,
  name: string,
  facts: Facts,
  createdAt: number
): Repository => {
  const made: Repository = {
    id: freshId(account),
    owner,
    name,
    description: null,
    homepage: null,
    isPrivate: false,
    parent: null,
    isArchived: false,
    language: null,
    topics: [],
    license: null,
    defaultBranch: "main",
    stars: 0,
    mayPush: true,
    createdAt,
    pushedAt: createdAt,
    ...facts
  }
  repositories.put(account, keyOf(owner, name), made)
  return made
}

export const setBranch = (account: Account, repository: Repository, name: string, sha: string, isProtected = false) => {
  branches.put(account, within(repository.id, name), { repository: repository.id, name, sha, isProtected })
  const pushedAt = Math.max(repository.pushedAt, commits.get(account, sha)?.at ?? 0)
  repositories.put(account, keyOf(repository.owner, repository.name), { ...repository, pushedAt })
}

/** The commit that a branch is at. */
export const tipOf = (account: Account, repository: Repository, name: string) =>
  commits.get(account, branches.get(account, within(repository.id, name))?.sha ?? "")

/** One more commit on a branch, which begins at the default branch where it is new. */
export const addCommit = (
  account: Account,
  repository: Repository,
  branch: string,
  {
    at,
    author,
    files,
    message
  }: { at: number; author: string; message: string; files: { [path: string]: string | Uint8Array } }
) => {
  const tip = tipOf(account, repository, branch) ?? tipOf(account, repository, repository.defaultBranch)
  const blobs = Object.entries(files).map(([path, content]) => [path, putBlob(account, Buffer.from(content))] as const)
  const commit = putCommit(account, {
    message,
    author,
    at,
    parents: tip === undefined ? [] : [tip.sha],
    tree: { ...tip?.tree, ...Object.fromEntries(blobs) }
  })
  setBranch(account, repository, branch, commit.sha, branch === repository.defaultBranch)
  return commit
}

/** A first commit with all files, and then small ones until the end of the sample. */
export const addHistory = (
  account: Account,
  repository: Repository,
  files: { readonly [path: string]: string | Uint8Array },
  count: number
) => {
  addCommit(account, repository, "main", {
    at: repository.createdAt + hour,
    author: me,
    message: "First version",
    files
  })
  for (let index = 0; index < count; index += 1) {
    const at = repository.createdAt + Math.floor(((index + 1) / (count + 1)) * (end - 20 * day - repository.createdAt))
    const item = work[index % work.length]
    const isFix = item?.kind === "bug"
    addCommit(account, repository, "main", {
      at,
      // a contractor without an account
      author: index % 9 === 4 ? "Lotte Brandt" : personAt(index * 3),
      message: `${isFix ? "fix" : "feat"}(${item?.area ?? "core"}): ${item?.title ?? ""}\n\n${item?.text ?? ""}`,
      files: { [`notes/${index % 7}.md`]: `# Note ${index}\n\n${item?.text ?? ""}\n` }
    })
  }
}
