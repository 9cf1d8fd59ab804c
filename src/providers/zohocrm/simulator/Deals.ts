import { Either } from "effect"
import {
  area,
  computed,
  currency,
  date,
  datetime,
  fixed,
  integer,
  lookup,
  mismatch,
  module,
  pick,
  required,
  text,
  withTags
} from "./Fields.ts"
import { money } from "./People.ts"

// the stages of a new organisation: label, value, probability, forecast type and category
const stages = [
  ["Qualification", "Qualification", 10, "Open", "Pipeline"],
  ["Needs Analysis", "Needs Analysis", 20, "Open", "Pipeline"],
  ["Value Proposition", "Value Proposition", 40, "Open", "Pipeline"],
  ["Identify Decision Makers", "Id. Decision Makers", 60, "Open", "Pipeline"],
  ["Proposal/Price Quote", "Proposal/Price Quote", 75, "Open", "Pipeline"],
  ["Negotiation/Review", "Negotiation/Review", 90, "Open", "Pipeline"],
  ["Closed Won", "Closed Won", 100, "Closed Won", "Closed"],
  ["Closed Lost", "Closed Lost", 0, "Closed Lost", "Omitted"],
  ["Closed Lost to Competition", "Closed Lost to Competition", 0, "Closed Lost", "Omitted"],
  ["Contract Review", "Contract Review", 50, "Open", "Pipeline"],
  ["Renewal Offered", "Renewal Offered", 80, "Open", "Pipeline"]
] as const

type StageName = (typeof stages)[number][1]

export interface Stage {
  readonly label: string
  readonly value: StageName
  /** Per cent. */
  readonly probability: number
  readonly forecastType: string
  readonly forecastCategory: string
}

const allStages: ReadonlyArray<Stage> = stages.map(
  ([label, value, probability, forecastType, forecastCategory]): Stage => ({
    label,
    value,
    probability,
    forecastType,
    forecastCategory
  })
)

const stagesOf = (names: ReadonlyArray<StageName>) => allStages.filter(({ value }) => names.includes(value))

export interface Pipeline {
  readonly name: string
  readonly isDefault: boolean
  readonly stages: ReadonlyArray<Stage>
}

/** The pipelines of the one layout of deals. */
export const pipelines: ReadonlyArray<Pipeline> = [
  { name: "Standard (Standard)", isDefault: true, stages: allStages.slice(0, 9) },
  {
    name: "Renewals",
    isDefault: false,
    stages: stagesOf(["Contract Review", "Renewal Offered", "Closed Won", "Closed Lost"])
  }
]

export const stageNamed = (name: unknown): Stage | undefined => allStages.find(({ value }) => value === name)

/**
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html (Deals): a stage belongs to the pipeline it is
 * given with, and brings its probability.
 */
export const deals = module({
  name: "Deals",
  singular: "Deal",
  named: "Deal_Name",
  fields: [
    required(text("Deal_Name", 120)),
    lookup("Account_Name", "Accounts"),
    currency("Amount"),
    date("Closing_Date"),
    lookup("Contact_Name", "Contacts"),
    area("Description"),
    computed(currency("Expected_Revenue"), ({ Amount: amount, Probability: probability }) =>
      typeof amount === "number" && typeof probability === "number" ? (amount * probability) / 100 : null
    ),
    pick("Lead_Source", ["Advertisement", "Cold Call", "External Referral", "Partner", "Trade Show", "Web Research"]),
    text("Next_Step", 100),
    // deals that are older than the pipelines lack it, new ones do not
    pick(
      "Pipeline",
      pipelines.map(({ name }) => name),
      { closed: true, isNullable: false }
    ),
    integer("Probability", { name: "Probability (%)", length: 3 }),
    pick("Reason_For_Loss__s", ["Expectation Mismatch", "Price", "Unqualified Customer", "Lack of response", "Other"]),
    required(
      pick(
        "Stage",
        allStages.map(({ value }) => value),
        { closed: true }
      )
    ),
    pick("Type", ["Existing Business", "New Business"]),
    fixed(integer("Lead_Conversion_Time")),
    fixed(integer("Overall_Sales_Duration")),
    fixed(integer("Sales_Cycle_Duration")),
    fixed(datetime("Change_Log_Time__s")),
    text("Order_Number", 64, { custom: true, isUnique: true }),
    pick("Delivery", ["On site", "Remote", "Pick-up"], { custom: true }),
    ...money,
    ...withTags
  ],
  checks: [
    ({ after, before }) => {
      if (before === undefined && after.Pipeline === null) {
        return Either.left([{ path: "Pipeline", complaint: { is: "required" } } as const])
      }
      // a deal may stay in a stage that nobody can choose any more
      if (before !== undefined && before.Stage === after.Stage && before.Pipeline === after.Pipeline) {
        return Either.right(after)
      }
      const stage = stageNamed(after.Stage)
      const pipeline = pipelines.find(({ name }) => name === after.Pipeline)
      if (stage === undefined || pipeline?.stages.includes(stage) !== true) {
        return mismatch("Stage", "Pipeline", "mapping mismatch")
      }
      const isMoved = before?.Stage !== after.Stage
      const isGiven = (before?.Probability ?? null) !== after.Probability
      return Either.right(isMoved && !isGiven ? { ...after, Probability: stage.probability } : after)
    }
  ]
})
