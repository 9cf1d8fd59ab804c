import { Either } from "effect"
import { basePath } from "../platform/Paths.ts"
import { memoize } from "../platform/Memoize.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { Asked } from "../platform/RequestNotes.ts"

/** Where the segments of a template's paths stand that say something. */
interface Shape {
  readonly resource: string | undefined
  readonly record: number | undefined
  readonly provider: number | undefined
  readonly connection: number | undefined
}

/** Routes are few. */
const shapeOf = memoize(1000, (template): Shape => {
  const segments = template.split("/")
  const place = (prefix: string, name: string) => {
    const found = template.startsWith(`${basePath}${prefix}`) ? segments.indexOf(name) : -1
    return found === -1 ? undefined : found
  }
  const [, resource] = new RegExp(`^${basePath}/((?:crm|accounting)/\\w+)`).exec(template) ?? []
  return {
    resource,
    record: resource === undefined ? undefined : place(`/${resource}/`, ":id"),
    provider: place("/passthrough/", ":provider"),
    connection: place("/connections/", ":id")
  }
})

export const decoded = (segment: string | undefined) =>
  segment === undefined ? undefined : Either.getOrUndefined(Either.try(() => decodeURIComponent(segment)))

const operations: { readonly [method: string]: readonly [ofAll: string, ofOne: string] } = {
  GET: ["list", "get"],
  HEAD: ["list", "get"],
  POST: ["create", "create"],
  PUT: ["replace", "replace"],
  PATCH: ["patch", "patch"],
  DELETE: ["remove", "remove"]
}

const operationOf = (method: string, template: string, { record, resource }: Shape) => {
  if (resource === undefined) return undefined
  if (template.endsWith("/batch")) return "batch"
  if (template.endsWith("/content")) return "download"
  return operations[method]?.[record === undefined ? 0 : 1]
}

/** Reads what a request asks for; `template` is that of its route, `isKnown` tells slugs of providers and toolkits. */
export const described = (
  {
    headers,
    method,
    url
  }: {
    readonly method: string
    readonly url: string
    readonly headers: { readonly [name: string]: string | undefined }
  },
  template: string | undefined,
  isKnown: (slug: string) => boolean
): Asked => {
  const known = template === undefined ? undefined : shapeOf(template)
  const [path = "", query] = url.split("?", 2)
  const segments = path.split("/")
  const segment = (place: number | undefined) => (place === undefined ? undefined : decoded(segments[place]))
  const provider =
    segment(known?.provider) ??
    (query?.includes("provider=") !== true ? undefined : new URLSearchParams(query).get("provider"))
  const connection = (headers["x-connection-id"] ?? segment(known?.connection))?.toLowerCase()
  return {
    resource: known?.resource,
    operation: template === undefined || known === undefined ? undefined : operationOf(method, template, known),
    record: segment(known?.record),
    provider: provider !== undefined && provider !== null && isKnown(provider) ? provider : undefined,
    connection: connection !== undefined && isUuid(connection) ? connection : undefined,
    idempotencyKey: headers["idempotency-key"]?.slice(0, 255)
  }
}
