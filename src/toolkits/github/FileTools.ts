import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Invalid, ProviderError } from "../../providers/ProviderError.ts"
import { each, part, shown } from "../Answers.ts"
import { anyText, formed, from, optional, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, paging, repository, total } from "./Calls.ts"
import { branchName } from "./RepositoryTools.ts"
import { changedFile, commitLine, entry, fileLine, foundCode } from "./Shapes.ts"

const root = "/repos/:owner/:repo"
const contents = `${root}/contents/:path`

/** Characters of a file that one answer holds. */
const fileLength = 20_000

const path = formed(
  "Path of the file from the root of the repository, such as `src/server.ts`.",
  /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$)).{1,1000}(?<!\/)$/,
  "a path inside the repository, without a slash at its ends"
)

const ref = optional(text("Branch, tag or commit; the default branch when left out.", 250))

const refused = (operation: string, name: string, words: string) =>
  new ProviderError({
    provider: "github",
    operation,
    reason: new Invalid({ fields: { [name]: words } }),
    detail: words
  })

/** A file's text; undefined where it is none. */
const textOf = (content: string): string | undefined => {
  const bytes = Buffer.from(content, "base64")
  return bytes.includes(0) ? undefined : bytes.toString("utf8")
}

const comparison = shown({
  status: "status",
  ahead_by: "ahead_by",
  behind_by: "behind_by",
  merge_base: "merge_base_commit.sha",
  files: each("files", fileLine),
  url: "html_url"
})

/** Files and commits. https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits */
export const fileTools = ({ call, one, page }: Calls): ReadonlyArray<ConnectionTool> => {
  const contentsAt = (
    connection: ConnectionRef,
    params: { readonly [name: string]: string },
    query: { ref?: string }
  ) => call(connection, { operation: "files.get", method: "GET", path: contents, params, query })

  /** GitHub leaves the content of a file of more than a megabyte out of the object that describes it. */
  const whole = (connection: ConnectionRef, params: { readonly [name: string]: string }, query: { ref?: string }) =>
    Effect.map(
      call(connection, {
        operation: "files.raw",
        method: "GET",
        path: contents,
        params,
        query,
        headers: { accept: "application/vnd.github.raw+json" },
        text: true
      }),
      ({ body }) => (typeof body === "string" && !body.includes("\0") ? body : undefined)
    )

  return [
    tool({
      name: "github_get_file",
      title: "Read a file",
      description:
        "Reads a text file of a repository at a branch, tag or commit, up to 20,000 characters at a time (`next_from` tells where to read on). Answers its `sha`, which an update or deletion needs. Of a binary file only size and address are answered.",
      keywords: ["open file", "show source", "read code", "file contents", "README"],
      hints: hints.read,
      verbatim: true,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, path, ref, from }),
      run: (connection, { from, ref, ...params }) =>
        Effect.gen(function* () {
          const query = ref === undefined ? {} : { ref }
          const { body } = yield* contentsAt(connection, params, query)
          if (Array.isArray(body)) {
            return yield* refused("files.get", "path", "is a directory: list it with github_list_directory")
          }
          const content = getPath(body, "content")
          const text =
            getPath(body, "encoding") === "none"
              ? yield* whole(connection, params, query)
              : typeof content === "string"
                ? textOf(content)
                : undefined
          return {
            ...entry(body),
            url: getPath(body, "html_url"),
            ...(text === undefined
              ? { ...(getPath(body, "type") === "file" ? { binary: true } : {}) }
              : text === ""
                ? { content: "" }
                : part("content", text, fileLength, from))
          }
        })
    }),
    tool({
      name: "github_list_directory",
      title: "List a directory",
      description:
        "Lists the files and directories right below a directory of a repository, name, path, type, size. GitHub shows the first 1,000 of them. Without `path` it is the root. Use it to find your way before github_get_file.",
      keywords: ["ls", "browse files", "folder", "tree", "project structure"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        path: optional(path.annotations({ description: "Path of the directory; the root when left out." })),
        ref,
        ...paging
      }),
      run: (connection, { limit, page: number, path, ref, ...params }) =>
        Effect.gen(function* () {
          const { body } = yield* call(connection, {
            operation: "files.list",
            method: "GET",
            path: path === undefined ? `${root}/contents` : contents,
            params: { ...params, ...(path === undefined ? {} : { path }) },
            query: { ref }
          })
          if (!Array.isArray(body)) {
            return yield* refused("files.list", "path", "is a file: read it with github_get_file")
          }
          // GitHub answers all of them at once
          const end = number * limit
          return { entries: body.slice(end - limit, end).map(entry), next_page: end < body.length ? number + 1 : null }
        })
    }),
    tool({
      name: "github_search_code",
      title: "Search code",
      description:
        "Finds files by words in them, on default branches only. Narrow it with `repo:owner/name`, `org:name`, `path:`, `language:`, `extension:`, `filename:`. Answers paths; read a hit with github_get_file. GitHub allows 10 such searches a minute.",
      keywords: ["grep", "find in code", "where is it used", "search source"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        query: text("Words to find, with qualifiers, such as `retryAfter repo:acme/api`.", 256),
        ...paging
      }),
      run: (connection, { query, ...paged }) =>
        page(
          connection,
          { operation: "search.code", method: "GET", path: "/search/code", query: { q: query } },
          paged,
          { name: "files", show: foundCode, member: "items", about: total }
        )
    }),
    tool({
      name: "github_create_or_update_file",
      title: "Write a file",
      description:
        "Writes a text file as one commit on a branch. To change a file that exists, give its `sha` from github_get_file: GitHub refuses the write when the file has changed since. `content` is the whole new text. Prefer a branch of its own and a pull request to writing to the default branch.",
      keywords: ["commit", "save file", "edit code", "push change", "add file"],
      hints: hints.update,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        path,
        content: anyText("The whole text of the file.", 1_000_000),
        message: text("Message of the commit."),
        branch: optional(branchName("Branch to commit to; the default branch when left out.")),
        sha: optional(text("`sha` of the file that is replaced; leave it out for a new file.", 64))
      }),
      run: (connection, { branch, content, message, sha, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "files.write",
            method: "PUT",
            path: contents,
            params,
            json: { message, content: Buffer.from(content, "utf8").toString("base64"), branch, sha }
          }),
          (written) => ({
            path: params.path,
            sha: getPath(written, "content.sha"),
            url: getPath(written, "content.html_url"),
            commit: getPath(written, "commit.sha")
          })
        )
    }),
    tool({
      name: "github_delete_file",
      title: "Delete a file",
      description:
        "Deletes a file as one commit on a branch. It needs the file's `sha` from github_get_file, so that nothing is deleted that you have not seen.",
      keywords: ["remove file", "git rm"],
      hints: hints.remove,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        path,
        sha: text("`sha` of the file, from github_get_file.", 64),
        message: text("Message of the commit."),
        branch: optional(branchName("Branch to commit to; the default branch when left out."))
      }),
      run: (connection, { branch, message, sha, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "files.delete",
            method: "DELETE",
            path: contents,
            params,
            json: { message, sha, branch }
          }),
          (deleted) => ({ deleted: params.path, commit: getPath(deleted, "commit.sha") })
        )
    }),
    tool({
      name: "github_list_commits",
      title: "List commits",
      description:
        "Lists commits of a branch, newest first: hash, author, date, message. Narrow it by path, author or time to see who changed what.",
      keywords: ["git log", "history", "recent changes", "who changed", "blame"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        ref,
        path: optional(path.annotations({ description: "Only commits that touch this file or directory." })),
        author: optional(text("Login or e-mail of the author.", 250)),
        since: optional(text("Only commits after this time, such as `2026-01-31T00:00:00Z`.", 40)),
        until: optional(text("Only commits before this time, such as `2026-01-31T00:00:00Z`.", 40)),
        ...paging
      }),
      run: (connection, { author, limit, owner, page: number, path, ref, repo, since, until }) =>
        page(
          connection,
          {
            operation: "commits.list",
            method: "GET",
            path: `${root}/commits`,
            params: { owner, repo },
            query: { sha: ref, path, author, since, until }
          },
          { limit, page: number },
          { name: "commits", show: commitLine }
        )
    }),
    tool({
      name: "github_get_commit",
      title: "Get a commit",
      description:
        "Gets one commit with its whole message and the files it changed, each with the beginning of its patch; more files are on the next page.",
      keywords: ["git show", "diff of a commit", "what changed"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        ref: text("Hash of the commit; or a branch or tag, which means its last commit.", 250),
        ...paging
      }),
      run: (connection, { limit, page: number, ...params }) =>
        page(
          connection,
          { operation: "commits.get", method: "GET", path: `${root}/commits/:ref`, params },
          { limit, page: number },
          {
            name: "files",
            show: changedFile(limit),
            member: "files",
            about: (commit) => ({
              ...commitLine(commit),
              ...part("message", getPath(commit, "commit.message"), fileLength),
              additions: getPath(commit, "stats.additions"),
              deletions: getPath(commit, "stats.deletions")
            })
          }
        )
    }),
    tool({
      name: "github_compare",
      title: "Compare two branches",
      description:
        "Compares two branches, tags or commits: how far `head` is ahead of and behind `base`, the commits that `base` lacks in pages, and with the first page the files that differ (at most 300). Use it before opening a pull request.",
      keywords: ["diff", "ahead behind", "difference between branches", "changes since"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        base: text("Where the comparison starts: a branch, tag or commit.", 250),
        head: text("What is compared with it: a branch, tag or commit.", 250),
        ...paging
      }),
      run: (connection, { base, head, limit, page: number, ...params }) =>
        page(
          connection,
          {
            operation: "commits.compare",
            method: "GET",
            path: `${root}/compare/:basehead`,
            params: { ...params, basehead: `${base}...${head}` }
          },
          { limit, page: number },
          {
            name: "commits",
            show: commitLine,
            member: "commits",
            about: comparison
          }
        )
    })
  ]
}
