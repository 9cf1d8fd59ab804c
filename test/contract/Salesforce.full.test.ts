import { Salesforce } from "../../src/providers/salesforce/Salesforce.ts"
import { simulator } from "../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { salesforce } from "./samples/Salesforce.ts"

contractOn(TestDatabase.layer)({ provider: Salesforce, simulator, samples: salesforce })
