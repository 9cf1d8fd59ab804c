import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { companies as sampleCompanies, people as samplePeople, pick, random } from "../../simulation/SampleCompany.ts"
import { type Kind, write } from "../../simulation/table/Kind.ts"
import { valueOf } from "./Attributes.ts"
import { companies, deals, people } from "./Objects.ts"
import { byMember, notes, tasks } from "./Work.ts"
import { attributeId, memberId, members, stageId, stages, stamp, uuidOf } from "./Workspace.ts"

// The CRM of a wholesaler that sells to offices and workshops in a dozen countries; the same for every account.

const day = 86_400_000
const start = Date.UTC(2024, 1, 5, 8, 15)
const end = Date.UTC(2026, 9, 30, 16, 40)

const firms = sampleCompanies(60)
const persons = samplePeople(240, firms.length)
const owners = members.filter(({ access_level }) => access_level !== "suspended")

/** Writes a record as if it had been made then; a sample that the simulator refuses is a mistake. */
const add = (account: Account, kind: Kind, made: number, body: Doc, own: Doc = {}): Doc => {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  const written = write({ ...account, now: made }, kind, given)
  if (Either.isLeft(written)) throw new Error(`the sample of ${kind.name}: ${JSON.stringify(written.left)}`)
  const record = { ...written.right, ...own }
  account.put(kind.name, String(record[kind.id ?? "id"]), record)
  return record
}

const locationOf = (one: Doc): Doc => ({
  line_1: one.street,
  line_2: null,
  line_3: null,
  line_4: null,
  locality: one.city,
  region: one.region === "" ? null : one.region,
  postcode: one.postal,
  country_code: one.countryCode,
  latitude: null,
  longitude: null
})

const linkTo = (kind: Kind, record: Doc | undefined): Doc | undefined =>
  record && { target_object: kind.name, target_record_id: record.record_id }

const interactionAt = (made: number): ReadonlyArray<Doc> => [
  valueOf("interaction", made, {
    interaction_type: "email",
    interacted_at: stamp(made),
    owner_actor: byMember(owners[0] ?? {})
  })
]

const wares = [
  "Standing desks",
  "Workshop seating",
  "Archive shelving",
  "Showroom lighting",
  "Meeting room refit"
] as const
const doings = [
  "Send the drawings",
  "Ring back about delivery",
  "Check the credit limit",
  "Book the site visit"
] as const

export const seed = (account: Account): void => {
  const made = (index: number, of: number) => start + Math.floor(((end - start) * index) / of / 60_000) * 60_000
  const firmRecords = firms.map((firm, i) =>
    add(
      account,
      companies,
      made(i, firms.length * 2),
      {
        name: firm.name,
        domains: [firm.domain],
        description: i % 4 === 3 ? undefined : `${firm.industry}, ${firm.employees} employees.`,
        primary_location: i % 13 === 12 ? undefined : locationOf({ ...firm }),
        vat_number: i % 2 === 0 ? `${firm.countryCode}${100_200_300 + i * 7919}` : undefined
      },
      {
        categories: [
          valueOf("select", start, {
            option: {
              id: { ...attributeId("companies", "categories"), option_id: uuidOf(`category ${firm.industry}`) },
              title: firm.industry,
              is_archived: false
            }
          })
        ],
        ...(i % 5 === 4 ? {} : { last_interaction: interactionAt(end - i * day) })
      }
    )
  )
  const personRecords = persons.map((person, i) =>
    add(
      account,
      people,
      made(i + 20, persons.length * 1.5),
      {
        name: { first_name: person.first, last_name: person.last, full_name: `${person.first} ${person.last}` },
        email_addresses:
          i % 41 === 40 ? undefined : [person.email, ...(i % 11 === 3 ? [`accounts+${person.email}`] : [])],
        company: i % 31 === 30 ? undefined : linkTo(companies, firmRecords[person.company]),
        job_title: i % 8 === 5 ? undefined : person.title,
        phone_numbers: i % 47 === 46 ? undefined : [person.phone, ...(i % 3 === 0 ? [person.mobile] : [])],
        primary_location: i % 4 === 3 ? undefined : locationOf({ ...person }),
        customer_number: i % 3 === 0 ? `C-${10_400 + i * 3}` : undefined
      },
      i % 5 === 4 ? {} : { last_interaction: interactionAt(end - i * day) }
    )
  )
  const dealRecords = Array.from({ length: 160 }, (_, i) => {
    const next = random(30_000 + i)
    const at = (i * 5) % persons.length
    const firm = persons[at]?.company ?? 0
    return add(account, deals, made(i + 30, 220), {
      name: `${pick(next, wares)} - ${firms[firm]?.name ?? ""}`,
      stage: stageId(stages[i % stages.length] ?? {}),
      owner: memberId(owners[i % owners.length] ?? {}),
      value: i % 10 === 9 ? undefined : Math.round(400 + next() * 48_000) + (i % 5 === 0 ? 0.5 : 0),
      associated_people: i % 12 === 11 ? undefined : [linkTo(people, personRecords[at])],
      associated_company: linkTo(companies, firmRecords[firm])
    })
  })
  for (let i = 0; i < 120; i += 1) {
    const kind = [people, companies, deals][i % 3] ?? people
    const parent = [personRecords, firmRecords, dealRecords][i % 3]?.[i % 50]
    add(
      account,
      notes,
      made(i + 60, 190),
      {
        parent_object: kind.name,
        parent_record_id: parent?.record_id,
        title: i % 4 === 0 ? "" : "Call",
        format: "plaintext",
        content: `Spoke about ${pick(random(i), wares).toLowerCase()}.\nWants an offer by the end of the week.`
      },
      { created_by_actor: byMember(owners[i % owners.length] ?? {}) }
    )
    add(account, tasks, made(i + 65, 195), {
      content: pick(random(500 + i), doings),
      format: "plaintext",
      deadline_at: i % 7 === 6 ? null : stamp(made(i + 70, 195)),
      is_completed: i % 3 === 0,
      linked_records: [
        linkTo(people, personRecords[i]),
        ...(i % 2 === 0 ? [linkTo(companies, firmRecords[i % 60])] : []),
        ...(i % 4 === 0 ? [linkTo(deals, dealRecords[i])] : [])
      ],
      assignees:
        i % 9 === 8
          ? []
          : [
              {
                referenced_actor_type: "workspace-member",
                referenced_actor_id: memberId(owners[i % owners.length] ?? {})
              }
            ]
    })
  }
}
