import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { part } from "../Answers.ts"
import { anyText, choice, flag, formed, from, optional, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, paging, repository, total } from "./Calls.ts"
import { account, branch, release, releaseLine, repositoryDetails, repositoryLine } from "./Shapes.ts"

const root = "/repos/:owner/:repo"

/** A branch's or tag's name, as git allows them: https://git-scm.com/docs/git-check-ref-format */
export const branchName = (description: string) =>
  formed(
    description,
    /^(?!\/|.*(?:\.\.|\/\/|@\{|\/\.|^-))[^\s~^:?*[\]\\]{1,250}(?<!\/|\.lock)$/,
    "a branch's name without spaces"
  )

/** Repositories, their branches and releases, and whose account it is. https://docs.github.com/en/rest/repos */
export const repositoryTools = ({ call, one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "github_get_me",
    title: "Get the connected GitHub account",
    description:
      "Tells whose GitHub account is connected: login, name, profile. Use it to find out who `me` is before you filter issues or pull requests by author or assignee.",
    keywords: ["whoami", "current user", "my profile", "my login"],
    hints: hints.read,
    scopes: ["read:user"],
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(one(connection, { operation: "users.me", method: "GET", path: "/user" }), (user) => account(user))
  }),
  tool({
    name: "github_list_repositories",
    title: "List repositories",
    description:
      "Lists repositories that the connected account can reach, last changed first: its own and those of its organisations; or, with `organization`, those of one organisation. To find public repositories by topic or words, use github_search_repositories.",
    keywords: ["my repos", "projects", "browse repositories", "organization repos"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      organization: optional(text("Login of an organisation, to list its repositories only.", 100)),
      visibility: otherwise(choice("Which ones; all when left out.", "all", "public", "private"), "all"),
      ...paging
    }),
    run: (connection, { organization, visibility, ...paged }) =>
      page(
        connection,
        {
          operation: "repositories.list",
          method: "GET",
          path: organization === undefined ? "/user/repos" : "/orgs/:organization/repos",
          ...(organization === undefined ? {} : { params: { organization } }),
          query: { [organization === undefined ? "visibility" : "type"]: visibility, sort: "pushed", direction: "desc" }
        },
        paged,
        { name: "repositories", show: repositoryLine }
      )
  }),
  tool({
    name: "github_search_repositories",
    title: "Search repositories",
    description:
      "Finds repositories on all of GitHub by words and qualifiers, such as `tracing language:rust stars:>100`, `org:acme topic:billing`. Answers at most 1,000 hits in pages.",
    keywords: ["find repo", "look for project", "discover", "open source"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      query: text("Words and qualifiers (`org:`, `user:`, `language:`, `topic:`, `stars:`, `in:name`).", 256),
      sort: optional(choice("Order; by best match when left out.", "stars", "forks", "updated")),
      ...paging
    }),
    run: (connection, { query, sort, ...paged }) =>
      page(
        connection,
        { operation: "search.repositories", method: "GET", path: "/search/repositories", query: { q: query, sort } },
        paged,
        { name: "repositories", show: repositoryLine, member: "items", about: total }
      )
  }),
  tool({
    name: "github_get_repository",
    title: "Get a repository",
    description:
      "Gets one repository: description, default branch, visibility, topics, what the connected account may do in it, and how many issues are open.",
    keywords: ["repo details", "about the project", "default branch", "permissions"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct(repository),
    run: (connection, params) =>
      Effect.map(one(connection, { operation: "repositories.get", method: "GET", path: root, params }), (found) =>
        repositoryDetails(found)
      )
  }),
  tool({
    name: "github_create_repository",
    title: "Create a repository",
    description:
      "Creates a repository for the connected account or for an organisation of it. It is private unless `private` is false. With `initialize` it starts with a README and a default branch.",
    keywords: ["new repo", "start a project", "make repository"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      name: repository.repo,
      organization: optional(text("Login of the organisation it is for; the account itself when left out.", 100)),
      description: optional(anyText("What it is, in a sentence.", 350)),
      private: otherwise(flag("Only members see it. True when left out."), true),
      initialize: otherwise(flag("Starts with a commit that holds a README. True when left out."), true)
    }),
    run: (connection, { initialize, organization, ...repo }) =>
      Effect.map(
        one(connection, {
          operation: "repositories.create",
          method: "POST",
          path: organization === undefined ? "/user/repos" : "/orgs/:organization/repos",
          ...(organization === undefined ? {} : { params: { organization } }),
          json: { ...repo, auto_init: initialize }
        }),
        repositoryDetails
      )
  }),
  tool({
    name: "github_fork_repository",
    title: "Fork a repository",
    description:
      "Copies a repository to the connected account or an organisation of it, as the first step of a contribution to a repository without write access. GitHub copies in the background: the fork may be empty for a while.",
    keywords: ["copy repo", "duplicate repository", "contribute"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      organization: optional(
        text("Login of the organisation that gets the fork; the account itself when left out.", 100)
      )
    }),
    run: (connection, { organization, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "repositories.fork",
          method: "POST",
          path: `${root}/forks`,
          params,
          json: { organization }
        }),
        repositoryDetails
      )
  }),
  tool({
    name: "github_list_branches",
    title: "List branches",
    description: "Lists the branches of a repository with the commit that each is at, and whether it is protected.",
    keywords: ["git branches", "heads"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, ...paging }),
    run: (connection, { limit, page: number, ...params }) =>
      page(
        connection,
        { operation: "branches.list", method: "GET", path: `${root}/branches`, params },
        { limit, page: number },
        { name: "branches", show: branch }
      )
  }),
  tool({
    name: "github_create_branch",
    title: "Create a branch",
    description:
      "Creates a branch at the tip of another one (the default branch unless `from` names one). It is the first step of a change: create a branch, write files to it, open a pull request.",
    keywords: ["new branch", "git checkout -b", "start work"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      branch: branchName("Name of the new branch, such as `fix/login-timeout`."),
      from: optional(branchName("Branch it starts at; the default branch when left out."))
    }),
    run: (connection, { branch, from, ...params }) =>
      Effect.gen(function* () {
        const source =
          from ??
          getPath(
            yield* one(connection, { operation: "repositories.get", method: "GET", path: root, params }),
            "default_branch"
          )
        const tip = yield* one(connection, {
          operation: "branches.get",
          method: "GET",
          path: `${root}/git/ref/:ref`,
          params: { ...params, ref: `heads/${String(source)}` }
        })
        const sha = getPath(tip, "object.sha")
        yield* one(connection, {
          operation: "branches.create",
          method: "POST",
          path: `${root}/git/refs`,
          params,
          json: { ref: `refs/heads/${branch}`, sha }
        })
        return { branch, from: source, sha }
      })
  }),
  tool({
    name: "github_delete_branch",
    title: "Delete a branch",
    description:
      "Deletes a branch for good; commits that are on no other branch get lost. A default or protected branch is refused. Usual after a pull request is merged.",
    keywords: ["remove branch", "clean up branch"],
    hints: hints.remove,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, branch: branchName("Name of the branch.") }),
    run: (connection, { branch, ...params }) =>
      Effect.as(
        call(connection, {
          operation: "branches.delete",
          method: "DELETE",
          path: `${root}/git/refs/:ref`,
          params: { ...params, ref: `heads/${branch}` }
        }),
        { deleted: branch }
      )
  }),
  tool({
    name: "github_list_releases",
    title: "List releases",
    description:
      "Lists the releases of a repository, newest first, with tag, date and the beginning of their notes; github_get_release reads the notes in full.",
    keywords: ["versions", "changelog", "release notes", "latest version", "tags"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, ...paging }),
    run: (connection, { limit, page: number, ...params }) =>
      page(
        connection,
        { operation: "releases.list", method: "GET", path: `${root}/releases`, params },
        { limit, page: number },
        { name: "releases", show: releaseLine(limit) }
      )
  }),
  tool({
    name: "github_get_release",
    title: "Get a release",
    description:
      "Gets the release of a tag with its notes, 12,000 characters at a time (`next_from` tells where to read on).",
    keywords: ["release notes", "changelog", "what is new in a version"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, tag: text("Tag of the release, such as `v1.2.0`.", 250), from }),
    run: (connection, { from, ...params }) =>
      Effect.map(
        one(connection, { operation: "releases.get", method: "GET", path: `${root}/releases/tags/:tag`, params }),
        (found) => ({ ...release(found), ...part("notes", getPath(found, "body"), 12_000, from) })
      )
  })
]
