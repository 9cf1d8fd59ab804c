import type { Account as Org } from "../../simulation/Account.ts"

// Ids: the object's prefix, twelve characters, and three that tell which letters of each five are capitals.
// https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm (ID)

/** First three characters of the ids of an object's records. */
export const prefixes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Account: "001",
    Contact: "003",
    ContentDocument: "069",
    ContentDocumentLink: "06A",
    ContentNote: "069",
    ContentVersion: "068",
    Event: "00U",
    EventRelation: "0RE",
    Lead: "00Q",
    LeadStatus: "01J",
    Note: "002",
    Opportunity: "006",
    OpportunityContactRole: "00K",
    OpportunityStage: "01J",
    Organization: "00D",
    ServiceAppointment: "08p",
    Task: "00T",
    TaskStatus: "01J",
    User: "005",
    WorkType: "08q"
  })
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"

const suffixOf = (short: string) =>
  [0, 5, 10]
    .map(
      (at) => letters[[0, 1, 2, 3, 4].reduce((bits, i) => bits | (/[A-Z]/.test(short[at + i] ?? "") ? 1 << i : 0), 0)]
    )
    .join("")

/** The next id under a prefix. Ids ascend, whether or not case counts. */
export const nextId = (org: Org, prefix: string): string => {
  const short = `${prefix}WS00000${org.nextId().toString(36).toUpperCase().padStart(5, "0")}`
  return `${short}${suffixOf(short)}`
}

/** An id in its form of 18 characters; undefined when it is none. */
export const idOf = (given: string): string | undefined => {
  if (!/^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(given)) return undefined
  const short = given.slice(0, 15)
  const long = `${short}${suffixOf(short)}`
  return given.length === 15 || given === long ? long : undefined
}

/** The user of the session: the one who made the organisation. */
export const me = (org: Org): string => String(org.all("User")[0]?.Id ?? "")

/** The same moment as Salesforce writes it, in whole seconds. */
export const stampOf = (milliseconds: number): string =>
  new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace("Z", "+0000")
