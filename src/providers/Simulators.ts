import { Layer } from "effect"
import { simulator as hubspot } from "./hubspot/simulator/HubSpotSimulator.ts"
import { simulator as quickbooks } from "./quickbooks/simulator/QuickBooksSimulator.ts"
import { simulator as salesforce } from "./salesforce/simulator/SalesforceSimulator.ts"
import { layer, type Simulator } from "./simulation/Simulator.ts"

/** The simulator of every provider: what the sandbox runs on. */
export const simulators: ReadonlyArray<Simulator> = [hubspot, salesforce, quickbooks]

/** Makes sandbox calls reach the simulators. */
export const Simulators = Layer.mergeAll(Layer.empty, ...simulators.map(layer))
