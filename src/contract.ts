// Holds a provider to what every provider of this service does, under Vitest.
export { contract, type ContractOptions } from "./testing/contract/Contract.ts"
export type { PartialSample, Sample, Samples } from "./testing/contract/Sample.ts"
export type { Answer as ApiAnswer, Call as ApiCall, Doc as ApiRecord } from "./testing/contract/Answers.ts"
