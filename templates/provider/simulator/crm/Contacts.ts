import { type Account, may, must, people, Value } from "tributary/simulator"
import { keep, kindOf } from "../Common.ts"

/** https://developer.acme.example/contacts */
export const contacts = kindOf("contacts", "con", [
  may("first_name", "First name", Value.text("string", { most: 200 })),
  must("last_name", "Last name", Value.text("string", { filled: true, most: 200 })),
  may("job_title", "Job title", Value.text("string", { most: 200 })),
  may("email", "E-mail", Value.text("string", { most: 200 })),
  may("phone", "Phone", Value.text("string", { most: 50 })),
  may("mobile", "Mobile phone", Value.text("string", { most: 50 }))
])

/** What a new account has. */
export const sample = (account: Account) => {
  for (const { email, first, last, mobile, phone, title } of people(40, 12)) {
    keep(account, contacts, { first_name: first, last_name: last, job_title: title, email, phone, mobile })
  }
}
