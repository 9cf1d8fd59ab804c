import type { Account, Doc } from "../../simulation/Account.ts"

/** Keeps a record that no client can write as it stands. */
const put = (account: Account, type: string, doc: Doc): Doc => {
  const whole = { isInactive: false, ...doc, lastModifiedDate: `${new Date(account.now).toISOString().slice(0, 19)}Z` }
  account.put(type, String(doc.id), whole)
  return whole
}

/**
 * Whether an account has subsidiaries; a test may take them away.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N256997.html
 */
export const isOneWorld = (account: Account): boolean => account.get("feature", "subsidiaries")?.isOff !== true

/** The subsidiaries, their currencies and levels of prices. */
export const company = (account: Account) => {
  const currencies = [
    ["1", "US Dollar", "USD", "$", 1, 2],
    ["2", "British Pound", "GBP", "£", 1.2715, 2],
    ["3", "Canadian Dollar", "CAD", "C$", 0.7328, 2],
    ["4", "Euro", "EUR", "€", 1.0842, 2],
    ["5", "Japanese Yen", "JPY", "¥", 0.0067, 0],
    ["6", "Kuwaiti Dinar", "KWD", "KD", 3.2531, 3]
  ] as const
  for (const [id, name, symbol, displaySymbol, exchangeRate, currencyPrecision] of currencies) {
    put(account, "currency", {
      id,
      name,
      symbol,
      displaySymbol,
      exchangeRate,
      currencyPrecision,
      isBaseCurrency: id === "1"
    })
  }
  const address = {
    addressee: "Halcyon Instruments, Inc.",
    addr1: "1420 NW Lovejoy Street",
    city: "Portland",
    state: "OR",
    zip: "97209",
    country: { id: "US" }
  }
  put(account, "subsidiary", {
    id: "1",
    name: "Halcyon Instruments",
    fullName: "Halcyon Instruments",
    legalName: "Halcyon Instruments, Inc.",
    country: { id: "US" },
    state: "OR",
    currency: { id: "1" },
    federalIdNumber: "93-5550118",
    email: "accounts@halcyon-instruments.example",
    url: "https://halcyon-instruments.example",
    isElimination: false,
    mainAddress: address,
    shippingAddress: { ...address, addr1: "8 Dock Road" }
  })
  put(account, "subsidiary", {
    id: "2",
    name: "Halcyon Instruments UK",
    fullName: "Halcyon Instruments : Halcyon Instruments UK",
    legalName: "Halcyon Instruments (UK) Ltd",
    parent: { id: "1" },
    country: { id: "GB" },
    currency: { id: "2" },
    url: "https://halcyon-instruments.example/uk",
    isElimination: false,
    mainAddress: {
      addressee: "Halcyon Instruments (UK) Ltd",
      addr1: "22 Station Hill",
      city: "Reading",
      zip: "RG1 1NB",
      country: { id: "GB" }
    }
  })
  put(account, "priceLevel", { id: "1", name: "Base Price", isOnline: false })
  put(account, "priceLevel", { id: "2", name: "Education Price", discountPct: -10, isOnline: false })
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const

/** Years, quarters and months around the present; what is long past is closed. */
export const periods = (account: Account) => {
  const present = new Date(account.now).getUTCFullYear()
  const span = (from: number, to: number) => [from, to].map((at) => new Date(at).toISOString().slice(0, 10))
  const period = (
    periodName: string,
    months: readonly [number, number, number],
    parent: Doc | undefined,
    more: Doc
  ): Doc => {
    const [year, first, count] = months
    const [startDate, endDate] = span(Date.UTC(year, first, 1), Date.UTC(year, first + count, 0))
    return put(account, "accountingPeriod", {
      id: String(account.nextId()),
      periodName,
      startDate,
      endDate,
      ...(parent === undefined ? {} : { parent: { id: parent.id } }),
      isYear: false,
      isQuarter: false,
      isAdjust: false,
      closed: year < present - 5,
      allLocked: year < present - 5,
      arLocked: year < present - 5,
      apLocked: year < present - 5,
      ...more
    })
  }
  for (let year = present - 6; year <= present + 1; year++) {
    const whole = period(`FY ${year}`, [year, 0, 12], undefined, { isYear: true, isPosting: false })
    for (let quarter = 0; quarter < 4; quarter++) {
      const above = period(`Q${quarter + 1} ${year}`, [year, quarter * 3, 3], whole, {
        isQuarter: true,
        isPosting: false
      })
      for (let month = quarter * 3; month < quarter * 3 + 3; month++) {
        period(`${months[month] ?? ""} ${year}`, [year, month, 1], above, { isPosting: true })
      }
    }
  }
}
