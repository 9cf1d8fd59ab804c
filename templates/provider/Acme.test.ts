import { contract } from "tributary/testing/contract"
import { Acme } from "./Acme.ts"
import { simulator } from "./simulator/AcmeSimulator.ts"

contract({ provider: Acme, simulator })
