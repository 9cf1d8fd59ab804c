import { simulator } from "../../src/providers/zohobooks/simulator/ZohoBooksSimulator.ts"
import { ZohoBooks } from "../../src/providers/zohobooks/ZohoBooks.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { zohoBooks } from "./samples/ZohoBooks.ts"

contractOn(TestDatabase.layer)({ provider: ZohoBooks, simulator, samples: zohoBooks })
