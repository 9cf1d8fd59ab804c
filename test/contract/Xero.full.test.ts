import { Xero } from "../../src/providers/xero/Xero.ts"
import { simulator } from "../../src/providers/xero/simulator/XeroSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { xeroSamples } from "./samples/Xero.ts"

contractOn(TestDatabase.layer)({ provider: Xero, simulator, samples: xeroSamples })
