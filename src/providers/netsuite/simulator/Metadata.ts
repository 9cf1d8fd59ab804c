import type { Account } from "../../simulation/Account.ts"
import type { Field, Fields } from "./Fields.ts"
import { inLanguage } from "./Languages.ts"
import type { RecordType } from "./RecordType.ts"

// The fields of a type of record, as JSON Schema:
// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545129726.html

/** Labels of forms that are not made of the fields' names. */
const labels: { readonly [name: string]: string } = {
  daysUntilNetDue: "Days Till Net Due",
  dayOfMonthNetDue: "Day of Month Net Due",
  payment: "Payment Amount"
}

/** `custentity_loyalty_tier` is Loyalty Tier, `companyName` Company Name. */
const titleOf = (name: string): string =>
  labels[name] ??
  name
    .replace(/^cust[a-z]+_/, "")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/(^| )([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase())

const text = (title: string) => ({ title, type: "string", nullable: true })

const reference = (ids?: ReadonlyArray<string>) => ({
  type: "object",
  properties: {
    id: { ...text("Internal identifier"), ...(ids === undefined ? {} : { enum: ids }) },
    refName: text("Reference Name"),
    externalId: text("External identifier"),
    links: { title: "Links", type: "array", readOnly: true }
  }
})

const shapeOf = (account: Account, field: Field): object => {
  switch (field.kind) {
    case "text":
      return { type: "string" }
    case "number":
      return { type: "number", format: "float" }
    case "flag":
      return { type: "boolean" }
    case "date":
      return { type: "string", format: "date" }
    case "instant":
      return { type: "string", format: "date-time" }
    case "one":
      return reference(Object.keys(field.of))
    case "country":
    case "ref":
      return reference()
    case "refs":
      return { type: "object", properties: { items: { type: "array", items: reference() } } }
    case "part":
      return { type: "object", properties: propertiesOf(account, field.fields) }
    case "list":
      return {
        type: "object",
        properties: {
          items: { type: "array", items: { type: "object", properties: propertiesOf(account, field.fields) } }
        }
      }
  }
}

const propertiesOf = (account: Account, fields: Fields): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        title: inLanguage(account, titleOf(name)),
        ...shapeOf(account, field),
        nullable: true,
        ...(name.startsWith("cust") && name.includes("_") ? { "x-ns-custom-field": true } : {})
      }
    ])
  )

export const schemaOf = (account: Account, { fields }: RecordType): object => ({
  type: "object",
  properties: propertiesOf(account, fields),
  $schema: "https://json-schema.org/draft-06/hyper-schema#"
})
