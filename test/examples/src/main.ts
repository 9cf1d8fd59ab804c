import { everything, serve } from "tributary"
import { Close } from "./Close.ts"
import { simulator } from "./CloseSimulator.ts"

serve({
  ...everything,
  providers: [...everything.providers, Close],
  simulators: [...everything.simulators, simulator]
})
