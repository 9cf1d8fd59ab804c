// For tests of what is built on this: the application without a port, simulators in memory, faults on request.
export { simulators } from "./Simulators.ts"
export { type Fault, Faults, type Misbehaviour } from "./providers/simulation/Faults.ts"
export { dailySample } from "./providers/simulation/DailySample.ts"
export { SimulationStore } from "./providers/simulation/SimulationStore.ts"
export { connect, type Simulator, type SimulatorSource } from "./providers/simulation/Simulator.ts"

// Mocks, and the whole application around them
export { mockProvider, type MockOptions, type MockRecords } from "./testing/Mock.ts"
export type { MockFailure, MockOperation, MockSource } from "./testing/MockPlan.ts"
export type { MockRecord, ResourceName } from "./testing/MockRecords.ts"
export { startTestApplication, type StartedApplication, type StartedCaller } from "./testing/StartTestApplication.ts"
export {
  type Caller as TestCaller,
  type CallerOptions,
  type Client,
  type EndUserOf,
  TestApplication,
  testApplication,
  type TestParts
} from "./testing/TestApplication.ts"
export {
  Busy,
  Clash,
  Down,
  Invalid,
  LimitReached,
  Locked,
  Malformed,
  Missing,
  NotPermitted,
  ProviderError,
  type Reason,
  Stale,
  TimedOut,
  Unauthenticated,
  Unsupported
} from "./providers/ProviderError.ts"
