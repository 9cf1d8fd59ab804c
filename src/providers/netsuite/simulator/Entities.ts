import {
  country,
  date,
  email,
  fixed,
  flag,
  list,
  number,
  one,
  part,
  phone,
  readOnly,
  ref,
  required,
  text
} from "./Fields.ts"
import { recordType, type RecordType } from "./RecordType.ts"

// Field names: https://system.netsuite.com/help/helpcenter/en_US/APIs/REST_API_Browser/record/v1/2025.2/index.html

const addressFields = {
  addressee: text(83),
  attention: text(83),
  addrPhone: phone,
  addr1: text(150),
  addr2: text(150),
  addr3: text(150),
  city: text(50),
  state: text(30),
  zip: text(36),
  country,
  addrText: readOnly(text())
}

export const address = part(addressFields)

const addressBook = list("id", {
  id: readOnly(number),
  internalId: readOnly(number),
  label: text(150),
  defaultBilling: flag,
  defaultShipping: flag,
  isResidential: flag,
  addressBookAddress: address
})

const entity = {
  entityId: readOnly(text(83)),
  salutation: text(30),
  firstName: text(32),
  middleName: text(32),
  lastName: text(32),
  title: text(100),
  email,
  phone,
  mobilePhone: phone,
  homePhone: phone,
  fax: phone,
  comments: text(4000),
  isInactive: flag,
  subsidiary: required(fixed(ref("subsidiary"))),
  accountNumber: text(99),
  addressBook,
  defaultAddress: readOnly(text())
}

const party = {
  ...entity,
  isPerson: fixed(flag),
  companyName: text(83),
  altPhone: phone,
  url: text(100),
  currency: ref("currency"),
  terms: ref("term"),
  creditLimit: number,
  printOnCheckAs: text(83),
  vatRegNumber: text(20),
  balance: readOnly(number),
  unbilledOrders: readOnly(number)
}

/** Customers, vendors, employees and projects. */
export const entities: ReadonlyArray<RecordType> = [
  recordType("entity", "customer", {
    code: "CustJob",
    fields: {
      ...party,
      parent: ref("customer"),
      salesRep: ref("employee"),
      entityStatus: one({ "6": "Lead-Unqualified", "7": "Prospect-In Discussion", "13": "Customer-Closed Won" }),
      resaleNumber: text(20),
      taxable: flag,
      taxItem: ref("salesTaxItem", "taxGroup"),
      priceLevel: ref("priceLevel"),
      receivablesAccount: ref("account"),
      overdueBalance: readOnly(number),
      custentity_loyalty_tier: one({ "1": "Bronze", "2": "Silver", "3": "Gold" }),
      custentity_delivery_note: text(300)
    },
    defaults: { isPerson: false, entityStatus: { id: "13" } }
  }),
  recordType("entity", "vendor", {
    code: "Vendor",
    fields: {
      ...party,
      legalName: text(83),
      taxIdNum: text(20),
      expenseAccount: ref("account"),
      payablesAccount: ref("account"),
      is1099Eligible: flag,
      custentity_supplier_grade: text(10)
    },
    defaults: { isPerson: false, is1099Eligible: false }
  }),
  recordType("entity", "employee", {
    code: "Employee",
    fields: {
      ...entity,
      firstName: required(text(32)),
      lastName: required(text(32)),
      officePhone: phone,
      initials: text(3),
      supervisor: ref("employee"),
      department: ref("department"),
      class: ref("classification"),
      location: ref("location"),
      currency: ref("currency"),
      gender: one({ f: "Female", m: "Male", b: "Non-binary", n: "Not Listed" }),
      birthdate: date,
      hiredate: date,
      releasedate: date,
      issalesrep: flag,
      socialsecuritynumber: text(11)
    },
    defaults: { issalesrep: false }
  }),
  recordType("entity", "job", {
    code: "Job",
    fields: {
      entityId: readOnly(text(83)),
      companyName: required(text(83)),
      parent: ref("customer"),
      customer: readOnly(ref("customer")),
      subsidiary: ref("subsidiary"),
      currency: ref("currency"),
      email,
      phone,
      altPhone: phone,
      fax: phone,
      comments: text(4000),
      entityStatus: one({ "1": "Not Awarded", "2": "In Progress", "17": "Closed" }),
      jobBillingType: one({ TM: "Time and Materials", FBI: "Fixed Bid, Interval", FBM: "Fixed Bid, Milestone" }),
      projectManager: ref("employee"),
      startdate: date,
      projectedEndDate: date,
      calculatedEndDate: readOnly(date),
      percentComplete: number,
      accountNumber: text(99),
      isInactive: flag
    },
    defaults: { entityStatus: { id: "2" } }
  })
]
