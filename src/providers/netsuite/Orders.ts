import { computed } from "../../mapping/Entries.ts"
import { type Encoding, natives } from "../../mapping/Mapping.ts"
import { readState, type States } from "./States.ts"

/** The status of purchase and sales orders. An order is closed line by line. */

interface OrderStates {
  readonly states: States
  /** The state that closes all lines. */
  readonly closed: string
  /** Writes a state other than the present one. */
  readonly write: (value: string, encoding: Encoding) => void
}

/** Comes after the lines in a mapping, as it may close them. */
export const orderStatus = ({ closed, states, write }: OrderStates) =>
  computed({
    canonical: "status",
    native: ["status", "orderStatus"],
    parts: ["state"],
    needsCurrent: true,
    decode: (bundle) => readState(states, bundle),
    encode: (value, encoding) => {
      const held = encoding.current === undefined ? undefined : readState(states, encoding.current)
      if (typeof value !== "string" || value === held) return
      const isClosed = value === closed
      if (isClosed || held === closed) {
        encoding.set(
          "lines",
          natives(encoding.get("lines")).map((line) => ({ ...line, isClosed }))
        )
      }
      if (!isClosed) write(value, encoding)
    }
  })
