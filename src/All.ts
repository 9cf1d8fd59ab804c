import { registered } from "./Parts.ts"
import { providers } from "./providers/All.ts"
import { simulators } from "./Simulators.ts"
import { toolkits } from "./toolkits/All.ts"

/** Every provider and toolkit of this service, with their simulators. */
export const everything = { providers, simulators, toolkits }

/** The Layer that registers all of them. */
export const All = registered(everything)
