import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { digitsOf } from "../../../platform/Currency.ts"
import { amountAt } from "../../simulation/Docs.ts"

import {
  companies,
  people,
  pick,
  random,
  type SampleCompany,
  type SamplePerson
} from "../../simulation/SampleCompany.ts"
import { happen, type Happening, paidShare } from "../../simulation/SampleTrade.ts"
import * as chart from "./Chart.ts"
import { bills, invoices } from "./Documents.ts"
import { expenses, journals, purchaseOrders } from "./Entries.ts"
import { nextId, roundIn, today } from "./Fields.ts"
import { open } from "./Ledger.ts"
import { accounts, contacts, type Defined, items, taxes } from "./Lists.ts"
import { act, enter } from "./Routes.ts"
import { creditNotes, customerPayments, vendorPayments } from "./Settlements.ts"
import type { World } from "./World.ts"

const dayLength = 86_400_000

/** Writes a record as a client would; sample data that is refused is a mistake. */
const add = (account: Account, defined: Defined, body: Doc): Doc =>
  Either.getOrThrowWith(
    enter(account, defined, body),
    (problems) => new Error(`sample ${defined.kind.name}: ${JSON.stringify(problems)}`)
  )

const organization = (account: Account, world: World) => {
  const home = chart.currencies.find(([code]) => code === world.currency)?.[3] ?? 1
  for (const [currency_code, currency_name, currency_symbol, worth] of chart.currencies) {
    const currency_id = nextId(account)
    account.put("settings/currencies", currency_id, {
      currency_id,
      currency_code,
      currency_name: `${currency_code}- ${currency_name}`,
      currency_symbol,
      price_precision: digitsOf(currency_code),
      currency_format: "1,234,567.89",
      is_base_currency: currency_code === world.currency,
      exchange_rate: new Decimal(worth).div(home).toDecimalPlaces(6).toNumber(),
      effective_date: today(account)
    })
  }
  const base = account.all("settings/currencies").find(({ is_base_currency }) => is_base_currency === true) ?? {}
  account.put("organization", "1", {
    name: "Meridian Kitchens",
    contact_name: "Alexis Reyes",
    email: "alexis.reyes@meridian-kitchens.example",
    is_default_org: true,
    org_settings: { is_org_active: true },
    country_code: world.country,
    country_name: world.countryName,
    account_created_date: today(account),
    time_zone: world.timeZone,
    language_code: "en",
    date_format: "dd MMM yyyy",
    field_separator: " ",
    fiscal_year_start_month: world.fiscalYearStart,
    industry_type: "Construction",
    industry_size: "",
    company_id_label: "Company ID",
    company_id_value: "",
    tax_id_label: world.taxLabel,
    tax_id_value: world.taxNumber,
    currency_id: base.currency_id,
    currency_code: base.currency_code,
    currency_symbol: base.currency_symbol,
    currency_format: base.currency_format,
    price_precision: base.price_precision,
    org_address: "",
    remit_to_address: "",
    phone: world.phone,
    fax: "",
    website: "https://www.meridian-kitchens.example",
    address: world.address,
    custom_fields: []
  })
}

/** The chart of accounts by name, with what the books begin with. */
const ledger = (account: Account): ReadonlyMap<string, string> => {
  const made = chart.accounts.map(([account_name, account_type, account_code, opening = 0, isSystem = false]) => {
    const { account_id } = add(account, accounts, { account_name, account_type, account_code })
    const id = String(account_id)
    const doc = account.get("chartofaccounts", id) ?? {}
    account.put("chartofaccounts", id, { ...doc, is_system_account: isSystem, is_user_created: !isSystem })
    return { id, name: account_name, opening }
  })
  open(
    account,
    today(account),
    made.map(({ id, opening }) => [id, opening])
  )
  return new Map(made.map(({ id, name }) => [name, id]))
}

const wares = (account: Account, idOf: (name: string) => string, tax: Doc, price: Price): ReadonlyArray<Doc> => [
  ...chart.services.map(([name, rate, income]) =>
    add(account, items, {
      name,
      rate: price(rate),
      description: name,
      product_type: "service",
      account_id: idOf(income)
    })
  ),
  ...chart.goods.map(([name, sku, rate, purchase_rate, isStock]) =>
    add(account, items, {
      name,
      sku,
      rate: price(rate),
      purchase_rate: price(purchase_rate),
      description: name,
      product_type: "goods",
      item_type: isStock ? "inventory" : "sales_and_purchases",
      account_id: idOf("Sales"),
      purchase_account_id: idOf("Cost of Goods Sold"),
      tax_id: tax.tax_id,
      ...(isStock ? { inventory_account_id: idOf("Inventory Asset") } : {})
    })
  )
]

/** A tax; a group of several is made where its parts are, and not by the API. */
const makeTax = (account: Account, { tax_type, ...tax }: Doc): Doc => {
  if (tax_type !== "tax_group") return add(account, taxes, { ...tax, tax_type })
  const made = add(account, taxes, tax)
  const group = { ...made, tax_type }
  account.put("settings/taxes", String(made.tax_id), group)
  return group
}

/** A price of the sample company, in the currency of its world. */
type Price = (amount: number) => number

const foreign: { readonly [countryCode: string]: string } = { DE: "EUR", FR: "EUR", GB: "GBP", IN: "INR" }

const addressOf = (place: SampleCompany | SamplePerson): Doc => ({
  address: place.street,
  city: place.city,
  state: place.region,
  zip: place.postal,
  country: place.country
})

const customers = 150
const vendors = 60

const partners = (account: Account): ReadonlyArray<Doc> => {
  const codes = new Map(account.all("settings/currencies").map((one) => [one.currency_code, one.currency_id]))
  const persons = people(customers + vendors, customers + vendors)
  return companies(customers + vendors).map((firm, index) => {
    const person = persons[index]
    const currency = foreign[firm.countryCode]
    return add(account, contacts, {
      contact_name: firm.name,
      company_name: firm.name,
      contact_type: index < customers ? "customer" : "vendor",
      website: `https://${firm.domain}`,
      payment_terms: index % 3 === 0 ? 30 : 15,
      payment_terms_label: index % 3 === 0 ? "Net 30" : "Net 15",
      billing_address: addressOf(firm),
      ...(index % 3 === 0 ? { shipping_address: addressOf(firm) } : {}),
      ...(currency === undefined ? {} : { currency_id: codes.get(currency) }),
      contact_persons:
        person === undefined
          ? []
          : [
              {
                first_name: person.first,
                last_name: person.last,
                email: person.email,
                phone: firm.phone,
                ...(index % 2 === 0 ? { mobile: person.mobile } : {}),
                is_primary_contact: true
              }
            ]
    })
  })
}

const sales = 140
const purchases = 80

/** Those of the sales that are made void. */
const voids = new Set([21, 58, 97])

/** A year of sales and purchases, in the order of their days. */
const trade = (
  account: Account,
  start: number,
  parties: ReadonlyArray<Doc>,
  wared: ReadonlyArray<Doc>,
  idOf: (name: string) => string,
  price: Price
) => {
  const next = random(1878)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const span = account.now - start
  const happenings: Array<Happening> = []
  const on = (time: number, act: Happening["act"]) => happenings.push({ time: Math.floor(time), act })
  const sold = wared.slice(0, -3)
  const goods = sold.filter(({ purchase_rate }) => typeof purchase_rate === "number")

  const suppliers = parties.slice(customers, -3)
  const goodsLine = () => {
    const item = any(goods)
    return { item_id: item.item_id, description: String(item.name), quantity: whole(2, 20) }
  }
  const costLine = () => {
    const [name, description] = pick(next, chart.runningCosts)
    return { account_id: idOf(name), description, quantity: 1, rate: price(whole(4000, 96_000) / 100) }
  }

  for (let index = 0; index < sales; index += 1) {
    const time = start + (span * (index + 0.3)) / sales
    const customer_id = any(parties.slice(0, customers)).contact_id
    const line_items = Array.from({ length: whole(1, 4) }, () => {
      const item = any(sold)
      return {
        item_id: item.item_id,
        description: String(item.name),
        quantity: item.product_type === "service" ? whole(1, 12) / 2 : whole(1, 4)
      }
    })
    const age = (account.now - time) / dayLength
    const isDraft = age < 12 && index % 3 === 0
    const share = isDraft || voids.has(index) ? 0 : paidShare(age, next())
    const paidAt = time + whole(3, 40) * dayLength
    const notes = next() < 0.3 ? `Order ${4000 + index}` : ""
    let made: Doc = {}
    on(time, (then) => {
      made = add(then, invoices, {
        customer_id,
        date: today(then),
        payment_terms: 30,
        line_items,
        notes,
        ...(index % 5 === 0 ? { reference_number: `PO-${5000 + index}` } : {}),
        ...(index % 9 === 4 ? { shipping_charge: price(18) } : {}),
        ...(index % 11 === 6 ? { adjustment: price(-2.5), adjustment_description: "Goodwill" } : {}),
        ...(index % 7 === 3 ? { is_inclusive_tax: true } : {})
      })
      if (!isDraft) act(then, invoices, voids.has(index) ? "status/void" : "status/sent", made)
    })
    if (share > 0 && paidAt < account.now) {
      on(paidAt, (then) => {
        const amount = roundIn(then, made, amountAt(made, "total").times(share))
        add(then, customerPayments, {
          customer_id,
          payment_mode: pick(next, ["check", "banktransfer", "creditcard"]),
          amount,
          date: today(then),
          reference_number: String(7000 + index),
          ...(index % 2 === 0 ? { account_id: idOf("Checking") } : {}),
          invoices: [{ invoice_id: made.invoice_id, amount_applied: amount }]
        })
      })
    }
  }
  for (let index = 0; index < purchases; index += 1) {
    const time = start + (span * (index + 0.6)) / purchases
    const vendor_id = any(suppliers).contact_id
    const line_items = Array.from({ length: whole(1, 3) }, () => (next() < 0.4 ? goodsLine() : costLine()))
    const bill_number = `${pick(next, ["R", "INV-", "F-"])}${whole(1000, 9999)}-${index}`
    const share = paidShare((account.now - time) / dayLength, next())
    const paidAt = time + whole(5, 35) * dayLength
    let made: Doc = {}
    on(time, (then) => {
      made = add(then, bills, { vendor_id, bill_number, date: today(then), payment_terms: 21, line_items })
    })
    if (share > 0 && paidAt < account.now) {
      on(paidAt, (then) => {
        const amount = roundIn(then, made, amountAt(made, "total").times(share))
        add(then, vendorPayments, {
          vendor_id,
          payment_mode: "check",
          amount,
          date: today(then),
          paid_through_account_id: idOf("Checking"),
          bills: [{ bill_id: made.bill_id, amount_applied: amount }]
        })
      })
    }
  }
  for (let index = 0; index < 60; index += 1) {
    const [name, description] = pick(next, chart.runningCosts)
    const line_items = [{ account_id: idOf(name), description, amount: price(whole(900, 48_000) / 100) }]
    const paid_through_account_id = idOf(pick(next, ["Checking", "Mastercard", "Petty Cash"]))
    on(start + (span * (index + 0.5)) / 60, (then) => {
      const [{ account_id, amount } = {}] = line_items
      const vendor_id = any(suppliers).contact_id
      add(then, expenses, {
        account_id,
        amount,
        paid_through_account_id,
        vendor_id,
        description,
        date: today(then),
        line_items
      })
    })
  }
  for (let index = 0; index < 12; index += 1) {
    const side = (account_id: string, debit_or_credit: string) => ({
      account_id,
      debit_or_credit,
      amount: price(210.5 + index)
    })
    on(start + (span * (index + 0.8)) / 12, (then) => {
      const line_items = [side(idOf("Insurance"), "debit"), side(idOf("Prepaid Expenses"), "credit")]
      add(then, journals, { journal_date: today(then), notes: "Insurance of the month", line_items })
    })
  }
  for (let index = 0; index < 24; index += 1) {
    const vendor_id = any(suppliers).contact_id
    const line_items = Array.from({ length: whole(1, 3) }, goodsLine)
    const states = ["status/open", "status/billed", "status/cancelled", undefined]
    on(start + (span * (index + 0.4)) / 24, (then) => {
      const made = add(then, purchaseOrders, { vendor_id, date: today(then), line_items, notes: "As quoted" })
      const state = states[index % states.length]
      if (state !== undefined) act(then, purchaseOrders, state, made)
    })
  }
  for (let index = 0; index < 14; index += 1) {
    const customer_id = any(parties.slice(0, customers)).contact_id
    const item = any(sold)
    on(start + (span * (index + 0.7)) / 14, (then) => {
      const line_items = [{ item_id: item.item_id, description: String(item.name), quantity: 1 }]
      add(then, creditNotes, { customer_id, date: today(then), line_items, notes: "Goodwill" })
    })
  }
  happen(account, happenings)
}

/** Seeds the books of a small company: a little over a year, up to the account's current date. */
export const seedIn =
  (world: World) =>
  (account: Account): void => {
    const founding: Account = { ...account, now: account.now - 400 * dayLength }
    const price: Price = (amount) =>
      new Decimal(amount).times(world.priceFactor).toDecimalPlaces(digitsOf(world.currency)).toNumber()
    organization(founding, world)
    const chartOf = ledger(founding)
    const idOf = (name: string) => chartOf.get(name) ?? ""
    const [tax = {}] = world.taxes.map(([tax_name, tax_percentage, tax_type]) =>
      makeTax(founding, { tax_name, tax_percentage, tax_type })
    )
    const wared = wares(founding, idOf, tax, price)
    trade(account, account.now - 365 * dayLength, partners(founding), wared, idOf, price)
  }
