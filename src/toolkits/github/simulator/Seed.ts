import type { Account } from "../../../providers/simulation/Account.ts"
import { firm, staff, work } from "../../../providers/simulation/SampleSoftware.ts"
import { addHistory, addRepository, day, type Facts, personAt, start } from "./SeedHistory.ts"
import { addIssues, addLabels, addMilestones } from "./SeedIssues.ts"
import { addPulls } from "./SeedPulls.ts"
import * as Sources from "./Sources.ts"
import { freshId, logins, me, releases, type Repository } from "./Tables.ts"

// The repositories of a software firm, one of the account's own, and one of strangers; the same for every account.

const addLogins = (account: Account) => {
  staff.forEach(({ email, login, name }, index) =>
    logins.put(account, login, { login, id: 4_810_220 + index * 311, name, type: "User", email })
  )
  for (const [login, name, id] of [
    [firm.slug, firm.name, 9_310_007],
    ["openlathe", "Open Lathe", 9_310_104]
  ] as const) {
    logins.put(account, login, { login, id, name, type: "Organization", email: null })
  }
}

const addReleases = (account: Account, repository: Repository, count: number) => {
  for (let index = 0; index < count; index += 1) {
    const id = freshId(account)
    releases.put(account, String(id), {
      id,
      repository: repository.id,
      tag: `v4.${index}.0`,
      name: `4.${index}.0`,
      // one has notes to read on
      body: `${index === 3 ? `${work[3]?.text ?? ""}\n\n`.repeat(170) : ""}- ${work[index % work.length]?.title ?? ""}\n- ${work[(index + 7) % work.length]?.title ?? ""}`,
      author: personAt(index),
      isDraft: index === count - 2,
      isPrerelease: index % 6 === 5,
      publishedAt: start + (index + 1) * 14 * day
    })
  }
}

/** Sample data of a new account: 9 repositories, 46 issues and 18 pull requests in the first of them. */
export const seed = (account: Account): void => {
  addLogins(account)
  const add = (name: string, facts: Facts, after: number, owner: string = firm.slug) =>
    addRepository(account, owner, name, facts, start + after * day)
  const api = add(
    "harbor-api",
    {
      description: "API behind the parcel tracking",
      isPrivate: true,
      language: "TypeScript",
      topics: ["api", "parcels"]
    },
    0
  )
  addHistory(account, api, Sources.harborApi, 46)
  addLabels(account, api)
  addMilestones(account, api)
  addIssues(account, api, 46, 0)
  addPulls(account, api, 18, 47)
  addReleases(account, api, 34)

  const web = add(
    "harbor-web",
    { description: "Dashboard", isPrivate: true, language: "TypeScript", topics: ["dashboard"] },
    12
  )
  addHistory(account, web, Sources.harborWeb, 9)
  addLabels(account, web)
  addIssues(account, web, 14, 100)

  const infrastructure = add(
    "infrastructure",
    { description: "Clusters, queues, backups", isPrivate: true, language: "HCL" },
    20
  )
  addHistory(account, infrastructure, Sources.infrastructure, 6)
  addLabels(account, infrastructure)
  addIssues(account, infrastructure, 5, 200)

  const handbook = add(
    "handbook",
    { description: "How we work, in the open", stars: 412, license: "CC-BY-4.0", topics: ["handbook"] },
    30
  )
  addHistory(account, handbook, Sources.handbook, 4)
  addLabels(account, handbook)

  addHistory(
    account,
    add("harbor-legacy", { description: "The first version", isArchived: true, language: "Ruby" }, 1),
    Sources.handbook,
    0
  )
  add("sandbox", { description: "Nothing in it yet", isPrivate: true }, 300)
  addHistory(account, add("dotfiles", { description: "Mira’s own", language: "Shell" }, 2, me), Sources.handbook, 3)
  addHistory(account, add("notes", { isPrivate: true }, 90, me), Sources.handbook, 1)

  const lathe = add(
    "lathe",
    {
      description: "A small tracing library",
      stars: 2318,
      language: "Rust",
      license: "MIT",
      topics: ["tracing", "observability"],
      mayPush: false
    },
    4,
    "openlathe"
  )
  addHistory(account, lathe, Sources.lathe, 5)
  addLabels(account, lathe)
  addIssues(account, lathe, 3, 300)
}
