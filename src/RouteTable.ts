import { HttpApiMiddleware, HttpLayerRouter, type HttpMethod, type HttpServerRequest } from "@effect/platform"
import type { Context } from "effect"
import { Api } from "./Api.ts"
import * as ApprovalPages from "./authorization/ApprovalPages.ts"
import * as ConsolePages from "./authorization/ConsolePages.ts"
import * as InteractionHttp from "./authorization/InteractionHttp.ts"
import * as OAuthHttp from "./authorization/OAuthHttp.ts"
import * as ConsentPages from "./connections/ConsentPages.ts"
import { PageApi } from "./connections/SessionApi.ts"
import * as WidgetRoutes from "./connections/widget/WidgetRoutes.ts"
import * as ConsoleHttp from "./console/Http.ts"
import * as Documents from "./Documents.ts"
import * as HooksHttp from "./hooks/Http.ts"
import { routerPath } from "./platform/Paths.ts"
import { type Requirement, requirementOf } from "./tenancy/Scopes.ts"
import * as Welcome from "./Welcome.ts"

/**
 * Providers' ids may be long, and paths are case-sensitive. Merging two slashes into one would do so in the query too, and
 * spoil addresses there.
 */
export const routerConfig = { maxParamLength: 1024, caseSensitive: true, ignoreDuplicateSlashes: false }

/** A path of the service, with its methods. */
export interface KnownRoute {
  readonly template: string
  readonly methods: Set<string>
  /** Needs no key. */
  readonly isOpen: boolean
  /** Requested by machines again and again, or on every visit: not worth a log line each time. */
  readonly isQuiet: boolean
}

/** A route for one method. */
export interface MethodRoute extends KnownRoute {
  /** Scope that the operation needs, or `any`. */
  readonly needs: Requirement | undefined
}

/** The parts of an operation of the interface that are used here. */
interface Operation {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  readonly annotations: Context.Context<never>
}

interface Group {
  readonly endpoints: { readonly [name: string]: Operation }
  readonly middlewares: ReadonlySet<HttpApiMiddleware.TagClassAny>
}

const makeTable = (withMetrics: boolean) => {
  // by their own methods, as routes are, so that none is taken for another; and, for 405, by any method
  const byMethod = HttpLayerRouter.FindMyWay.make<MethodRoute>(routerConfig)
  const byAny = HttpLayerRouter.FindMyWay.make<MethodRoute>(routerConfig)
  const known = new Map<string, KnownRoute>()
  const add = (
    method: HttpMethod.HttpMethod,
    template: string,
    is: Pick<KnownRoute, "isOpen" | "isQuiet">,
    needs?: Requirement
  ) => {
    const route = known.get(template) ?? { template, methods: new Set(), ...is }
    // a path of a provider has many segments
    const path = routerPath(template.replace(/:path$/, "*"))
    if (!known.has(template)) byAny.on("GET", path, { ...route, needs: undefined })
    known.set(template, route)
    route.methods.add(method)
    byMethod.on(method, path, { ...route, needs })
  }
  // reflecting on the API would look at every Schema, which takes longer than the rest of a start
  const groups: ReadonlyArray<Group> = [...Object.values(Api.groups), ...Object.values(PageApi.groups)]
  for (const { endpoints, middlewares } of groups) {
    const isOpen = ![...middlewares].some(HttpApiMiddleware.isSecurity)
    for (const endpoint of Object.values(endpoints)) {
      add(endpoint.method, endpoint.path, { isOpen, isQuiet: false }, requirementOf(endpoint))
    }
  }
  const beside = [
    Welcome.path,
    ...Object.values(Documents.paths),
    "/health/live",
    "/health/ready",
    ...WidgetRoutes.paths,
    ConsoleHttp.assetsPath
  ]
  for (const template of [...beside, ...(withMetrics ? ["/metrics"] : [])]) {
    add("GET", template, { isOpen: true, isQuiet: true })
  }
  for (const [template, methods] of Object.entries({
    ...ConsentPages.paths,
    ...ApprovalPages.paths,
    ...ConsoleHttp.paths,
    ...HooksHttp.paths,
    ...ConsolePages.paths,
    ...OAuthHttp.paths,
    ...InteractionHttp.paths
  })) {
    for (const method of methods) add(method, template, { isOpen: true, isQuiet: false })
  }
  return ({ method, url }: HttpServerRequest.HttpServerRequest): MethodRoute | undefined =>
    (byMethod.find(method === "HEAD" ? "GET" : method, url) ?? byAny.find("GET", url))?.handler
}

const made = new Map<boolean, ReturnType<typeof makeTable>>()

/**
 * Finds the route of a request, for scopes, for 405 and for the route label of metrics and logs; a path that has only other
 * methods is found too, without a scope. A process may have many applications, which share one table.
 */
export const routeTable = (withMetrics: boolean) => {
  const table = made.get(withMetrics) ?? makeTable(withMetrics)
  made.set(withMetrics, table)
  return table
}
