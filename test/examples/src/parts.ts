import { everything, type Parts } from "tributary"
import { Close } from "./Close.ts"
import { simulator } from "./CloseSimulator.ts"

/** The package's own parts, and one more provider with its simulator. */
export const parts: Parts = {
  ...everything,
  providers: [...everything.providers, Close],
  simulators: [...everything.simulators, simulator]
}
