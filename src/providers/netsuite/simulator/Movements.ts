import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { invalidValue, type Outcome, refuse, userError } from "./Answers.ts"
import { accountType, itemOf, nextNumber, noLines, numbered, type Rule, sum, withHead } from "./Books.ts"
import { fixed, flag, idAt, list, number, one, readOnly, ref, required, targetOf, text } from "./Fields.ts"
import type { RecordType } from "./RecordType.ts"
import { foreign, head, line, sale, saleLine, status, transaction } from "./TransactionFields.ts"

// Money and stock that move without being owed before.

const undeposited = one({ false: "false", true: "true" })

/** Where money of customers goes, as payments say it too. */
const receipt = {
  account: ref("account"),
  undepFunds: undeposited,
  paymentOption: ref("paymentMethod"),
  checkNumber: text(45)
}

const receiptStatus = status({ B: "Not Deposited", C: "Deposited", V: "Voided" })

export const movements: ReadonlyArray<RecordType> = [
  transaction("cashSale", "CashSale", { ...sale, ...receipt, status: receiptStatus, item: list("line", saleLine) }),
  transaction("customerDeposit", "CustDep", {
    ...head,
    ...foreign,
    ...receipt,
    customer: required(fixed(ref("customer", "job"))),
    salesOrder: ref("salesOrder"),
    payment: required(number),
    total: readOnly(number),
    status: receiptStatus
  }),
  transaction("deposit", "Deposit", {
    ...head,
    ...foreign,
    account: required(ref("account")),
    total: readOnly(number),
    payment: list("id", { id: required(text()), deposit: flag, paymentAmount: readOnly(number) }),
    other: list("line", {
      ...line,
      account: required(ref("account")),
      amount: required(number),
      entity: ref("customer", "vendor", "employee", "job"),
      memo: text(4000)
    })
  }),
  // the record service does not have it
  {
    ...transaction("transfer", "Transfer", {
      ...head,
      ...foreign,
      account: required(ref("account")),
      toAccount: required(ref("account")),
      total: required(number)
    }),
    isHidden: true
  },
  transaction("inventoryAdjustment", "InvAdjst", {
    ...head,
    subsidiary: required(fixed(ref("subsidiary"))),
    account: required(ref("account")),
    adjLocation: ref("location"),
    estimatedTotalValue: readOnly(number),
    inventory: list("line", {
      ...line,
      item: required(ref("inventoryItem")),
      description: readOnly(text()),
      adjustQtyBy: required(number),
      unitCost: number,
      memo: text(4000)
    })
  })
]

const received = ["customerPayment", "cashSale", "customerDeposit"]

/** Where a receipt goes: an account for cash, or the undeposited funds until they are taken to one. */
export const withReceipt = (account: Account, draft: Doc, current: Doc | undefined): Outcome<Doc> => {
  const isBanked = draft.account !== undefined && idAt(draft, "undepFunds") !== "true"
  if (isBanked && !["Bank", "OthCurrAsset", "CredCard"].includes(accountType(account, draft, "account") ?? "")) {
    return refuse(invalidValue(idAt(draft, "account"), "account"))
  }
  return Either.right({
    account: isBanked ? draft.account : undefined,
    undepFunds: { id: isBanked ? "false" : "true" },
    status: { id: isBanked || depositOf(account, current?.id) !== undefined ? "C" : "B" }
  })
}

/** The deposit that took a receipt to the bank. */
const depositOf = (account: Account, receipt: unknown): Doc | undefined =>
  account.all("deposit").find((doc) => partsAt(doc, "payment").some(({ id }) => id === receipt))

export const customerDeposit: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const party = targetOf(account, ["customer", "job"], idAt(draft, "customer") ?? "")?.doc
    const headed = yield* withHead(account, draft, party)
    if (amountAt(draft, "payment").lte(0)) return yield* refuse(invalidValue(draft.payment, "payment"))
    return compact({
      ...headed,
      ...(yield* withReceipt(account, draft, current)),
      tranId: draft.tranId ?? nextNumber(account, "customerDeposit", "CD"),
      total: draft.payment
    })
  })

export const deposit: Rule = (account, draft, current) =>
  Either.gen(function* () {
    if (accountType(account, draft, "account") !== "Bank") {
      return yield* refuse(invalidValue(idAt(draft, "account"), "account"))
    }
    const headed = yield* withHead(account, draft, undefined)
    const payment: Array<Doc> = []
    for (const [index, line] of partsAt(draft, "payment").entries()) {
      if (line.deposit === false) continue
      const doc = targetOf(account, received, String(line.id))?.doc
      const held = doc === undefined ? undefined : depositOf(account, doc.id)
      const isWaiting =
        doc !== undefined && idAt(doc, "undepFunds") === "true" && (held?.id ?? current?.id) === current?.id
      if (!isWaiting || idAt(doc, "currency") !== idAt(headed, "currency")) {
        return yield* refuse(invalidValue(line.id, `payment.items[${index}].id`))
      }
      payment.push({ id: doc.id, deposit: true, paymentAmount: doc.total })
    }
    const other = numbered(partsAt(draft, "other"))
    if (payment.length + other.length === 0) return yield* refuse(noLines)
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "deposit", "DEP"),
      payment,
      other: other.map(compact),
      total: sum(payment, "paymentAmount").plus(sum(other)).toNumber()
    })
  })

/** Tells receipts that a deposit has taken them, or has left them. */
export const redeposit = (account: Account, current: Doc | undefined, doc: Doc | undefined, now: string): void => {
  for (const [one, status] of [
    [current, "B"],
    [doc, "C"]
  ] as const) {
    for (const { id } of partsAt(one ?? {}, "payment")) {
      const found = targetOf(account, received, String(id))
      if (found === undefined) continue
      account.put(found.type, String(id), { ...found.doc, status: { id: status }, lastModifiedDate: now })
    }
  }
}

export const transfer: Rule = (account, draft) =>
  Either.map(withHead(account, draft, undefined), (headed) =>
    compact({ ...headed, tranId: draft.tranId ?? nextNumber(account, "transfer", "") })
  )

export const inventoryAdjustment: Rule = (account, draft) =>
  Either.gen(function* () {
    const { currency: _currency, exchangeRate: _rate, ...headed } = yield* withHead(account, draft, undefined)
    const inventory = numbered(partsAt(draft, "inventory")).map((line) => {
      const item = itemOf(account, line)?.doc ?? {}
      return compact({
        ...line,
        description: item.purchaseDescription,
        unitCost: line.unitCost ?? item.cost ?? 0
      })
    })
    if (inventory.length === 0) return yield* refuse(noLines)
    if (inventory.some((line) => line.adjustQtyBy === 0)) {
      return yield* refuse(userError("Please enter value(s) for: Adjust Qty. By"))
    }
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "inventoryAdjustment", ""),
      inventory,
      estimatedTotalValue: inventory
        .reduce(
          (total, line) => total.plus(amountAt(line, "adjustQtyBy").times(amountAt(line, "unitCost"))),
          new Decimal(0)
        )
        .toDecimalPlaces(2)
        .toNumber()
    })
  })
