import type { Account } from "../../../providers/simulation/Account.ts"
import { apiOf, fullName, web, webOf } from "./Addresses.ts"
import { iso } from "./Answers.ts"
import type { CheckRun, Release, Repository } from "./Tables.ts"
import { loginView, nodeId, userView } from "./Views.ts"

// Releases and runs of checks as the API shows them: https://docs.github.com/en/rest

export const releaseView = (account: Account, repository: Repository, release: Release) => ({
  url: `${apiOf(repository)}/releases/${release.id}`,
  html_url: `${webOf(repository)}/releases/tag/${release.tag}`,
  assets_url: `${apiOf(repository)}/releases/${release.id}/assets`,
  upload_url: `https://uploads.github.com/repos/${fullName(repository)}/releases/${release.id}/assets{?name,label}`,
  tarball_url: release.isDraft ? null : `${apiOf(repository)}/tarball/${release.tag}`,
  zipball_url: release.isDraft ? null : `${apiOf(repository)}/zipball/${release.tag}`,
  id: release.id,
  node_id: nodeId("Release", release.id),
  tag_name: release.tag,
  target_commitish: repository.defaultBranch,
  name: release.name,
  body: release.body,
  draft: release.isDraft,
  prerelease: release.isPrerelease,
  immutable: false,
  created_at: iso(release.publishedAt),
  updated_at: iso(release.publishedAt),
  published_at: release.isDraft ? null : iso(release.publishedAt),
  author: userView(account, release.author),
  assets: []
})

const github = { id: 9919, login: "github", name: "GitHub", type: "Organization", email: null } as const

/** The app that runs checks. */
const actionsView = (account: Account) => ({
  id: 15_368,
  slug: "github-actions",
  node_id: nodeId("App", 15_368),
  owner: loginView(account, github),
  name: "GitHub Actions",
  description: "Automate your workflow from idea to production",
  external_url: "https://help.github.com/en/actions",
  html_url: `${web}/apps/github-actions`,
  created_at: "2018-07-30T09:30:17Z",
  updated_at: "2024-04-10T20:33:16Z",
  permissions: { checks: "write", contents: "write", metadata: "read" },
  events: ["push", "workflow_run"]
})

export const checkRunView = (account: Account, repository: Repository, run: CheckRun) => ({
  id: run.id,
  head_sha: run.sha,
  node_id: nodeId("CheckRun", run.id),
  external_id: "",
  url: `${apiOf(repository)}/check-runs/${run.id}`,
  html_url: `${webOf(repository)}/runs/${run.id}`,
  details_url: `${webOf(repository)}/actions/runs/${run.id}`,
  status: run.status,
  conclusion: run.conclusion,
  started_at: iso(run.startedAt),
  completed_at: iso(run.completedAt),
  output: {
    title: run.title,
    summary: null,
    text: null,
    annotations_count: 0,
    annotations_url: `${apiOf(repository)}/check-runs/${run.id}/annotations`
  },
  name: run.name,
  check_suite: { id: run.id },
  app: actionsView(account),
  pull_requests: []
})
