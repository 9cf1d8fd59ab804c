import { contract } from "tributary/testing/contract"
import { Close } from "../src/Close.ts"
import { simulator } from "../src/CloseSimulator.ts"

contract({ provider: Close, simulator })
