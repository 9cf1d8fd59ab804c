import { QuickBooks } from "../../src/providers/quickbooks/QuickBooks.ts"
import { simulator } from "../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { quickBooks } from "./samples/QuickBooks.ts"

contractOn(TestDatabase.layer)({ provider: QuickBooks, simulator, samples: quickBooks })
