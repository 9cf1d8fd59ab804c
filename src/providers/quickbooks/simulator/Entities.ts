import { entity, type Entity } from "./Entity.ts"
import { currency, date, flag, number, one, part, parts, readOnly, ref, required, text } from "./Fields.ts"
import { transactions } from "./Transactions.ts"
import { address, business, email, nameBase, names, nameValues, phone, sub, web } from "./Members.ts"

/** Entities that files can be attached to. */
const attachedTo = ["Customer", "Vendor", "Item", ...transactions.map(({ name }) => name)]

const list: ReadonlyArray<Entity> = [
  entity("Customer", {
    fields: {
      ...business,
      ShipAddr: address,
      FullyQualifiedName: readOnly(text()),
      Taxable: flag,
      Job: flag,
      BillWithParent: flag,
      IsProject: readOnly(flag),
      ParentRef: ref("Customer"),
      Level: readOnly(number),
      SalesTermRef: ref("Term"),
      PaymentMethodRef: ref("PaymentMethod"),
      DefaultTaxCodeRef: ref("TaxCode"),
      PreferredDeliveryMethod: one("Print", "Email", "None"),
      ResaleNum: text(16),
      PrimaryTaxIdentifier: text(20),
      BusinessNumber: text(10),
      BalanceWithJobs: readOnly(number)
    },
    filters: [...names, "FullyQualifiedName", "CompanyName", "PrimaryEmailAddr", "Balance", "Job"],
    defaults: { Active: true, Taxable: false, Job: false, BillWithParent: false, PreferredDeliveryMethod: "None" }
  }),
  entity("Vendor", {
    fields: {
      ...business,
      TaxIdentifier: text(20),
      Vendor1099: flag,
      TermRef: ref("Term"),
      APAccountRef: ref("Account"),
      BillRate: number,
      BusinessNumber: text(10)
    },
    filters: [...names, "CompanyName"],
    defaults: { Active: true, Vendor1099: false }
  }),
  entity("Employee", {
    fields: {
      ...nameBase,
      PrimaryAddr: address,
      EmployeeNumber: text(100),
      SSN: text(100),
      BillableTime: flag,
      BillRate: number,
      BirthDate: date,
      Gender: one("Male", "Female"),
      HiredDate: date,
      ReleasedDate: date
    },
    filters: names,
    defaults: { Active: true, BillableTime: false }
  }),
  entity("Account", {
    fields: {
      ...sub("SubAccount", "Account"),
      Description: text(100),
      Classification: readOnly(text()),
      AccountType: one(
        "Bank",
        "Accounts Receivable",
        "Other Current Asset",
        "Fixed Asset",
        "Other Asset",
        "Accounts Payable",
        "Credit Card",
        "Other Current Liability",
        "Long Term Liability",
        "Equity",
        "Income",
        "Cost of Goods Sold",
        "Expense",
        "Other Income",
        "Other Expense"
      ),
      AccountSubType: text(),
      AcctNum: text(7),
      CurrencyRef: currency,
      TaxCodeRef: ref("TaxCode"),
      CurrentBalance: readOnly(number),
      CurrentBalanceWithSubAccounts: readOnly(number)
    },
    filters: [
      "Name",
      "SubAccount",
      "ParentRef",
      "Description",
      "Classification",
      "AccountType",
      "AccountSubType",
      "Active"
    ],
    defaults: { Active: true, SubAccount: false }
  }),
  entity("Item", {
    fields: {
      ...sub("SubItem", "Item"),
      Level: readOnly(number),
      Sku: text(100),
      Description: text(4000),
      Type: one("Service", "Inventory", "NonInventory", "Category", "Group"),
      ItemGroupDetail: readOnly(
        part("ItemGroupDetail", { ItemGroupLine: parts("ItemGroupLine", { ItemRef: ref("Item"), Qty: number }) })
      ),
      PrintGroupedItems: readOnly(flag),
      UnitPrice: number,
      Taxable: flag,
      IncomeAccountRef: ref("Account"),
      PurchaseDesc: text(1000),
      PurchaseCost: number,
      ExpenseAccountRef: ref("Account"),
      AssetAccountRef: ref("Account"),
      PrefVendorRef: ref("Vendor"),
      TrackQtyOnHand: flag,
      QtyOnHand: number,
      ReorderPoint: number,
      InvStartDate: date,
      SalesTaxCodeRef: ref("TaxCode"),
      PurchaseTaxCodeRef: ref("TaxCode"),
      ClassRef: ref("Class")
    },
    filters: ["Name", "FullyQualifiedName", "Sku", "Type", "UnitPrice", "Active"],
    defaults: { Active: true, Taxable: false, Type: "Service", TrackQtyOnHand: false, UnitPrice: 0, PurchaseCost: 0 }
  }),
  ...transactions,
  entity("Term", {
    fields: {
      Name: required(text(31)),
      Active: flag,
      Type: readOnly(text()),
      DueDays: number,
      DiscountDays: number,
      DiscountPercent: number,
      DayOfMonthDue: number,
      DueNextMonthDays: number,
      DiscountDayOfMonth: number
    }
  }),
  entity("TaxCode", {
    can: [],
    isCaptured: false,
    fields: {
      Name: text(),
      Description: text(),
      Active: flag,
      Taxable: flag,
      TaxGroup: flag,
      Hidden: flag,
      ...Object.fromEntries(
        ["SalesTaxRateList", "PurchaseTaxRateList"].map((name) => [
          name,
          part("TaxRateList", {
            TaxRateDetail: parts("TaxRateDetail", {
              TaxRateRef: ref("TaxRate"),
              TaxTypeApplicable: one("TaxOnAmount", "TaxOnAmountPlusTax", "TaxOnTax"),
              TaxOrder: number,
              TaxOnTaxOrder: number
            })
          })
        ])
      )
    }
  }),
  entity("TaxRate", {
    can: [],
    isCaptured: false,
    fields: {
      Name: text(),
      Description: text(),
      Active: flag,
      RateValue: number,
      AgencyRef: { kind: "any" },
      DisplayType: text(),
      SpecialTaxType: text(),
      EffectiveTaxRate: { kind: "any" }
    }
  }),
  entity("TaxAgency", {
    isCaptured: false,
    can: [],
    fields: {
      DisplayName: text(),
      TaxTrackedOnSales: flag,
      TaxTrackedOnPurchases: flag,
      TaxRegistrationNumber: text()
    },
    filters: ["DisplayName"],
    defaults: {}
  }),
  entity("Attachable", {
    isCaptured: false,
    can: ["create", "update", "delete"],
    fields: {
      FileName: text(1000),
      Note: text(2000),
      Category: one("Contact Photo", "Document", "Image", "Receipt", "Signature", "Sound", "Other"),
      ContentType: text(100),
      PlaceName: text(2000),
      Tag: text(2000),
      Lat: text(100),
      Long: text(100),
      Size: readOnly(number),
      FileAccessUri: readOnly(text()),
      TempDownloadUri: readOnly(text()),
      AttachableRef: parts("AttachableRef", {
        EntityRef: ref(...attachedTo),
        LineInfo: text(),
        IncludeOnSend: flag,
        Inactive: flag
      })
    },
    filters: ["FileName", "Note", "Category", "ContentType", "PlaceName", "Tag", "Size"],
    defaults: {}
  }),
  entity("Class", {
    fields: sub("SubClass", "Class"),
    filters: ["Name", "FullyQualifiedName", "Active"],
    defaults: { Active: true, SubClass: false }
  }),
  entity("Department", {
    fields: { ...sub("SubDepartment", "Department"), Address: address },
    filters: ["Name", "FullyQualifiedName", "Active"],
    defaults: { Active: true, SubDepartment: false }
  }),
  entity("PaymentMethod", {
    fields: { Name: required(text(31)), Active: flag, Type: one("CREDIT_CARD", "NON_CREDIT_CARD") },
    filters: ["Name", "Active", "Type"],
    defaults: { Active: true, Type: "NON_CREDIT_CARD" }
  }),
  entity("CompanyCurrency", {
    fields: { Code: required(one("EUR", "GBP", "CAD", "JPY", "KWD")), Name: text(), Active: flag },
    filters: ["Code", "Name", "Active"]
  }),
  entity("CompanyInfo", {
    kind: "company",
    can: ["update"],
    filters: [],
    defaults: {},
    fields: {
      CompanyName: required(text(1024)),
      LegalName: text(1024),
      CompanyAddr: required(address),
      CustomerCommunicationAddr: address,
      LegalAddr: address,
      CustomerCommunicationEmailAddr: email,
      PrimaryPhone: phone,
      Email: email,
      WebAddr: web,
      EmployerId: text(),
      CompanyStartDate: readOnly(date),
      FiscalYearStartMonth: text(),
      Country: readOnly(text()),
      SupportedLanguages: readOnly(text()),
      DefaultTimeZone: readOnly(text()),
      NameValue: readOnly(nameValues)
    }
  }),
  entity("Preferences", {
    kind: "company",
    can: ["update"],
    filters: [],
    defaults: {},
    fields: {
      AccountingInfoPrefs: part("CompanyAccountingPrefs", {
        UseAccountNumbers: flag,
        TrackDepartments: flag,
        DepartmentTerminology: text(),
        ClassTrackingPerTxn: flag,
        ClassTrackingPerTxnLine: flag,
        FirstMonthOfFiscalYear: text(),
        TaxYearMonth: text(),
        CustomerTerminology: text(),
        BookCloseDate: date
      }),
      CurrencyPrefs: part("CurrencyPrefs", { MultiCurrencyEnabled: flag, HomeCurrency: currency }),
      ProductAndServicesPrefs: part("ProductAndServicesPrefs", {
        ForSales: flag,
        ForPurchase: flag,
        QuantityWithPriceAndRate: flag,
        QuantityOnHand: flag
      }),
      SalesFormsPrefs: part("SalesFormsPrefs", {
        CustomTxnNumbers: flag,
        AllowDeposit: flag,
        AllowDiscount: flag,
        AllowEstimates: flag,
        AllowServiceDate: flag,
        AllowShipping: flag,
        CustomField: { kind: "any" },
        DefaultTerms: ref("Term"),
        DefaultDiscountAccount: text()
      }),
      VendorAndPurchasesPrefs: part("VendorAndPurchasesPrefs", {
        EnableBills: flag,
        POCustomField: { kind: "any" },
        TrackingByCustomer: flag,
        BillableExpenseTracking: flag
      }),
      TaxPrefs: part("TaxPrefs", {
        UsingSalesTax: flag,
        PartnerTaxEnabled: flag,
        TaxGroupCodeRef: ref("TaxCode")
      }),
      ReportPrefs: part("ReportPrefs", { ReportBasis: one("Accrual", "Cash"), CalcAgingReportFromTxnDate: flag }),
      OtherPrefs: part("OtherPrefs", { NameValue: nameValues })
    }
  })
]

/** The entities by name. */
export const entities: ReadonlyMap<string, Entity> = new Map(list.map((one) => [one.name, one]))

/** Finds the entity of a path segment, in any case. */
export const entityOf = (segment: string): Entity | undefined =>
  list.find(({ name }) => name.toLowerCase() === segment.toLowerCase())
