import type { Vitest } from "@effect/vitest"
import type { Faults } from "../../providers/simulation/Faults.ts"
import type { SimulationStore } from "../../providers/simulation/SimulationStore.ts"
import type { NotedRequests } from "./NotedRequests.ts"
import type { SandboxApplication } from "./SandboxApplication.ts"
import type { Subject } from "./Subject.ts"

/** Some tests of a contract, over the application of the provider alone. */
export type Suite = (
  it: Vitest.MethodsNonLive<SandboxApplication | NotedRequests | Faults | SimulationStore>,
  subject: Subject
) => void
