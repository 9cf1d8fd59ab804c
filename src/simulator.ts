// The parts of a provider's simulator, without the rest of the application.
export {
  app as simulatorApp,
  basicOf,
  clientNamed,
  connect,
  expireAccessTokens,
  type Feature,
  type IssuedTokens,
  issueTokens,
  isTokenGood,
  type Method,
  type Reply,
  revokeToken,
  type Route,
  type SimulatedRequest,
  type Simulator,
  type SimulatorSource,
  source as simulatorSource
} from "./providers/simulation/Simulator.ts"
export { type Account, type Change, type Doc, type State, used } from "./providers/simulation/Account.ts"
export { accountNumber } from "./providers/simulation/AccountNumber.ts"
export { dailySample, dayOf } from "./providers/simulation/DailySample.ts"
export { type Table, table } from "./providers/simulation/Table.ts"
export { amountAt, compact, money, partAt, partsAt, textAt } from "./providers/simulation/Docs.ts"
export { SimulationStore } from "./providers/simulation/SimulationStore.ts"
export { isWithout } from "./providers/simulation/Features.ts"
export type { Changed, Pushed, Pushing, PushTarget } from "./providers/simulation/Pushes.ts"
export {
  type ConcurrencyLimit,
  leftOf,
  type Limits,
  Strictness,
  type WindowLimit
} from "./providers/simulation/Limits.ts"
export { type Fault, Faults, type Misbehaviour } from "./providers/simulation/Faults.ts"

// A REST provider as tables: kinds of records, what their fields take, parameters, pages, and how the API speaks
export { type Complaint, type Problem, refused, type Settled } from "./providers/simulation/table/Complaint.ts"
export {
  allOf,
  type Field as KindField,
  type Kind,
  kept,
  may,
  must,
  type Readable,
  recordOf,
  remove,
  type Rule,
  set,
  settings,
  type Show,
  shown,
  worked,
  type Write,
  write
} from "./providers/simulation/table/Kind.ts"
export {
  cursorPages,
  numberedPages,
  offsetPages,
  type Pages,
  sortedBySigns,
  sortedByWords,
  whole
} from "./providers/simulation/table/Pages.ts"
export * as Parameter from "./providers/simulation/table/Query.ts"
export type { Filter, Parameters } from "./providers/simulation/table/Query.ts"
export {
  asked,
  bodyOf,
  type Handler,
  list,
  listRoute,
  readRoutes,
  routesOf,
  type Style,
  type Verb
} from "./providers/simulation/table/Routes.ts"
export * as Value from "./providers/simulation/table/Value.ts"

// The authorisation page, token and revocation endpoints
export {
  type Complaint as TokenComplaint,
  type Handed,
  type OAuthFacts,
  oauthServer,
  type Revocation,
  revokeConsent,
  standardErrors
} from "./providers/simulation/OAuthServer.ts"

// Query languages
export { type Get, matches, run as runQuery, sort } from "./providers/simulation/Evaluate.ts"
export {
  comparisons,
  type Condition,
  type Dialect,
  type Literal,
  parse as parseQuery,
  type Query
} from "./providers/simulation/Query.ts"

// A whole company's data
export {
  companies,
  industries,
  people,
  pick,
  random,
  type SampleCompany,
  type SamplePerson
} from "./providers/simulation/SampleCompany.ts"
export { dueOn, happen, type Happening, paidShare, type Terms } from "./providers/simulation/SampleTrade.ts"
