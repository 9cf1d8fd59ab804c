import { Effect } from "effect"
import { getPath, type Mapping } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { NotPermitted, ProviderError } from "../ProviderError.ts"
import type { Requirement, ResourceRequirement } from "../Requirement.ts"
import { settings } from "./Fields.ts"

/** An edition may lack a module, and an administrator may hide it. */
const module = (name: string) => ({ kind: "module", name }) as const satisfies Requirement

/** The modules that a resource is made of. */
export const modulesOf = ({ variants }: Mapping): ReadonlyArray<ResourceRequirement> =>
  variants.map(({ nativeType }) => ({
    ...module(nativeType),
    ...(variants.length === 1 ? {} : { native_types: [nativeType] })
  }))

/** By what a call is about; `ZohoCRM.modules.ALL` otherwise. https://www.zoho.com/crm/developer/docs/api/v8/scopes.html */
const scopes: { readonly [subject: string]: string } = {
  Notes: "ZohoCRM.modules.notes.ALL",
  Appointments__s: "ZohoCRM.modules.appointments.ALL",
  fields: "ZohoCRM.settings.fields.READ",
  layouts: "ZohoCRM.settings.layouts.READ",
  modules: "ZohoCRM.settings.modules.READ",
  pipeline: "ZohoCRM.settings.pipeline.READ",
  users: "ZohoCRM.users.READ",
  org: "ZohoCRM.org.READ",
  search: "ZohoSearch.securesearch.READ",
  watch: "ZohoCRM.notifications.ALL"
}

/**
 * Calls that say what a connection lacks: 400 (`INVALID_MODULE`) a module, 401 (`OAUTH_SCOPE_MISMATCH`) a scope. Zoho names
 * neither.
 * https://www.zoho.com/crm/developer/docs/api/v8/status-codes.html
 */
export const namingLacks =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.mapError(call(connection, request), (error) => {
      const { reason, status } = error
      if (reason._tag !== "NotPermitted" || (status !== 400 && status !== 401)) return error
      const [subject = "", verb] = request.operation.split(".")
      // settings are those of a module
      const about = getPath(request.query, "module") ?? subject
      const lacks =
        status === 400
          ? module(String(about))
          : ({
              kind: "scope",
              name: scopes[verb === "search" || verb === "watch" ? verb : subject] ?? "ZohoCRM.modules.ALL"
            } as const)
      return new ProviderError({ ...error, reason: new NotPermitted({ lacks: [lacks] }) })
    })

/** The modules of an account, in one call. https://www.zoho.com/crm/developer/docs/api/v8/modules-api.html */
export const held =
  (call: Caller): NonNullable<ProviderAdapter["held"]> =>
  (connection) =>
    Effect.map(settings(call, connection)("modules", "modules", {}), (rows) => {
      const names = new Set(rows.filter((row) => row.api_supported !== false).map((row) => row.api_name))
      return ({ kind, name }) => (kind === "module" ? names.has(name) : undefined)
    })
