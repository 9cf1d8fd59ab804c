import { everything, type Parts } from "tributary"
import { Rolodex } from "./Rolodex.ts"
import { simulator } from "./RolodexSimulator.ts"

/** The package's own parts, and one more provider with its simulator. */
export const parts: Parts = {
  ...everything,
  providers: [...everything.providers, Rolodex],
  simulators: [...everything.simulators, simulator]
}
