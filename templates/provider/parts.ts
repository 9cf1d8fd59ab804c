import { everything, type Parts } from "tributary"
import { Acme } from "./Acme.ts"
import { simulator } from "./simulator/AcmeSimulator.ts"

/** The package's own parts, and Acme with its simulator. */
export const parts: Parts = {
  ...everything,
  providers: [...everything.providers, Acme],
  simulators: [...everything.simulators, simulator]
}
