import { it } from "@effect/vitest"
import { open, empty } from "../../../src/providers/simulation/Account.ts"
import { seed } from "../../../src/providers/quickbooks/QuickBooksSeed.ts"
it("seed", () => {
  const t = performance.now()
  const s = open("a", empty, Date.parse("2026-11-21T12:00:00Z"))
  seed(s.account)
  console.log("ms", performance.now() - t)
  const t2 = performance.now(); const st = s.state(); console.log("state ms", performance.now()-t2)
  for (const [k, v] of st.types) console.log(k, v.size)
  const a = s.account
  const sum = (e: string, f: string, w: (d: any) => boolean = () => true) => a.all(e).filter(w).reduce((x: number, d: any) => x + (d[f] ?? 0), 0)
  const cur = (c: string) => (d: any) => d.CurrencyRef.value === c
  for (const c of ["USD", "EUR"]) {
    console.log(c, sum("Invoice", "Balance", cur(c)), sum("CreditMemo","Balance",cur(c)), sum("Payment","UnappliedAmt",cur(c)), "bills", sum("Bill","Balance",cur(c)), sum("VendorCredit","Balance",cur(c)), "cust", sum("Customer","Balance",cur(c)), "vend", sum("Vendor","Balance",cur(c)))
  }
  for (const x of a.all("Account") as any) if (x.CurrentBalance) console.log(x.FullyQualifiedName, x.AccountType, x.CurrentBalance, x.CurrentBalanceWithSubAccounts, x.CurrencyRef.value)
  console.log(JSON.stringify(a.all("Invoice")[3], null, 1))
  console.log(a.all("Item").filter((i:any) => i.Type === "Inventory").map((i: any) => i.Name + " " + i.QtyOnHand).join("; "))
  console.log(JSON.stringify(a.all("Customer")[3]), JSON.stringify(a.all("Payment")[3]), JSON.stringify(a.all("BillPayment")[3]), JSON.stringify(a.all("Bill")[3]))
  const inv = a.all("Invoice") as any[]
  console.log("open", inv.filter(i=>i.Balance===i.TotalAmt && i.TotalAmt>0).length, "partly", inv.filter(i=>i.Balance>0&&i.Balance<i.TotalAmt).length, "paid", inv.filter(i=>i.Balance===0&&i.TotalAmt>0).length, "void", inv.filter(i=>i.TotalAmt===0).length, "overdue", inv.filter(i=>i.Balance>0&&i.DueDate<"2026-11-21").length)
})
