// Account types and what they can be in detail:
// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account (AccountSubType), without the
// details that only companies of some countries have.

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

export interface AccountType {
  readonly classification: "Asset" | "Liability" | "Equity" | "Revenue" | "Expense"
  /** The detail type of an account that names none. */
  readonly usual: string
  readonly subTypes: ReadonlyArray<string>
}

const type = (classification: AccountType["classification"], usual: string, others = ""): AccountType => ({
  classification,
  usual,
  subTypes: [usual, ...words(others)]
})

export const accountTypes: { readonly [name: string]: AccountType } = {
  Bank: type("Asset", "CashOnHand", "Checking MoneyMarket RentsHeldInTrust Savings TrustAccounts"),
  "Accounts Receivable": type("Asset", "AccountsReceivable"),
  "Other Current Asset": type(
    "Asset",
    "OtherCurrentAssets",
    `AllowanceForBadDebts DevelopmentCosts EmployeeCashAdvances Inventory Investment_MortgageRealEstateLoans
    Investment_Other Investment_TaxExemptSecurities Investment_USGovernmentObligations LoansToOfficers LoansToOthers
    LoansToStockholders PrepaidExpenses Retainage UndepositedFunds`
  ),
  "Fixed Asset": type(
    "Asset",
    "OtherFixedAssets",
    `AccumulatedAmortization AccumulatedDepletion AccumulatedDepreciation Buildings DepletableAssets FixedAssetComputers
    FixedAssetCopiers FixedAssetFurniture FixedAssetOtherToolsEquipment FixedAssetPhone FixedAssetPhotoVideo
    FixedAssetSoftware FurnitureAndFixtures IntangibleAssets Land LeaseholdImprovements MachineryAndEquipment Vehicles`
  ),
  "Other Asset": type(
    "Asset",
    "OtherLongTermAssets",
    "AccumulatedAmortizationOfOtherAssets Goodwill LeaseBuyout Licenses OrganizationalCosts SecurityDeposits"
  ),
  "Accounts Payable": type("Liability", "AccountsPayable"),
  "Credit Card": type("Liability", "CreditCard"),
  "Other Current Liability": type(
    "Liability",
    "OtherCurrentLiabilities",
    `DeferredRevenue DirectDepositPayable FederalIncomeTaxPayable Gratuity InsurancePayable LineOfCredit LoanPayable
    PayrollClearing PayrollTaxPayable PrepaidExpensesPayable RentsInTrustLiability SalesTaxPayable
    StateLocalIncomeTaxPayable TrustAccountsLiabilities`
  ),
  "Long Term Liability": type("Liability", "OtherLongTermLiabilities", "NotesPayable ShareholderNotesPayable"),
  Equity: type(
    "Equity",
    "OpeningBalanceEquity",
    `AccumulatedAdjustment CommonStock EstimatedTaxes Healthcare OwnersEquity PaidInCapitalOrSurplus PartnerContributions
    PartnerDistributions PartnersEquity PersonalExpense PersonalIncome PreferredStock RetainedEarnings TreasuryStock`
  ),
  Income: type(
    "Revenue",
    "OtherPrimaryIncome",
    "DiscountsRefundsGiven NonProfitIncome SalesOfProductIncome ServiceFeeIncome UnappliedCashPaymentIncome"
  ),
  "Cost of Goods Sold": type(
    "Expense",
    "SuppliesMaterialsCogs",
    "CostOfLaborCos EquipmentRentalCos OtherCostsOfServiceCos ShippingFreightDeliveryCos"
  ),
  Expense: type(
    "Expense",
    "OtherMiscellaneousServiceCost",
    `AdvertisingPromotional Auto BadDebts BankCharges CharitableContributions Communications CostOfLabor DuesSubscriptions
    Entertainment EntertainmentMeals EquipmentRental FinanceCosts Insurance InterestPaid LegalProfessionalFees
    OfficeGeneralAdministrativeExpenses OtherBusinessExpenses PayrollExpenses PromotionalMeals RentOrLeaseOfBuildings
    RepairMaintenance ShippingFreightDelivery SuppliesMaterials TaxesPaid Travel TravelMeals
    UnappliedCashBillPaymentExpense Utilities`
  ),
  "Other Income": type(
    "Revenue",
    "OtherMiscellaneousIncome",
    "DividendIncome InterestEarned OtherInvestmentIncome TaxExemptInterest"
  ),
  "Other Expense": type(
    "Expense",
    "OtherMiscellaneousExpense",
    `Amortization Depreciation ExchangeGainOrLoss GasAndFuel HomeOffice HomeownerRentalInsurance
    MortgageInterestHomeOffice OtherHomeOfficeExpenses OtherVehicleExpenses ParkingAndTolls PenaltiesSettlements
    RentAndLeaseHomeOffice RepairsAndMaintainceHomeOffice UtilitiesHomeOffice Vehicle VehicleInsurance VehicleLease
    VehicleLoan VehicleLoanInterest VehicleRegistration VehicleRepairs WashAndRoadServices`
  )
}

/** The type that a detail type belongs to. */
export const typeOf = (subType: string | undefined): string | undefined =>
  Object.keys(accountTypes).find((name) => subType !== undefined && accountTypes[name]?.subTypes.includes(subType))

/** Details of the accounts that QuickBooks itself posts to, which stay in use. */
export const systemDetails: ReadonlySet<string | undefined> = new Set([
  "AccountsReceivable",
  "AccountsPayable",
  "UndepositedFunds",
  "SalesTaxPayable",
  "OpeningBalanceEquity",
  "RetainedEarnings"
])
