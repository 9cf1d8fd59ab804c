import { PhoneNumber } from "../../canonical/accounting/PhoneNumber.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { inParents, type Places, slotEntries } from "./Parents.ts"
import type { Books } from "./Books.ts"

/** https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer (TelephoneNumber) */
const phones: Places[string] = {
  main: ["PrimaryPhone", "MAIN"],
  mobile: ["Mobile", "MOBILE"],
  other: ["AlternatePhone", "OTHER"],
  fax: ["Fax", "FAX"]
}

const places: Places = { Customer: phones, Vendor: phones, CompanyInfo: { main: ["PrimaryPhone", "MAIN"] } }

const mapping = plainMapping(PhoneNumber, (of) => [
  of.variant({
    nativeType: "TelephoneNumber",
    entries: [...slotEntries(of), of.readField("number", "Value.FreeFormNumber", text)],
    notHeld: {}
  })
])

export const phoneNumber = (books: Books) =>
  inParents(books, mapping, {
    nativeType: "TelephoneNumber",
    places,
    isFilled: ({ FreeFormNumber }) => typeof FreeFormNumber === "string" && FreeFormNumber !== ""
  })
