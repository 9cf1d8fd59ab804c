import { Close } from "../../src/providers/close/Close.ts"
import { simulator } from "../../src/providers/close/simulator/CloseSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { close } from "./samples/Close.ts"

contractOn(TestDatabase.layer)({ provider: Close, simulator, samples: close })
