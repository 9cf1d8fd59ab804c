import { ZohoCrm } from "../../src/providers/zohocrm/ZohoCrm.ts"
import { simulator } from "../../src/providers/zohocrm/simulator/ZohoCrmSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { zohoCrm } from "./samples/ZohoCrm.ts"

contractOn(TestDatabase.layer)({ provider: ZohoCrm, simulator, samples: zohoCrm })
