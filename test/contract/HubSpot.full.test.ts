import { HubSpot } from "../../src/providers/hubspot/HubSpot.ts"
import { simulator } from "../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { contractOn } from "../../src/testing/contract/Contract.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { hubSpot } from "./samples/HubSpot.ts"

contractOn(TestDatabase.layer)({ provider: HubSpot, simulator, samples: hubSpot })
