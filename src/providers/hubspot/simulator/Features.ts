import type { Account } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature, Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { failure } from "./Answers.ts"

// Scopes: https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes
// An account without a product cannot grant the scopes behind it: https://developers.hubspot.com/docs/api-reference/crm-leads-v3/guide

/** Objects that an application is let into by optional scopes. */
const objects = { leads: /\/(?:leads?|0-136)(?:\/|$)/, appointments: /\/(?:appointments?|0-421)(?:\/|$)/ } as const

const isRead = ({ method, path }: SimulatedRequest) => method === "GET" || /\/(?:search|batch\/read)$/.test(path)

const missing = (scope: string): Reply =>
  failure(
    403,
    "MISSING_SCOPES",
    "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.",
    {
      errors: [
        {
          message: "One or more of the following scopes are required.",
          context: { requiredGranularScopes: [scope] }
        }
      ]
    }
  )

/** The scope that a request for an object needs, by the records that its path begins with. */
const scopeFor = (name: keyof typeof objects, request: SimulatedRequest): string | undefined => {
  const [, rest] = /^\/crm\/(?:v3\/objects|objects\/[\w-]+|v3\/pipelines)(\/.*)$/.exec(request.path) ?? []
  const first = rest === undefined ? "" : `/${rest.split("/")[1] ?? ""}`
  return objects[name].test(first) ? `crm.objects.${name}.${isRead(request) ? "read" : "write"}` : undefined
}

const scopesOf = (name: keyof typeof objects): ReadonlyArray<Feature> =>
  (["read", "write"] as const).map((access) => {
    const scope = `crm.objects.${name}.${access}`
    return {
      kind: "scope",
      name: scope,
      refuse: (request) => (scopeFor(name, request) === scope ? missing(scope) : undefined)
    }
  })

/** Leads come with Sales Hub Professional. */
const salesHub: Feature = {
  kind: "tier",
  name: "Sales Hub Professional",
  refuse: (request) => {
    const scope = scopeFor("leads", request)
    return scope === undefined ? undefined : missing(scope)
  }
}

export const features: ReadonlyArray<Feature> = [...scopesOf("leads"), ...scopesOf("appointments"), salesHub]

/** The scopes that are left of those of a consent. */
export const granted = (account: Account, scopes: ReadonlyArray<string>): ReadonlyArray<string> =>
  scopes.filter(
    (name) =>
      !isWithout(account, { kind: "scope", name }) &&
      !(name.startsWith("crm.objects.leads.") && isWithout(account, salesHub))
  )
