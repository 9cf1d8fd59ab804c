import { type Account, companies, kept, may, must, Value } from "tributary/simulator"
import { keep, kindOf } from "../Common.ts"

/** https://developer.acme.example/contacts */
export const contacts = kindOf("contacts", "con", [
  must("name", "Name", Value.text("string", { filled: true, most: 200 })),
  kept("is_customer", "Customer", Value.flag("boolean"), false),
  kept("is_supplier", "Supplier", Value.flag("boolean"), false),
  kept("status", "Status", Value.choice("status", ["active", "archived"]), "active"),
  may("email", "E-mail", Value.text("string", { most: 200 })),
  may("tax_number", "Tax number", Value.text("string", { most: 50 })),
  may("phone", "Phone", Value.text("string", { most: 50 })),
  may("mobile", "Mobile phone", Value.text("string", { most: 50 }))
])

/** What a new account has. */
export const sample = (account: Account) => {
  for (const [at, { domain, name, phone }] of companies(40).entries()) {
    keep(account, contacts, {
      name,
      is_customer: at % 3 !== 0,
      is_supplier: at % 3 === 0,
      email: `office@${domain}`,
      phone
    })
  }
}
