import type { Native } from "../../mapping/Mapping.ts"
import { type Clause, exact } from "../Filtering.ts"
import { fold, longest, quote, type Saying } from "./Criteria.ts"

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** Fields that the name of a contact or a lead is made of. */
export const nameFields = ["Full_Name", "First_Name", "Last_Name", "Salutation"]

/**
 * The name of a person without the salutation, which Zoho puts in front of it: `Ms. Dilan Aksoy`.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-records.html
 */
export const nameOf = ({ First_Name, Full_Name, Last_Name, Salutation }: Native): unknown => {
  if (!isText(Full_Name)) return Full_Name
  const name = [First_Name, Last_Name].filter(isText).join(" ")
  if (name !== "" && Full_Name.endsWith(` ${name}`)) return name
  return isText(Salutation) && Full_Name.startsWith(`${Salutation} `)
    ? Full_Name.slice(Salutation.length + 1)
    : Full_Name
}

/** Finds people whose name or family name begins with a text: a query finds it anywhere in the name, after a salutation too. */
export const beginsName: Clause<Saying> = exact(({ text }) => {
  const value = text.normalize("NFC")
  if (value.length > longest || /[\r\n]/.test(value)) return null
  // a pattern takes these characters for something else
  const [plain = ""] = /^[^%_\\]*/.exec(value) ?? []
  const begins = (name: unknown) => isText(name) && fold(name).startsWith(fold(value))
  return {
    anyOf:
      plain === ""
        ? [{ coql: "Full_Name is not null", column: "Full_Name" }]
        : [
            { coql: `Full_Name like ${quote(`%${plain}%`)}`, column: "Full_Name" },
            { coql: `Last_Name like ${quote(`${plain}%`)}`, column: "Last_Name" }
          ],
    checks: { fields: nameFields, holds: (record) => begins(nameOf(record)) || begins(record.Last_Name) }
  }
})
