import { Contact as CrmContact } from "./crm/Contact.ts"
import { Company } from "./crm/Company.ts"
import { Lead } from "./crm/Lead.ts"
import { Deal } from "./crm/Deal.ts"
import { Note } from "./crm/Note.ts"
import { Task } from "./crm/Task.ts"
import { Meeting } from "./crm/Meeting.ts"
import { Activity } from "./crm/Activity.ts"
import { Appointment } from "./crm/Appointment.ts"
import { Owner } from "./crm/Owner.ts"
import { Pipeline } from "./crm/Pipeline.ts"
import { Invoice } from "./accounting/Invoice.ts"
import { Contact } from "./accounting/Contact.ts"
import { Account } from "./accounting/Account.ts"
import { Payment } from "./accounting/Payment.ts"
import { TaxRate } from "./accounting/TaxRate.ts"
import { JournalEntry } from "./accounting/JournalEntry.ts"
import { Expense } from "./accounting/Expense.ts"
import { PurchaseOrder } from "./accounting/PurchaseOrder.ts"
import { SalesOrder } from "./accounting/SalesOrder.ts"
import { CreditNote } from "./accounting/CreditNote.ts"
import { VendorCredit } from "./accounting/VendorCredit.ts"
import { Item } from "./accounting/Item.ts"
import { TrackingCategory } from "./accounting/TrackingCategory.ts"
import { AccountingPeriod } from "./accounting/AccountingPeriod.ts"
import { PaymentMethod } from "./accounting/PaymentMethod.ts"
import { PaymentTerm } from "./accounting/PaymentTerm.ts"
import { Employee } from "./accounting/Employee.ts"
import { Project } from "./accounting/Project.ts"
import { Attachment } from "./accounting/Attachment.ts"
import { ExpenseReport } from "./accounting/ExpenseReport.ts"
import { ItemFulfillment } from "./accounting/ItemFulfillment.ts"
import { CompanyInfo } from "./accounting/CompanyInfo.ts"
import { Address } from "./accounting/Address.ts"
import { PhoneNumber } from "./accounting/PhoneNumber.ts"
import { BalanceSheet } from "./accounting/BalanceSheet.ts"
import { IncomeStatement } from "./accounting/IncomeStatement.ts"
import { CashFlowStatement } from "./accounting/CashFlowStatement.ts"
import { GeneralLedgerTransaction } from "./accounting/GeneralLedgerTransaction.ts"
import { Transaction } from "./accounting/Transaction.ts"
import { BankFeedAccount } from "./accounting/BankFeedAccount.ts"
import { BankFeedTransaction } from "./accounting/BankFeedTransaction.ts"
import type { Category, Resource } from "./Resource.ts"

/** The CRM resources, by the name they have in paths. */
export const crm = {
  contact: CrmContact,
  company: Company,
  lead: Lead,
  deal: Deal,
  note: Note,
  task: Task,
  meeting: Meeting,
  activity: Activity,
  appointment: Appointment,
  owner: Owner,
  pipeline: Pipeline
} as const

/** The accounting resources, by the name they have in paths. */
export const accounting = {
  invoice: Invoice,
  contact: Contact,
  account: Account,
  payment: Payment,
  tax_rate: TaxRate,
  journal_entry: JournalEntry,
  expense: Expense,
  purchase_order: PurchaseOrder,
  sales_order: SalesOrder,
  credit_note: CreditNote,
  vendor_credit: VendorCredit,
  item: Item,
  tracking_category: TrackingCategory,
  accounting_period: AccountingPeriod,
  payment_method: PaymentMethod,
  payment_term: PaymentTerm,
  employee: Employee,
  project: Project,
  attachment: Attachment,
  expense_report: ExpenseReport,
  item_fulfillment: ItemFulfillment,
  company_info: CompanyInfo,
  address: Address,
  phone_number: PhoneNumber,
  balance_sheet: BalanceSheet,
  income_statement: IncomeStatement,
  cash_flow_statement: CashFlowStatement,
  general_ledger_transaction: GeneralLedgerTransaction,
  transaction: Transaction,
  bank_feed_account: BankFeedAccount,
  bank_feed_transaction: BankFeedTransaction
} as const

const resources: { readonly [C in Category]: { readonly [name: string]: Resource } } = { crm, accounting }

/** Every resource of a category, in the order of the catalogue. */
export const resourcesOf = (category: Category): ReadonlyArray<Resource> => Object.values(resources[category])

const byName = new Map<string, Resource>(
  [...resourcesOf("crm"), ...resourcesOf("accounting")].map((resource) => [
    `${resource.category}/${resource.name}`,
    resource
  ])
)

/** The resource of that name, if there is one. */
export const find = (category: Category, name: string): Resource | undefined => byName.get(`${category}/${name}`)
