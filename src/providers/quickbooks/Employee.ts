import { Employee } from "../../canonical/accounting/Employee.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { activity, company, identity } from "./Common.ts"
import { active } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Staff. Contractors are vendors. Names are unique over employees, customers and vendors.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/employee
 */

const parts = ["Title", "GivenName", "MiddleName", "FamilyName", "Suffix"]

/** Names that Intuit puts together from the parts when they are left out. */
const composed = ["DisplayName", "PrintOnCheckName"]

const compose = (record: Native | undefined) =>
  parts
    .map((part) => record?.[part])
    .filter((part) => typeof part === "string" && part !== "")
    .join(" ")

/** A part of the name. What Intuit put together from the parts it is to put together again. */
const name = <N extends string>(of: Entries<N>, canonical: N, native: string) =>
  of.computed({
    canonical,
    native: [native],
    decode: ({ record }) => getPath(record, native),
    encode: (value, { current, set }) => {
      set(native, value)
      for (const whole of composed) {
        if (current !== undefined && current.record[whole] === compose(current.record)) set(whole, null)
      }
    }
  })

const mapping = plainMapping(Employee, (of) => [
  of.variant({
    nativeType: "Employee",
    entries: [
      ...identity(of),
      name(of, "first_name", "GivenName"),
      name(of, "last_name", "FamilyName"),
      of.constant("is_contractor", false),
      of.field("employee_number", "EmployeeNumber", text),
      of.field("email_address", "PrimaryEmailAddr.Address", text),
      activity(of, "INACTIVE"),
      company(of)
    ],
    notHeld: {}
  })
])

export const employee = (books: Books) =>
  entities(books, mapping, [{ name: "Employee", removal: "deactivate", filters: { status: active("INACTIVE") } }])
