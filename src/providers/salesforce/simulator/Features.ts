import type { Account as Org } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature, SimulatedRequest } from "../../simulation/Simulator.ts"
import { fault, noResource, refusal } from "./Faults.ts"

/** Objects that come with an add-on, or with a setting. */
const objects: { readonly [module: string]: ReadonlyArray<string> } = {
  "Salesforce Scheduler or Field Service": ["ServiceAppointment", "WorkType"],
  Notes: ["ContentNote"]
}

const isNamed = (name: string, { path }: SimulatedRequest) => new RegExp(`/sobjects/${name}(?:/|$)`, "i").test(path)

const isQueried = (name: string, { query }: SimulatedRequest) =>
  new RegExp(`\\bfrom\\s+${name}\\b`, "i").test(query.get("q") ?? "")

/** https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm */
const modules = Object.entries(objects).map(([name, names]): Feature => ({
  kind: "module",
  name,
  refuse: (request) => {
    const unsupported = names.find((one) => isQueried(one, request))
    if (unsupported !== undefined) {
      return refusal(fault("INVALID_TYPE", `sObject type '${unsupported}' is not supported.`))
    }
    return names.some((one) => isNamed(one, request)) ? refusal(noResource) : undefined
  }
}))

/** Professional and below have no API. https://help.salesforce.com/s/articleView?id=000385436 */
const edition: Feature = {
  kind: "edition",
  name: "Enterprise",
  refuse: ({ path }) =>
    path.startsWith("/services/data/v")
      ? refusal(fault("API_DISABLED_FOR_ORG", "The REST API is not enabled for this Organization.", undefined, 403))
      : undefined
}

export const features: ReadonlyArray<Feature> = [edition, ...modules]

/** Whether an organisation has an object. */
export const isThere = (org: Org, object: string): boolean =>
  modules.every(({ kind, name }) => !isWithout(org, { kind, name }) || objects[name]?.includes(object) !== true)
