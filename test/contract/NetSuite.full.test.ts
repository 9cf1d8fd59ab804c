import { NetSuite } from "../../src/providers/netsuite/NetSuite.ts"
import { simulator } from "../../src/providers/netsuite/simulator/NetSuiteSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { netSuite } from "./samples/NetSuite.ts"

contractOn(TestDatabase.layer)({ provider: NetSuite, simulator, samples: netSuite })
