import type { Native } from "../../mapping/Mapping.ts"

/** Delivery addresses of purchase orders: one free text each, with a line of the address in each of its lines. */

export const deliverySlot = "delivery"

/** Id of the address record that a purchase order's text is shown as. */
export const deliveryAddressId = (order: unknown) => `purchase_order:${String(order)}:${deliverySlot}`

const linesOf = (written: unknown): ReadonlyArray<string> =>
  typeof written === "string"
    ? written
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
    : []

export const isDeliveryText = (written: unknown): boolean => linesOf(written).length > 0

/** The text as an address. Which of its lines are town and country is not known, so all of them are street lines. */
export const deliveryValue = (written: unknown): Native => {
  const [first = "", ...further] = linesOf(written)
  return { AddressLine1: first, AddressLine2: further.join("\n") }
}

const parts = [1, 2, 3, 4].map((line) => `AddressLine${line}`).concat("City", "Region", "PostalCode", "Country")

/** An address as a text. */
export const deliveryText = (address: Native): string => parts.flatMap((part) => linesOf(address[part])).join("\n")
