import { createHash } from "node:crypto"
import type { Account } from "../../../providers/simulation/Account.ts"
import { blobs, type Commit, commits } from "./Tables.ts"

// As much of git as the API shows: blobs, commits with their whole tree, differences, merges.

type Tree = Commit["tree"]

const hashOf = (kind: string, content: Uint8Array | string) =>
  createHash("sha1")
    .update(`${kind} ${Buffer.byteLength(content)}\0`)
    .update(content)
    .digest("hex")

/** Keeps a file's content and gives its hash, which is git's own. */
export const putBlob = (account: Account, content: Uint8Array): string => {
  const sha = hashOf("blob", content)
  blobs.put(account, sha, { sha, base64: Buffer.from(content).toString("base64") })
  return sha
}

export const contentOf = (account: Account, sha: string): Uint8Array =>
  Buffer.from(blobs.get(account, sha)?.base64 ?? "", "base64")

export const textOf = (account: Account, sha: string | undefined): string =>
  sha === undefined ? "" : Buffer.from(contentOf(account, sha)).toString("utf8")

/** The hash of a directory: different when anything below it is. */
export const treeHash = (tree: Tree, directory = ""): string =>
  hashOf(
    "tree",
    JSON.stringify(
      Object.entries(tree)
        .filter(([path]) => path.startsWith(directory))
        .sort(([a], [b]) => (a < b ? -1 : 1))
    )
  )

export const putCommit = (account: Account, { parents, ...commit }: Omit<Commit, "sha">): Commit => {
  // a commit is always later than its parents, so that their order is one by time
  const at = Math.max(commit.at, ...parents.map((parent) => (commits.get(account, parent)?.at ?? 0) + 1))
  const sha = hashOf("commit", JSON.stringify([commit.message, commit.author, at, parents, commit.tree]))
  const made = { ...commit, sha, at, parents }
  commits.put(account, sha, made)
  return made
}

/** A commit and all before it, newest first. */
export const history = (account: Account, sha: string): ReadonlyArray<Commit> => {
  const found = new Map<string, Commit>()
  const waiting = [sha]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const commit = found.has(next) ? undefined : commits.get(account, next)
    if (commit === undefined) continue
    found.set(next, commit)
    waiting.push(...commit.parents)
  }
  return [...found.values()].sort((a, b) => b.at - a.at)
}

/** The newest commit that both lead to. */
export const mergeBase = (account: Account, one: string, other: string): Commit | undefined => {
  const ofOther = new Set(history(account, other).map(({ sha }) => sha))
  return history(account, one).find(({ sha }) => ofOther.has(sha))
}

/** Commits that `head` leads to and `base` does not, newest first. */
export const ahead = (account: Account, head: string, base: string): ReadonlyArray<Commit> => {
  const ofBase = new Set(history(account, base).map(({ sha }) => sha))
  return history(account, head).filter(({ sha }) => !ofBase.has(sha))
}

// differences -----------------------------------------------------------------------------------------------------------

export interface FileChange {
  readonly path: string
  readonly status: "added" | "removed" | "modified"
  readonly sha: string
  readonly additions: number
  readonly deletions: number
  /** Undefined for a binary file. */
  readonly patch: string | undefined
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** Lines around a change that its hunk shows. */
const around = 3

/** One hunk from the first line that differs to the last. */
const patchOf = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const shorter = Math.min(before.length, after.length)
  let top = 0
  while (top < shorter && before[top] === after[top]) top += 1
  let bottom = 0
  while (bottom < shorter - top && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1
  const from = Math.max(0, top - around)
  const below = Math.max(0, bottom - around)
  const removed = before.slice(top, before.length - bottom)
  const added = after.slice(top, after.length - bottom)
  const range = (lines: ReadonlyArray<string>) => {
    const count = lines.length - below - from
    return `${lines.length === 0 ? 0 : from + 1},${count}`
  }
  const hunk = [
    `@@ -${range(before)} +${range(after)} @@`,
    ...before.slice(from, top).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...before.slice(before.length - bottom, before.length - below).map((line) => ` ${line}`)
  ]
  return { additions: added.length, deletions: removed.length, patch: hunk.join("\n") }
}

const isBinary = (account: Account, sha: string | undefined) => sha !== undefined && contentOf(account, sha).includes(0)

/** The files that differ between two trees, in the order of their paths. */
export const changes = (account: Account, before: Tree, after: Tree): ReadonlyArray<FileChange> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .sort()
    .map((path) => {
      const [old, fresh] = [before[path], after[path]]
      const status = old === undefined ? "added" : fresh === undefined ? "removed" : "modified"
      const change = { path, status, sha: fresh ?? old ?? "" } as const
      return isBinary(account, old) || isBinary(account, fresh)
        ? { ...change, additions: 0, deletions: 0, patch: undefined }
        : { ...change, ...patchOf(linesOf(textOf(account, old)), linesOf(textOf(account, fresh))) }
    })

/** The whole difference as `git diff` writes it. */
export const diffOf = (files: ReadonlyArray<FileChange>): string =>
  files
    .map(({ patch, path, status }) =>
      [
        `diff --git a/${path} b/${path}`,
        ...(status === "added" ? ["new file mode 100644"] : status === "removed" ? ["deleted file mode 100644"] : []),
        `--- ${status === "added" ? "/dev/null" : `a/${path}`}`,
        `+++ ${status === "removed" ? "/dev/null" : `b/${path}`}`,
        patch ?? "Binary files differ",
        ""
      ].join("\n")
    )
    .join("")

// merging -------------------------------------------------------------------------------------------------------------------

/** The tree of a merge of `head` into `base`; undefined when both changed a file, each in its own way. */
export const merged = (account: Account, base: Commit, head: Commit): Tree | undefined => {
  const from = mergeBase(account, head.sha, base.sha)?.tree ?? {}
  const paths = [...new Set([...Object.keys(from), ...Object.keys(base.tree), ...Object.keys(head.tree)])]
  const isClash = (path: string) =>
    from[path] !== base.tree[path] && from[path] !== head.tree[path] && base.tree[path] !== head.tree[path]
  if (paths.some(isClash)) return undefined
  return Object.fromEntries(
    paths.flatMap((path) => {
      const sha = from[path] === head.tree[path] ? base.tree[path] : head.tree[path]
      return sha === undefined ? [] : [[path, sha] as const]
    })
  )
}
