import { type Field, may, set } from "../../simulation/table/Kind.ts"
import { type PropertyType, valueOf } from "./Values.ts"

/** Definition of a property: https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide */
export interface Property extends Field {
  readonly type: PropertyType
  readonly fieldType: string
  readonly groupName: string
  /** Values that are allowed; absent: any, or decided elsewhere (owners, stages). */
  readonly options?: ReadonlyArray<string>
  readonly isCustom?: boolean
  /** Values lie outside the definition: owners, pipelines, stages. */
  readonly isExternal?: boolean
}

type Rest = Partial<Pick<Property, "options" | "isRequired" | "isUnique" | "isCustom" | "isExternal">> & {
  readonly isReadOnly?: boolean
}
type Builder = (groupName: string) => Property

const property =
  (type: Property["type"], fieldType: string) =>
  (code: string, name: string, { isReadOnly = false, ...rest }: Rest = {}): Builder =>
  (groupName) => ({
    ...(isReadOnly ? set : may)(code, name, valueOf(code, type, fieldType, rest.options)),
    type,
    fieldType,
    groupName,
    ...rest
  })

const text = property("string", "text")
const area = property("string", "textarea")
const html = property("string", "html")
const phone = property("string", "phonenumber")
const number = property("number", "number")
const date = property("date", "date")
const datetime = property("datetime", "date")
const flag = property("bool", "booleancheckbox")
const choice = property("enumeration", "select")
const choices = property("enumeration", "checkbox")

const readOnly = { isReadOnly: true } as const
const must = { isRequired: true } as const

const owner: ReadonlyArray<Builder> = [
  choice("hubspot_owner_id", "Owner", { isExternal: true }),
  datetime("hubspot_owner_assigneddate", "Owner assigned date", readOnly)
]

const common: ReadonlyArray<Builder> = [
  number("hs_object_id", "Record ID", readOnly),
  choices("hs_merged_object_ids", "Merged record IDs", readOnly),
  datetime("hs_lastmodifieddate", "Last modified date", readOnly),
  ...owner
]

const record: ReadonlyArray<Builder> = [
  ...common,
  datetime("createdate", "Create date", readOnly),
  datetime("notes_last_updated", "Last activity date", readOnly),
  datetime("notes_last_contacted", "Last contacted", readOnly)
]

const activity: ReadonlyArray<Builder> = [
  ...common,
  datetime("hs_createdate", "Create date", readOnly),
  datetime("hs_timestamp", "Activity date", must)
]

const address: ReadonlyArray<Builder> = [
  text("address", "Street address"),
  text("city", "City"),
  text("state", "State/Region"),
  text("zip", "Postal code"),
  text("country", "Country/Region")
]

const lifecycle = [
  "subscriber",
  "lead",
  "marketingqualifiedlead",
  "salesqualifiedlead",
  "opportunity",
  "customer",
  "evangelist",
  "other"
]

const sources = [
  "ORGANIC_SEARCH",
  "PAID_SEARCH",
  "EMAIL_MARKETING",
  "SOCIAL_MEDIA",
  "REFERRALS",
  "OTHER_CAMPAIGNS",
  "DIRECT_TRAFFIC",
  "OFFLINE",
  "PAID_SOCIAL"
]

/** Part of the roughly 150 industries of a new account. */
export const industries = [
  "ACCOUNTING",
  "AIRLINES_AVIATION",
  "APPAREL_FASHION",
  "AUTOMOTIVE",
  "BANKING",
  "BIOTECHNOLOGY",
  "BUILDING_MATERIALS",
  "BUSINESS_SUPPLIES_AND_EQUIPMENT",
  "CHEMICALS",
  "COMPUTER_SOFTWARE",
  "CONSTRUCTION",
  "CONSUMER_GOODS",
  "DESIGN",
  "EDUCATION_MANAGEMENT",
  "ELECTRICAL_ELECTRONIC_MANUFACTURING",
  "ENTERTAINMENT",
  "FARMING",
  "FINANCIAL_SERVICES",
  "FOOD_BEVERAGES",
  "FURNITURE",
  "GLASS_CERAMICS_CONCRETE",
  "HOSPITAL_HEALTH_CARE",
  "HOSPITALITY",
  "INDUSTRIAL_AUTOMATION",
  "INFORMATION_TECHNOLOGY_AND_SERVICES",
  "INSURANCE",
  "INTERNET",
  "LAW_PRACTICE",
  "LOGISTICS_AND_SUPPLY_CHAIN",
  "MACHINERY",
  "MANAGEMENT_CONSULTING",
  "MARITIME",
  "MARKETING_AND_ADVERTISING",
  "MEDICAL_DEVICES",
  "OIL_ENERGY",
  "PHARMACEUTICALS",
  "PUBLISHING",
  "REAL_ESTATE",
  "RENEWABLES_ENVIRONMENT",
  "RESTAURANTS",
  "RETAIL",
  "TELECOMMUNICATIONS",
  "TEXTILES",
  "TRANSPORTATION_TRUCKING_RAILROAD",
  "UTILITIES",
  "WHOLESALE",
  "WINE_AND_SPIRITS"
]

const define = (groupName: string, ...lists: ReadonlyArray<ReadonlyArray<Builder>>): ReadonlyArray<Property> =>
  lists.flat().map((build) => build(groupName))

export const contactProperties = define("contactinformation", record, address, [
  datetime("lastmodifieddate", "Last modified date", readOnly),
  text("email", "Email", { isUnique: true }),
  choices("hs_additional_emails", "Additional email addresses", readOnly),
  text("hs_email_domain", "Email domain", readOnly),
  text("firstname", "First name"),
  text("lastname", "Last name"),
  text("salutation", "Salutation"),
  text("jobtitle", "Job title"),
  text("company", "Company name"),
  text("website", "Website URL"),
  text("industry", "Industry"),
  phone("phone", "Phone number"),
  phone("mobilephone", "Mobile phone number"),
  phone("fax", "Fax number"),
  text("hs_searchable_calculated_phone_number", "Calculated phone number for searching", readOnly),
  text("hs_searchable_calculated_mobile_number", "Calculated mobile number for searching", readOnly),
  choice("lifecyclestage", "Lifecycle stage", { options: lifecycle }),
  choice("hs_lead_status", "Lead status", {
    options: [
      "NEW",
      "OPEN",
      "IN_PROGRESS",
      "OPEN_DEAL",
      "UNQUALIFIED",
      "ATTEMPTED_TO_CONTACT",
      "CONNECTED",
      "BAD_TIMING"
    ]
  }),
  choice("hs_analytics_source", "Original traffic source", { options: sources, isReadOnly: true }),
  number("associatedcompanyid", "Primary associated company ID", readOnly),
  number("num_associated_deals", "Number of associated deals", readOnly),
  date("date_of_birth", "Date of birth"),
  choice("hs_language", "Preferred language", {
    options: ["de", "el", "en", "es", "fr", "hi", "ja", "pl", "pt-br", "sv", "tr"]
  }),
  choices("topics_of_interest", "Topics of interest", {
    options: ["product_news", "events", "training"],
    isCustom: true
  }),
  choice("loyalty_tier", "Loyalty tier", { options: ["bronze", "silver", "gold"], isCustom: true })
])

export const companyProperties = define("companyinformation", record, address, [
  text("address2", "Street address 2"),
  text("name", "Company name"),
  text("domain", "Company domain name"),
  text("website", "Website URL"),
  area("description", "Description"),
  phone("phone", "Phone number"),
  choice("industry", "Industry", { options: industries }),
  choice("type", "Type", { options: ["PROSPECT", "PARTNER", "RESELLER", "VENDOR", "OTHER"] }),
  choice("lifecyclestage", "Lifecycle stage", { options: lifecycle }),
  number("numberofemployees", "Number of employees"),
  number("annualrevenue", "Annual revenue"),
  text("founded_year", "Year founded"),
  text("timezone", "Time zone"),
  number("num_associated_contacts", "Number of associated contacts", readOnly),
  number("num_associated_deals", "Number of associated deals", readOnly),
  text("customer_number", "Customer number", { isCustom: true, isUnique: true })
])

export const dealProperties = define("dealinformation", record, [
  text("dealname", "Deal name"),
  area("description", "Deal description"),
  number("amount", "Amount"),
  choice("deal_currency_code", "Currency", {
    options: ["USD", "EUR", "GBP", "JPY", "BRL", "SEK", "PLN", "INR", "TRY"]
  }),
  choice("pipeline", "Pipeline", { isExternal: true }),
  property("enumeration", "radio")("dealstage", "Deal stage", { isExternal: true }),
  datetime("closedate", "Close date"),
  choice("dealtype", "Deal type", { options: ["newbusiness", "existingbusiness"] }),
  choice("hs_priority", "Priority", { options: ["low", "medium", "high"] }),
  area("closed_lost_reason", "Closed lost reason"),
  area("closed_won_reason", "Closed won reason"),
  number("hs_deal_stage_probability", "Deal probability", readOnly),
  flag("hs_is_closed", "Is deal closed?", readOnly),
  flag("hs_is_closed_lost", "Is closed lost", readOnly),
  flag("hs_is_closed_won", "Is closed won", readOnly),
  number("num_associated_contacts", "Number of associated contacts", readOnly)
])

export const leadProperties = define("lead_information", common, [
  datetime("hs_createdate", "Create date", readOnly),
  text("hs_lead_name", "Lead name", must),
  text("hs_associated_contact_email", "Associated contact email", readOnly),
  text("hs_associated_contact_firstname", "Associated contact first name", readOnly),
  text("hs_associated_contact_lastname", "Associated contact last name", readOnly),
  text("hs_associated_company_name", "Associated company name", readOnly),
  text("hs_associated_company_domain", "Associated company domain", readOnly),
  choice("hs_lead_type", "Lead type", { options: ["NEW_BUSINESS", "UPSELL", "RE_ATTEMPTING"] }),
  choice("hs_lead_label", "Lead label", { options: ["HOT", "WARM", "COLD"] }),
  choice("hs_pipeline", "Lead pipeline", { isExternal: true }),
  choice("hs_pipeline_stage", "Lead pipeline stage", { isExternal: true })
])

export const noteProperties = define("note", activity, [
  html("hs_note_body", "Note body"),
  text("hs_attachment_ids", "Attached file IDs")
])

export const taskProperties = define("task", activity, [
  text("hs_task_subject", "Task title"),
  html("hs_task_body", "Task notes"),
  choice("hs_task_status", "Task status", {
    options: ["NOT_STARTED", "IN_PROGRESS", "WAITING", "COMPLETED", "DEFERRED"]
  }),
  choice("hs_task_priority", "Priority", { options: ["NONE", "LOW", "MEDIUM", "HIGH"] }),
  choice("hs_task_type", "Task type", { options: ["CALL", "EMAIL", "LINKED_IN", "MEETING", "TODO"] }),
  datetime("hs_task_completion_date", "Completed at", readOnly),
  text("hs_task_reminders", "Task reminders")
])

export const meetingProperties = define("meeting", activity, [
  text("hs_meeting_title", "Meeting name"),
  html("hs_meeting_body", "Meeting description"),
  html("hs_internal_meeting_notes", "Internal meeting notes"),
  text("hs_meeting_external_url", "External URL"),
  text("hs_meeting_location", "Meeting location"),
  choice("hs_meeting_location_type", "Location type", { options: ["PHONE", "ADDRESS", "CUSTOM"] }),
  datetime("hs_meeting_start_time", "Meeting start time"),
  datetime("hs_meeting_end_time", "Meeting end time"),
  choice("hs_meeting_outcome", "Meeting outcome", {
    options: ["SCHEDULED", "COMPLETED", "RESCHEDULED", "NO_SHOW", "CANCELED"]
  }),
  choice("hs_activity_type", "Call and meeting type", { options: ["Discovery call", "Product demo", "Check-in"] })
])

export const callProperties = define("call", activity, [
  text("hs_call_title", "Call title"),
  html("hs_call_body", "Call notes"),
  choice("hs_call_direction", "Call direction", { options: ["INBOUND", "OUTBOUND"] }),
  choice("hs_call_disposition", "Call outcome", {
    options: [
      "9d9162e7-6cf3-4944-bf63-4dff82258764",
      "f240bbac-87c9-4f6e-bf70-924b57d47db7",
      "b2cf5968-551e-4856-9783-52b3da59a7d0",
      "a4c4c377-d246-4b32-a13b-75a56a4cd0ff",
      "73a0d17f-1163-4015-bdd5-ec830791da20",
      "17b47fee-58de-441e-a44c-c6300d46f273"
    ]
  }),
  number("hs_call_duration", "Call duration"),
  text("hs_call_from_number", "From number"),
  text("hs_call_to_number", "To number"),
  text("hs_call_recording_url", "Recording URL"),
  choice("hs_call_status", "Call status", {
    options: ["BUSY", "CALLING_CRM_USER", "CANCELED", "COMPLETED", "CONNECTING", "FAILED", "IN_PROGRESS", "NO_ANSWER"]
  }),
  choice("hs_activity_type", "Call and meeting type", { options: ["Discovery call", "Product demo", "Check-in"] })
])

export const emailProperties = define("email", activity, [
  text("hs_email_subject", "Email subject"),
  area("hs_email_text", "Email body"),
  html("hs_email_html", "Email HTML"),
  choice("hs_email_direction", "Email direction", { ...must, options: ["EMAIL", "INCOMING_EMAIL", "FORWARDED_EMAIL"] }),
  choice("hs_email_status", "Email send status", {
    options: ["BOUNCED", "FAILED", "SCHEDULED", "SENDING", "SENT"]
  }),
  area("hs_email_headers", "Email headers"),
  text("hs_email_from_email", "From address", readOnly),
  text("hs_email_to_email", "To addresses", readOnly)
])

export const communicationProperties = define("communication", activity, [
  choice("hs_communication_channel_type", "Channel type", {
    ...must,
    options: ["SMS", "WHATS_APP", "LINKEDIN_MESSAGE", "CUSTOM_CHANNEL_CONVERSATION"]
  }),
  choice("hs_communication_logged_from", "Logged from", { ...must, options: ["CRM"] }),
  html("hs_communication_body", "Communication body")
])

export const appointmentProperties = define("appointment_information", common, [
  datetime("hs_createdate", "Create date", readOnly),
  text("hs_appointment_name", "Appointment name"),
  datetime("hs_appointment_start", "Appointment start"),
  datetime("hs_appointment_end", "Appointment end"),
  choice("hs_appointment_status", "Appointment status", {
    options: ["SCHEDULED", "RESCHEDULED", "COMPLETED", "CANCELED", "NO_SHOW"]
  })
])
