// Settings of an account that no request changes.

export const setUp = Date.UTC(2021, 2, 8, 9, 30)

/** The zone in which an account's users see days: not UTC, as in most accounts. */
export const timeZone = "US/Eastern"

/** Milliseconds by which clocks in the account's zone are ahead of UTC. */
export const zoneOffset = (moment: number): number => {
  const hour = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(moment)
    .find(({ type }) => type === "timeZoneName")
  const [, sign, hours] = /GMT([+-])(\d{2})/.exec(hour?.value ?? "") ?? []
  return (sign === "-" ? -1 : 1) * Number(hours ?? 0) * 3_600_000
}

export interface Owner {
  readonly id: string
  readonly userId: number
  readonly first: string
  readonly last: string
  readonly isArchived: boolean
}

export const owners: ReadonlyArray<Owner> = [
  { id: "71284630", userId: 26104811, first: "Marguerite", last: "Delacroix", isArchived: false },
  { id: "71284655", userId: 26104839, first: "Tomasz", last: "Zieliński", isArchived: false },
  { id: "71290118", userId: 26108254, first: "Aaliyah", last: "Brooks", isArchived: false },
  { id: "71301477", userId: 26115902, first: "Henrik", last: "Sørensen", isArchived: false },
  { id: "71322906", userId: 26130077, first: "美和", last: "中村", isArchived: false },
  { id: "71344512", userId: 26142365, first: "Patrick", last: "O'Rourke", isArchived: true }
]

export interface Stage {
  readonly id: string
  readonly label: string
  readonly metadata: { readonly [name: string]: string }
}

export interface Pipeline {
  readonly id: string
  readonly label: string
  readonly stages: ReadonlyArray<Stage>
}

const dealStage = (id: string, label: string, probability: string, isClosed = false): Stage => ({
  id,
  label,
  metadata: { isClosed: String(isClosed), probability }
})

const leadStage = (id: string, label: string): Stage => ({ id, label, metadata: {} })

export const dealPipelines: ReadonlyArray<Pipeline> = [
  {
    id: "default",
    label: "Sales Pipeline",
    stages: [
      dealStage("appointmentscheduled", "Appointment Scheduled", "0.2"),
      dealStage("qualifiedtobuy", "Qualified To Buy", "0.4"),
      dealStage("presentationscheduled", "Presentation Scheduled", "0.6"),
      dealStage("decisionmakerboughtin", "Decision Maker Bought-In", "0.8"),
      dealStage("contractsent", "Contract Sent", "0.9"),
      dealStage("closedwon", "Closed Won", "1.0", true),
      dealStage("closedlost", "Closed Lost", "0.0", true)
    ]
  },
  {
    id: "75e28846-ad0d-4be2-a027-5e1da6590b98",
    label: "Renewals & Upsell",
    stages: [
      dealStage("128476301", "Renewal upcoming", "0.5"),
      dealStage("128476302", "In negotiation", "0.7"),
      dealStage("128476303", "Renewed", "1.0", true),
      dealStage("128476304", "Churned", "0.0", true)
    ]
  }
]

export const leadPipelines: ReadonlyArray<Pipeline> = [
  {
    id: "lead-pipeline-id",
    label: "Lead Pipeline",
    stages: [
      leadStage("new-stage-id", "New"),
      leadStage("attempting-stage-id", "Attempting"),
      leadStage("connected-stage-id", "Connected"),
      leadStage("qualified-stage-id", "Qualified"),
      leadStage("unqualified-stage-id", "Unqualified")
    ]
  },
  {
    id: "412880377",
    label: "Trade fairs",
    stages: [
      leadStage("412880380", "New"),
      leadStage("412880381", "Meeting booked"),
      leadStage("412880382", "Qualified"),
      leadStage("412880383", "Disqualified")
    ]
  }
]
