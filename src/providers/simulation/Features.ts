import { nameOf, type Requirement } from "../Requirement.ts"
import type { Account } from "./Account.ts"
import type { Reply, SimulatedRequest } from "./Simulator.ts"

/** Something that an account of a provider, or the application that asks, may lack. */
export interface Feature extends Requirement {
  /** The provider's answer to a request of an account without it; undefined where the request does not need it. */
  readonly refuse?: (request: SimulatedRequest, account: Account) => Reply | undefined
}

const type = "lacks"

/** Takes features from an account, in place of those taken before. */
export const withdraw = (account: Account, lacks: ReadonlyArray<Requirement>): void => {
  for (const [name] of account.entries(type)) account.remove(type, name)
  for (const one of lacks) account.put(type, nameOf(one), {})
}

/** Whether an account was made without something. */
export const isWithout = (account: Account, requirement: Requirement): boolean =>
  account.get(type, nameOf(requirement)) !== undefined

/** The refusal of a request that needs something its account lacks. */
export const refusalFor = (
  features: ReadonlyArray<Feature>,
  request: SimulatedRequest,
  account: Account
): Reply | undefined => {
  for (const feature of features) {
    const refusal = isWithout(account, feature) ? feature.refuse?.(request, account) : undefined
    if (refusal !== undefined) return refusal
  }
  return undefined
}
