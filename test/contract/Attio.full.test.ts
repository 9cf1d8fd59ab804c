import { Attio } from "../../src/providers/attio/Attio.ts"
import { simulator } from "../../src/providers/attio/simulator/AttioSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { attio } from "./samples/Attio.ts"

contractOn(TestDatabase.layer)({ provider: Attio, simulator, samples: attio })
