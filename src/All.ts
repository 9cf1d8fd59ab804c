import { Layer } from "effect"
import * as Providers from "./providers/All.ts"
import * as Toolkits from "./toolkits/All.ts"

/** Every provider and toolkit of this service. */
export const All = Layer.mergeAll(Providers.All, Toolkits.All)
