import { contract } from "tributary/testing/contract"
import { Rolodex } from "../src/Rolodex.ts"
import { simulator } from "../src/RolodexSimulator.ts"

contract({ provider: Rolodex, simulator })
