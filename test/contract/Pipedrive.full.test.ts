import { Pipedrive } from "../../src/providers/pipedrive/Pipedrive.ts"
import { simulator } from "../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { pipedrive } from "./samples/Pipedrive.ts"

contractOn(TestDatabase.layer)({ provider: Pipedrive, simulator, samples: pipedrive })
