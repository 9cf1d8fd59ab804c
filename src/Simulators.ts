import { Layer } from "effect"
import * as Providers from "./providers/Simulators.ts"
import { layer } from "./providers/simulation/Simulator.ts"
import * as Toolkits from "./toolkits/Simulators.ts"

/** The simulator of every provider and toolkit: what the sandbox runs on. */
export const simulators = [...Providers.simulators, ...Toolkits.simulators]

/** Makes sandbox calls reach the simulators. */
export const Simulators = Layer.mergeAll(Layer.empty, ...simulators.map(layer))
