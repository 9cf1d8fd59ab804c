import { api } from "./Answers.ts"
import type { Repository } from "./Tables.ts"

// The addresses that records of the API name of what belongs to them; `{…}` are RFC 6570's.

/** The website, where people see the objects of the API. */
export const web = "https://github.com"

export const fullName = ({ name, owner }: Repository) => `${owner}/${name}`
export const apiOf = (repository: Repository) => `${api}/repos/${fullName(repository)}`
export const webOf = (repository: Repository) => `${web}/${fullName(repository)}`

/** `_links`: the same addresses once more. */
export const linksTo = (addresses: { readonly [name: string]: string }) =>
  Object.fromEntries(Object.entries(addresses).map(([name, href]) => [name, { href }]))

export const loginAddresses = (login: string) => {
  const at = `${api}/users/${login}`
  return {
    followers_url: `${at}/followers`,
    following_url: `${at}/following{/other_user}`,
    gists_url: `${at}/gists{/gist_id}`,
    starred_url: `${at}/starred{/owner}{/repo}`,
    subscriptions_url: `${at}/subscriptions`,
    organizations_url: `${at}/orgs`,
    repos_url: `${at}/repos`,
    events_url: `${at}/events{/privacy}`,
    received_events_url: `${at}/received_events`
  }
}

export const repositoryAddresses = (repository: Repository) => {
  const at = apiOf(repository)
  return {
    url: at,
    html_url: webOf(repository),
    archive_url: `${at}/{archive_format}{/ref}`,
    assignees_url: `${at}/assignees{/user}`,
    blobs_url: `${at}/git/blobs{/sha}`,
    branches_url: `${at}/branches{/branch}`,
    collaborators_url: `${at}/collaborators{/collaborator}`,
    comments_url: `${at}/comments{/number}`,
    commits_url: `${at}/commits{/sha}`,
    compare_url: `${at}/compare/{base}...{head}`,
    contents_url: `${at}/contents/{+path}`,
    contributors_url: `${at}/contributors`,
    deployments_url: `${at}/deployments`,
    downloads_url: `${at}/downloads`,
    events_url: `${at}/events`,
    forks_url: `${at}/forks`,
    git_commits_url: `${at}/git/commits{/sha}`,
    git_refs_url: `${at}/git/refs{/sha}`,
    git_tags_url: `${at}/git/tags{/sha}`,
    hooks_url: `${at}/hooks`,
    issue_comment_url: `${at}/issues/comments{/number}`,
    issue_events_url: `${at}/issues/events{/number}`,
    issues_url: `${at}/issues{/number}`,
    keys_url: `${at}/keys{/key_id}`,
    labels_url: `${at}/labels{/name}`,
    languages_url: `${at}/languages`,
    merges_url: `${at}/merges`,
    milestones_url: `${at}/milestones{/number}`,
    notifications_url: `${at}/notifications{?since,all,participating}`,
    pulls_url: `${at}/pulls{/number}`,
    releases_url: `${at}/releases{/id}`,
    stargazers_url: `${at}/stargazers`,
    statuses_url: `${at}/statuses/{sha}`,
    subscribers_url: `${at}/subscribers`,
    subscription_url: `${at}/subscription`,
    tags_url: `${at}/tags`,
    teams_url: `${at}/teams`,
    trees_url: `${at}/git/trees{/sha}`,
    clone_url: `${webOf(repository)}.git`,
    git_url: `git://github.com/${fullName(repository)}.git`,
    ssh_url: `git@github.com:${fullName(repository)}.git`,
    svn_url: webOf(repository),
    mirror_url: null
  }
}
