import { createHash } from "node:crypto"
import type { Doc } from "../../simulation/Account.ts"

// An organisation as it is set up, which no request changes.

export const stamp = (milliseconds: number): string => new Date(milliseconds).toISOString().replace("Z", "000+00:00")

/** An id that stays the same for the same words. */
const idOf = (prefix: string, words: string) =>
  `${prefix}_${createHash("sha512").update(words).digest("base64url").replace(/[-_]/g, "").slice(0, 43)}`

export const organization = { id: idOf("orga", "Fernhill Supply"), name: "Fernhill Supply", currency: "EUR" }

const made = stamp(Date.UTC(2021, 2, 8, 9, 30))

export const users = [
  ["Marguerite", "Delacroix", "Europe/Paris"],
  ["Tomasz", "Zieliński", "Europe/Warsaw"],
  ["Aaliyah", "Brooks", "America/Los_Angeles"],
  ["Henrik", "Sørensen", "Europe/Copenhagen"],
  ["美和", "中村", "Asia/Tokyo"]
].map(([first_name = "", last_name = "", zone], index) => ({
  id: idOf("user", last_name),
  first_name,
  last_name,
  email: ["marguerite.delacroix", "tomasz.zielinski", "aaliyah.brooks", "henrik.sorensen", "miwa.nakamura"]
    .map((mailbox) => `${mailbox}@fernhill-supply.example`)
    .at(index),
  image: null,
  last_used_timezone: zone,
  organizations: [organization.id],
  date_created: made,
  date_updated: stamp(Date.UTC(2026, 8, 14, 11, 20, index))
}))

/** The user whose key every request carries. */
export const me: Doc & { readonly id: string } = users[0] ?? { id: "" }

export const leadStatuses = ["Potential", "Customer", "Bad Fit", "Canceled"].map((label) => ({
  id: idOf("stat", `lead ${label}`),
  label,
  organization_id: organization.id
}))

const pipeline = (name: string, statuses: ReadonlyArray<readonly [label: string, type: string]>) => ({
  id: idOf("pipe", name),
  name,
  organization_id: organization.id,
  created_by: me.id,
  updated_by: me.id,
  // recorded without an offset, unlike those of other records
  date_created: made.replace("+00:00", ""),
  date_updated: made.replace("+00:00", ""),
  statuses: statuses.map(([label, type]) => ({ id: idOf("stat", `${name} ${label}`), label, type }))
})

export const pipelines = [
  pipeline("Sales", [
    ["Qualified", "active"],
    ["Demo Completed", "active"],
    ["Proposal Sent", "active"],
    ["Won", "won"],
    ["Lost", "lost"]
  ]),
  pipeline("Renewals", [
    ["Renewal Upcoming", "active"],
    ["Offer Sent", "active"],
    ["Renewed", "won"],
    ["Churned", "lost"]
  ])
]

export const opportunityStatuses = pipelines.flatMap(({ id, name, statuses }) =>
  statuses.map((status) => ({ ...status, pipeline_id: id, pipeline_name: name, organization_id: organization.id }))
)
