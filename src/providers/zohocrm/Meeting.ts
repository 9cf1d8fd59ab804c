import { field } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { eventEntries } from "./Activities.ts"
import { moduleMapping } from "./Common.ts"
import { records } from "./Records.ts"

const mapping = moduleMapping("Events", [...eventEntries, field("location", "Venue", text)])

export const meeting = (call: Caller) => records(call, mapping)
