import type { Account as Org } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature, SimulatedRequest } from "../../simulation/Simulator.ts"
import { fault, invalidModule, refusal } from "./Answers.ts"
import { modules } from "./Modules.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/modules-api.html

const requirement = (name: string) => ({ kind: "module", name }) as const

/** The module that a query is over. */
const queried = ({ path, text }: SimulatedRequest) =>
  path.endsWith("/coql") ? /\bfrom\s+(\w+)/i.exec(text)?.[1] : undefined

/** The modules, any of which an edition may lack or an administrator may hide. */
export const features: ReadonlyArray<Feature> = modules.map(({ name }) => ({
  ...requirement(name),
  refuse: (request) => {
    if (queried(request) === name) return refusal(fault("INVALID_MODULE", "the given module is not supported in api"))
    const isNamed = request.path.split("/")[3] === name || request.query.get("module") === name
    return isNamed || request.path.endsWith(`/settings/modules/${name}`) ? refusal(invalidModule) : undefined
  }
}))

export const isThere = (org: Org, module: string): boolean => !isWithout(org, requirement(module))
