import { commandLine } from "tributary"
import { parts } from "./parts.ts"

commandLine(parts)
