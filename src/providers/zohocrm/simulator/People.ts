import {
  address,
  area,
  bigint,
  currency,
  date,
  datetime,
  double,
  email,
  fixed,
  flag,
  integer,
  lookup,
  module,
  multi,
  personName,
  phone,
  pick,
  required,
  text,
  website,
  withTags
} from "./Fields.ts"

// Companies and people, with the fields of a new organisation and some of its own.
// https://help.zoho.com/portal/en/kb/crm/customize-crm-account/customizing-fields/articles/standard-modules-fields

const sources = [
  "Advertisement",
  "Cold Call",
  "Employee Referral",
  "External Referral",
  "Online Store",
  "Partner",
  "Public Relations",
  "Sales Email Alias",
  "Seminar Partner",
  "Internal Seminar",
  "Trade Show",
  "Web Download",
  "Web Research",
  "Chat"
]

export const industries = [
  "ASP (Application Service Provider)",
  "Data/Telecom OEM",
  "ERP (Enterprise Resource Planning)",
  "Government/Military",
  "Large Enterprise",
  "ManagementISV",
  "MSP (Management Service Provider)",
  "Network Equipment Enterprise",
  "Non-management ISV",
  "Optical Networking",
  "Service Provider",
  "Small/Medium Enterprise",
  "Storage Equipment",
  "Storage Service Provider",
  "Systems Integrator",
  "Wireless Industry",
  "Real Estate"
]

const ratings = ["Acquired", "Active", "Market Failed", "Project Cancelled", "Shut Down"]

/** The currencies of the organisation; the first is its own. */
export const currencies = ["USD", "EUR", "GBP", "JPY", "INR"] as const

export const money = [
  pick("Currency", currencies, { closed: true, initial: currencies[0] }),
  double("Exchange_Rate", { initial: 1 })
]

const own = { custom: true } as const

/** Fields the organisation added, one of each kind. */
const custom = [
  text("ERP_Number", 64, { ...own, isUnique: true }),
  pick("Tier", ["Bronze", "Silver", "Gold", "Platinum"], own),
  multi("Interests", ["Calibration", "Repair", "Training", "Rental"], own),
  integer("Score", own),
  bigint("Legacy_Id", own),
  double("Satisfaction", own),
  date("Last_Audit", own),
  datetime("Last_Survey", own),
  flag("Newsletter", own)
]

const consent = [
  pick("Data_Processing_Basis", ["Legitimate Interests", "Contract", "Legal Obligation", "Consent"]),
  fixed(pick("Data_Source", ["Manual", "Import", "Web Form", "API"], { initial: "API" })),
  flag("Email_Opt_Out"),
  fixed(pick("Unsubscribed_Mode", ["Consent form", "Manual", "Unsubscribe link"])),
  fixed(datetime("Unsubscribed_Time"))
]

const visits = [
  fixed(double("Average_Time_Spent_Minutes")),
  fixed(integer("Days_Visited")),
  fixed(datetime("First_Visited_Time")),
  fixed(text("First_Visited_URL")),
  fixed(datetime("Last_Visited_Time")),
  fixed(integer("Number_Of_Chats")),
  fixed(text("Referrer")),
  fixed(bigint("Visitor_Score"))
]

const enriched = [
  fixed(pick("Enrich_Status__s", ["Available", "Enriched", "Data not found"])),
  fixed(datetime("Last_Enriched_Time__s")),
  fixed(datetime("Change_Log_Time__s"))
]

export const accounts = module({
  name: "Accounts",
  singular: "Account",
  named: "Account_Name",
  fields: [
    required(text("Account_Name", 200)),
    bigint("Account_Number"),
    text("Account_Site", 80),
    pick("Account_Type", [
      "Analyst",
      "Competitor",
      "Customer",
      "Distributor",
      "Integrator",
      "Investor",
      "Other",
      "Partner",
      "Press",
      "Prospect",
      "Reseller",
      "Supplier",
      "Vendor"
    ]),
    currency("Annual_Revenue"),
    ...address("Billing_", "Code"),
    ...address("Shipping_", "Code"),
    area("Description"),
    integer("Employees"),
    phone("Fax"),
    pick("Industry", industries),
    pick("Ownership", ["Other", "Partnership", "Private", "Public", "Subsidiary"]),
    lookup("Parent_Account", "Accounts"),
    phone("Phone"),
    pick("Rating", ratings),
    integer("SIC_Code"),
    text("Ticker_Symbol", 30),
    website("Website"),
    ...money,
    ...enriched,
    ...withTags,
    ...custom
  ]
})

export const contacts = module({
  name: "Contacts",
  singular: "Contact",
  named: "Full_Name",
  fields: [
    ...personName,
    lookup("Account_Name", "Accounts"),
    text("Assistant", 50),
    phone("Asst_Phone"),
    date("Date_of_Birth"),
    text("Department", 50),
    area("Description"),
    email("Email"),
    phone("Fax"),
    phone("Home_Phone"),
    pick("Lead_Source", sources),
    ...address("Mailing_", "Zip"),
    phone("Mobile"),
    ...address("Other_", "Zip"),
    phone("Other_Phone"),
    phone("Phone"),
    lookup("Reporting_To", "Contacts"),
    email("Secondary_Email"),
    text("Skype_ID", 50),
    text("Title", 100),
    text("Twitter", 50),
    ...consent,
    ...visits,
    ...enriched,
    ...withTags,
    ...custom,
    lookup("Referred_By", "Contacts", own)
  ]
})

export const leads = module({
  name: "Leads",
  singular: "Lead",
  named: "Full_Name",
  fields: [
    ...personName,
    currency("Annual_Revenue"),
    ...address("", "Zip_Code"),
    text("Company", 200),
    area("Description"),
    text("Designation", 100, { name: "Title" }),
    email("Email"),
    phone("Fax"),
    pick("Industry", industries),
    pick("Lead_Source", sources),
    pick("Lead_Status", [
      "Attempted to Contact",
      "Contact in Future",
      "Contacted",
      "Junk Lead",
      "Lost Lead",
      "Not Contacted",
      "Pre-Qualified",
      "Not Qualified"
    ]),
    phone("Mobile"),
    integer("No_of_Employees"),
    phone("Phone"),
    pick("Rating", ratings),
    email("Secondary_Email"),
    text("Skype_ID", 50),
    text("Twitter", 50),
    website("Website"),
    fixed(flag("Converted__s")),
    fixed(datetime("Converted_Date_Time")),
    fixed(lookup("Converted_Account", "Accounts")),
    fixed(lookup("Converted_Contact", "Contacts")),
    fixed(lookup("Converted_Deal", "Deals")),
    fixed(integer("Lead_Conversion_Time")),
    ...money,
    ...consent,
    ...visits,
    ...enriched,
    ...withTags,
    ...custom
  ]
})
