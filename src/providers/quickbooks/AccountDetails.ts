/**
 * Detail types by account type, without those that only companies of some countries have.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account (AccountSubType)
 */
const details: { readonly [accountType: string]: string } = {
  Bank: "CashOnHand Checking MoneyMarket RentsHeldInTrust Savings TrustAccounts",
  "Accounts Receivable": "AccountsReceivable",
  "Other Current Asset": `AllowanceForBadDebts DevelopmentCosts EmployeeCashAdvances Inventory
    Investment_MortgageRealEstateLoans Investment_Other Investment_TaxExemptSecurities Investment_USGovernmentObligations
    LoansToOfficers LoansToOthers LoansToStockholders OtherCurrentAssets PrepaidExpenses Retainage UndepositedFunds`,
  "Fixed Asset": `AccumulatedAmortization AccumulatedDepletion AccumulatedDepreciation Buildings DepletableAssets
    FixedAssetComputers FixedAssetCopiers FixedAssetFurniture FixedAssetOtherToolsEquipment FixedAssetPhone
    FixedAssetPhotoVideo FixedAssetSoftware FurnitureAndFixtures IntangibleAssets Land LeaseholdImprovements
    MachineryAndEquipment OtherFixedAssets Vehicles`,
  "Other Asset": `AccumulatedAmortizationOfOtherAssets Goodwill LeaseBuyout Licenses OrganizationalCosts
    OtherLongTermAssets SecurityDeposits`,
  "Accounts Payable": "AccountsPayable",
  "Credit Card": "CreditCard",
  "Other Current Liability": `DeferredRevenue DirectDepositPayable FederalIncomeTaxPayable Gratuity InsurancePayable
    LineOfCredit LoanPayable OtherCurrentLiabilities PayrollClearing PayrollTaxPayable PrepaidExpensesPayable
    RentsInTrustLiability SalesTaxPayable StateLocalIncomeTaxPayable TrustAccountsLiabilities`,
  "Long Term Liability": "NotesPayable OtherLongTermLiabilities ShareholderNotesPayable",
  Equity: `AccumulatedAdjustment CommonStock EstimatedTaxes Healthcare OpeningBalanceEquity OwnersEquity
    PaidInCapitalOrSurplus PartnerContributions PartnerDistributions PartnersEquity PersonalExpense PersonalIncome
    PreferredStock RetainedEarnings TreasuryStock`,
  Income: `DiscountsRefundsGiven NonProfitIncome OtherPrimaryIncome SalesOfProductIncome ServiceFeeIncome
    UnappliedCashPaymentIncome`,
  "Cost of Goods Sold": `CostOfLaborCos EquipmentRentalCos OtherCostsOfServiceCos ShippingFreightDeliveryCos
    SuppliesMaterialsCogs`,
  Expense: `AdvertisingPromotional Auto BadDebts BankCharges CharitableContributions Communications CostOfLabor
    DuesSubscriptions Entertainment EntertainmentMeals EquipmentRental FinanceCosts Insurance InterestPaid
    LegalProfessionalFees OfficeGeneralAdministrativeExpenses OtherBusinessExpenses OtherMiscellaneousServiceCost
    PayrollExpenses PromotionalMeals RentOrLeaseOfBuildings RepairMaintenance ShippingFreightDelivery SuppliesMaterials
    TaxesPaid Travel TravelMeals UnappliedCashBillPaymentExpense Utilities`,
  "Other Income": "DividendIncome InterestEarned OtherInvestmentIncome OtherMiscellaneousIncome TaxExemptInterest",
  "Other Expense": `Amortization Depreciation ExchangeGainOrLoss GasAndFuel HomeOffice HomeownerRentalInsurance
    MortgageInterestHomeOffice OtherHomeOfficeExpenses OtherMiscellaneousExpense OtherVehicleExpenses ParkingAndTolls
    PenaltiesSettlements RentAndLeaseHomeOffice RepairsAndMaintainceHomeOffice UtilitiesHomeOffice Vehicle
    VehicleInsurance VehicleLease VehicleLoan VehicleLoanInterest VehicleRegistration VehicleRepairs
    WashAndRoadServices`
}

const typesOf = new Map(
  Object.entries(details).flatMap(([type, all]) => all.split(/\s+/).map((detail) => [detail, type] as const))
)

/** Whether a detail type is one of an account type; without a type, whether it is any. */
export const isDetailOf = (accountType: unknown, detail: string): boolean => {
  const type = typesOf.get(detail)
  return type !== undefined && (accountType === undefined || accountType === type)
}
