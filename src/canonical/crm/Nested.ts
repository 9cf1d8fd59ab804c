import { boolean, integer, literal, number, readOnly, required, text, type Shape } from "../Resource.ts"

/** CRM postal address */
export const Address = {
  name: "Address",
  description: "CRM postal address",
  fields: {
    street_1: text("first street line"),
    street_2: text("remaining street lines"),
    city: text("town"),
    state: text("state, region or province"),
    postal_code: text("postal code"),
    country: text("ISO 3166-1 alpha-2 when known, else provider text"),
    address_type: literal("use of the address; null for a plain mailing address", "BILLING", "SHIPPING")
  }
} satisfies Shape

/** CRM e-mail entry */
export const EmailAddress = {
  name: "EmailAddress",
  description: "CRM e-mail entry",
  fields: {
    email_address: required(text("the address")),
    email_address_type: text("label such as WORK, HOME, SECONDARY")
  }
} satisfies Shape

/** CRM phone entry */
export const PhoneNumber = {
  name: "PhoneNumber",
  description: "CRM phone entry",
  fields: {
    phone_number: required(text("the number")),
    phone_number_type: text("label such as WORK, MOBILE, HOME, FAX, OTHER")
  }
} satisfies Shape

/** One step of a CRM pipeline */
export const PipelineStage = {
  name: "PipelineStage",
  description: "one step of a CRM pipeline",
  fields: {
    id: readOnly(text("service id of the stage")),
    remote_id: readOnly(text("provider's stage id; value to send as deal.stage")),
    name: readOnly(text("label")),
    display_order: readOnly(integer("position, 0 first")),
    probability: readOnly(number("chance of winning, 0 to 1")),
    status: readOnly(literal("deal status implied by the stage", "OPEN", "WON", "LOST")),
    remote_was_deleted: readOnly(boolean("stage archived or inactive"))
  }
} satisfies Shape
