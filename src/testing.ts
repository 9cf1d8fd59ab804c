// For tests of what is built on this: the application without a port, simulators in memory, faults on request.
export { application, InProcess, type Tenancy } from "./InProcess.ts"
export { temporary as temporaryDatabase } from "./platform/Database.ts"
export { Simulators, simulators } from "./Simulators.ts"
export { type Fault, Faults, type Misbehaviour } from "./providers/simulation/Faults.ts"
export { dailySample } from "./providers/simulation/DailySample.ts"
export { SimulationStore } from "./providers/simulation/SimulationStore.ts"
export { connect, type Simulator, type SimulatorSource } from "./providers/simulation/Simulator.ts"
