import { growSlowly } from "./platform/Memory.ts"

growSlowly()

// only now, so that all of it runs by these rules
const [{ serve }, { everything }] = await Promise.all([import("./Service.ts"), import("./All.ts")])
serve(everything)
