import { source, type SimulatorSource } from "../providers/simulation/Simulator.ts"

/** The simulator of every toolkit. */
export const simulators: ReadonlyArray<SimulatorSource> = [
  source("github", () => import("./github/simulator/GitHubSimulator.ts")),
  source("gmail", () => import("./gmail/simulator/GmailSimulator.ts")),
  source("jira", () => import("./jira/simulator/JiraSimulator.ts")),
  source("linear", () => import("./linear/simulator/LinearSimulator.ts")),
  source("notion", () => import("./notion/simulator/NotionSimulator.ts"))
]
