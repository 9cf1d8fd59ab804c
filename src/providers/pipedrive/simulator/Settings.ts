import { createHash } from "node:crypto"
import { industries as sampleIndustries } from "../../simulation/SampleCompany.ts"
import type { Account } from "../../simulation/Account.ts"
import { stamp } from "./Answers.ts"

// Settings of an account that no request changes: users, pipelines, types, labels.

const setUp = Date.UTC(2021, 2, 8, 9, 30)

/** 40 characters that stay the same for the same words: the form of a custom field's key. */
export const keyOf = (words: string): string => createHash("sha1").update(words).digest("hex")

/** A UUID that stays the same for the same words. */
export const uuidOf = (words: string): string =>
  keyOf(words).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-a$4-$5")

export const company = {
  name: "Fernhill Supply",
  domain: "fernhill-supply",
  country: "GB",
  currency: "EUR"
}

export interface User {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly phone: string | null
  readonly timezone: readonly [name: string, offset: string]
  readonly isActive: boolean
  readonly isAdmin: boolean
}

const user = (id: number, name: string, mailbox: string, rest: Partial<User> = {}): User => ({
  id,
  name,
  email: `${mailbox}@fernhill-supply.example`,
  phone: null,
  timezone: ["Europe/London", "+00:00"],
  isActive: true,
  isAdmin: false,
  ...rest
})

/** The user whose token every request carries. */
export const me = user(13_905_118, "Marguerite Delacroix", "marguerite.delacroix", {
  phone: "+44 113 496 0018",
  isAdmin: true
})

const timeZone = "time zone"

/** Sets the time zone of the account and of its user. */
export const setTimeZone = (account: Account, name: string): void => account.put(timeZone, "me", { name })

export const timeZoneOf = (account: Account): string => String(account.get(timeZone, "me")?.name ?? me.timezone[0])

export const users: ReadonlyArray<User> = [
  me,
  user(13_905_126, "Tomasz Zieliński", "tomasz.zielinski", { timezone: ["Europe/Warsaw", "+01:00"] }),
  user(13_910_447, "Aaliyah Brooks", "aaliyah.brooks", { phone: "+1 503-555-0177" }),
  user(13_922_803, "Henrik Sørensen", "henrik.sorensen", { timezone: ["Europe/Copenhagen", "+01:00"] }),
  user(13_941_072, "中村 美和", "miwa.nakamura", { timezone: ["Asia/Tokyo", "+09:00"] }),
  user(13_958_634, "Patrick O'Rourke", "patrick.orourke", { isActive: false })
]

const times = { add_time: stamp(setUp), update_time: stamp(setUp + 86_400_000) }

const pipeline = (id: number, order_nr: number, name: string) => ({
  id,
  name,
  order_nr,
  is_deleted: false,
  is_deal_probability_enabled: true,
  ...times
})

export const pipelines = [pipeline(1, 1, "Sales"), pipeline(4, 2, "Renewals & Upsell")]

const stagesOf = (pipeline_id: number, firstId: number, named: ReadonlyArray<readonly [string, number, number?]>) =>
  named.map(([name, deal_probability, days], index) => ({
    id: firstId + index,
    order_nr: index + 1,
    name,
    is_deleted: false,
    deal_probability,
    pipeline_id,
    is_deal_rot_enabled: days !== undefined,
    days_to_rotten: days ?? null,
    ...times
  }))

export const stages = [
  ...stagesOf(1, 1, [
    ["Qualified", 10, 30],
    ["Contact Made", 20, 21],
    ["Demo Scheduled", 40],
    ["Proposal Made", 60, 14],
    ["Negotiations Started", 80, 14]
  ]),
  ...stagesOf(4, 17, [
    ["Renewal Upcoming", 50],
    ["Offer Sent", 70],
    ["Verbal Agreement", 90]
  ])
]

const activityType = (
  id: number,
  order_nr: number,
  name: string,
  rest: { readonly is_custom_flag?: boolean } = {}
) => ({
  id,
  order_nr,
  name,
  key_string: name.toLowerCase().replace(/ /g, "_"),
  icon_key: rest.is_custom_flag === true ? "truck" : name.toLowerCase(),
  active_flag: true,
  color: "FFFFFF",
  is_custom_flag: false,
  add_time: "2021-03-08 09:30:00",
  update_time: "2021-03-08 09:30:00",
  ...rest
})

export const activityTypes = [
  ...["Call", "Meeting", "Task", "Deadline", "Email", "Lunch"].map((name, index) =>
    activityType(index + 1, index + 1, name)
  ),
  activityType(9, 7, "Site Visit", { is_custom_flag: true })
]

const currency = (id: number, code: string, name: string, symbol: string, decimal_points = 2) => ({
  id,
  code,
  name,
  decimal_points,
  symbol,
  active_flag: true,
  is_custom_flag: false
})

export const currencies = [
  currency(2, "AUD", "Australian Dollar", "A$"),
  currency(4, "BRL", "Brazilian Real", "R$"),
  currency(14, "CAD", "Canadian Dollar", "C$"),
  currency(17, "CHF", "Swiss Franc", "CHF"),
  currency(27, "DKK", "Danish Krone", "kr"),
  currency(31, "EUR", "Euro", "€"),
  currency(33, "GBP", "British Pound Sterling", "£"),
  currency(50, "INR", "Indian Rupee", "₹"),
  currency(55, "JPY", "Japanese Yen", "¥", 0),
  currency(60, "KWD", "Kuwaiti Dinar", "KD", 3),
  currency(88, "NOK", "Norwegian Krone", "kr"),
  currency(97, "PLN", "Polish Złoty", "zł"),
  currency(110, "SEK", "Swedish Krona", "kr"),
  currency(127, "TRY", "Turkish Lira", "TL"),
  currency(131, "USD", "US Dollar", "$")
]

const leadLabel = (name: string, color: string) => ({
  id: uuidOf(`label ${name}`),
  name,
  color,
  add_time: "2021-03-08T09:30:00.000Z",
  update_time: "2021-03-08T09:30:00.000Z"
})

export const leadLabels = [leadLabel("Hot", "red"), leadLabel("Warm", "yellow"), leadLabel("Cold", "blue")]

export const leadSources = [
  "Manually created",
  "Deal",
  "Web forms",
  "Prospector",
  "Leadbooster",
  "Live chat",
  "Import",
  "Website visitors",
  "Workflow automation",
  "API"
].map((name) => ({ name }))

export interface Option {
  readonly id: number
  readonly label: string
  readonly color?: string
}

export const optionsFrom = (firstId: number, labels: ReadonlyArray<string>): ReadonlyArray<Option> =>
  labels.map((label, index) => ({ id: firstId + index, label }))

export const industries = optionsFrom(1, sampleIndustries)

export const labels = {
  persons: optionsFrom(51, ["Customer", "Hot lead", "Warm lead", "Cold lead"]),
  organizations: optionsFrom(61, ["Customer", "Prospect", "Supplier"]),
  deals: optionsFrom(71, ["Urgent", "Strategic", "At risk"])
}

export const priorities = optionsFrom(262, ["Low", "Medium", "High"])
