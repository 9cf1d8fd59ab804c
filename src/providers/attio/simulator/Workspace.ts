import { Predicate } from "effect"
import { createHash } from "node:crypto"
import type { Doc } from "../../simulation/Account.ts"

/** Contents of a workspace besides records. */

/** A UUID that is the same for the same name. */
export const uuidOf = (name: string): string => {
  const hex = createHash("sha256").update(name).digest("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-"
  )
}

export const workspace = { id: uuidOf("workspace"), name: "Fernhill Supply", slug: "fernhill-supply" }

/** Times have nine digits of a second. */
export const stamp = (milliseconds: number): string => new Date(milliseconds).toISOString().replace("Z", "000000Z")

const began = stamp(Date.UTC(2024, 0, 8, 9))

const member = (first_name: string, last_name: string, access_level: string): Doc => ({
  id: { workspace_id: workspace.id, workspace_member_id: uuidOf(`member ${first_name}`) },
  first_name,
  last_name,
  avatar_url: null,
  email_address: `${first_name}.${last_name}@fernhill.example`.toLowerCase(),
  created_at: began,
  access_level
})

export const members: ReadonlyArray<Doc> = [
  member("Grace", "Okafor", "admin"),
  member("Mateo", "Silva", "member"),
  member("Hanna", "Lindqvist", "member"),
  member("Priya", "Raman", "suspended")
]

/** A part of an id, which is an object. */
const partOf = ({ id }: Doc, name: string) => (Predicate.isRecord(id) ? String(id[name]) : "")

export const memberId = (member: Doc): string => partOf(member, "workspace_member_id")

/** By id or e-mail address. */
export const memberOf = (text: unknown): Doc | undefined =>
  members.find((one) => memberId(one) === text || one.email_address === text)

/** The actor behind what the API writes. */
export const app = { type: "app", id: uuidOf("app") }

const nouns = { people: ["Person", "People"], companies: ["Company", "Companies"], deals: ["Deal", "Deals"] } as const

export const objectId = (slug: string): string => uuidOf(`object ${slug}`)

export const objects: ReadonlyArray<Doc> = Object.entries(nouns).map(([api_slug, [singular_noun, plural_noun]]) => ({
  id: { workspace_id: workspace.id, object_id: objectId(api_slug) },
  api_slug,
  singular_noun,
  plural_noun,
  created_at: began
}))

/** An object by its slug or id. */
export const slugOf = (object: unknown): string | undefined =>
  Object.keys(nouns).find((slug) => slug === object || objectId(slug) === object)

export const attributeId = (object: string, slug: string) => ({
  workspace_id: workspace.id,
  object_id: objectId(object),
  attribute_id: uuidOf(`attribute ${object} ${slug}`)
})

/** https://docs.attio.com/docs/standard-objects/standard-objects-deals */
export const stages: ReadonlyArray<Doc> = ["Lead", "In Progress", "Won 🎉", "Lost"].map((title) => ({
  id: { ...attributeId("deals", "stage"), status_id: uuidOf(`stage ${title}`) },
  title,
  is_archived: false,
  celebration_enabled: title.startsWith("Won"),
  target_time_in_status: null
}))

export const stageId = (stage: Doc): string => partOf(stage, "status_id")
