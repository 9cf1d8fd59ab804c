import type { Tool } from "../toolkits/Tool.ts"
import type { Session } from "./ToolGate.ts"

/** A tool that leads to others. Its answer is a JSON object. */
export type RouterTool = Tool<Session>
