import { preferShortLives } from "./platform/Memory.ts"

preferShortLives()

// only now, so that all of it runs by these rules
const [{ serve }, { everything }] = await Promise.all([import("./Service.ts"), import("./All.ts")])
serve(everything)
