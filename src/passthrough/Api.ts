import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { type DeclaredGroup, makeApi } from "../platform/ApiErrors.ts"
import { wires } from "../platform/Errors.ts"
import { basePath } from "../platform/Paths.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { Headers } from "../records/Api.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"

const path = "/passthrough/:provider/:path"
/** As the router takes it, which knows a path of many segments only as `*`; OpenAPI and typed clients do not. */
const routedPath = "/passthrough/:provider/*"

const RoutedPath = Schema.Struct({ provider: providerSlug("Slug of the provider, such as hubspot") })
const Path = Schema.Struct({
  ...RoutedPath.fields,
  path: Schema.String.annotations({
    description:
      "What follows `apiRoot` of `GET /providers/{slug}`, as the provider documents it, such as `crm/v3/objects/contacts`; its slashes stay as they are"
  })
})

const Body = Schema.Unknown.annotations({
  description: "Whatever the provider takes there, of any content type, at most 25 MiB"
})

const Answer = Schema.Unknown.annotations({
  description:
    "The provider's answer as it is, whatever its status and content type; `Provider-Status` says that it is the provider's"
})
const Made = Answer.annotations(HttpApiSchema.annotations({ status: 201 }))

const description =
  "Sends method, query, body and the headers that matter to the provider's own API, with the connection's credentials and within its limits, and hands the answer back as it is, redirections and failures too: `Provider-Status` is then its status. Without that header a failure is this service's own. The path is that of the provider's documentation; another host, account or tenant than the connection's is 403, as are paths that hand out tokens. GET and HEAD are repeated when the provider fails; nothing else is, save once with a fresh token after a 401, which did nothing. `Idempotency-Key` is passed on and means what the provider makes of it."

const failing = HttpApiGroup.make("passthrough")
  .middleware(Authorization)
  .addError(wires.BadRequest)
  .addError(wires.Forbidden)
  .addError(wires.NotFound)
  .addError(wires.MethodNotAllowed)
  .addError(wires.Conflict)
  .addError(wires.PayloadTooLarge)
  .addError(wires.InternalError)
  .addError(wires.BadGateway)
  .addError(wires.Unavailable)
  .addError(wires.GatewayTimeout)

/** The rest of a provider's API, as it is documented. */
export class PassthroughGroup extends failing
  .add(
    HttpApiEndpoint.get("get", path)
      .setPath(Path)
      .setHeaders(Headers)
      .addSuccess(Answer)
      .annotate(OpenApi.Summary, "Read from a provider's own API")
      .annotate(OpenApi.Identifier, "passthrough_get")
  )
  .add(
    HttpApiEndpoint.post("post", path)
      .setPath(Path)
      .setHeaders(Headers)
      .setPayload(Body)
      .addSuccess(Answer)
      .addSuccess(Made)
      .annotate(OpenApi.Summary, "Post to a provider's own API")
      .annotate(OpenApi.Identifier, "passthrough_post")
  )
  .add(
    HttpApiEndpoint.put("put", path)
      .setPath(Path)
      .setHeaders(Headers)
      .setPayload(Body)
      .addSuccess(Answer)
      .annotate(OpenApi.Summary, "Put to a provider's own API")
      .annotate(OpenApi.Identifier, "passthrough_put")
  )
  .add(
    HttpApiEndpoint.patch("patch", path)
      .setPath(Path)
      .setHeaders(Headers)
      .setPayload(Body)
      .addSuccess(Answer)
      .annotate(OpenApi.Summary, "Patch at a provider's own API")
      .annotate(OpenApi.Identifier, "passthrough_patch")
  )
  .add(
    HttpApiEndpoint.del("delete", path)
      .setPath(Path)
      .setHeaders(Headers)
      .addSuccess(Answer)
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(OpenApi.Summary, "Delete at a provider's own API")
      .annotate(OpenApi.Identifier, "passthrough_delete")
  )
  .annotateEndpointsContext(needs("passthrough"))
  .annotateEndpoints(OpenApi.Description, description)
  .annotate(OpenApi.Title, "passthrough")
  .annotate(OpenApi.Description, "The rest of a provider's API, with a connection's credentials and limits.") {}

/** As the OpenAPI document and typed clients have it. */
export class PassthroughApi extends makeApi("passthrough").add(PassthroughGroup).prefix(basePath) {}

const routedGroups = (): ReadonlyArray<DeclaredGroup> => Object.values(RoutedPassthroughApi.groups)

/** The same methods as the router serves them; in no document and no typed client. */
export class RoutedPassthroughApi extends makeApi("routed passthrough", routedGroups)
  .add(
    failing
      .add(HttpApiEndpoint.get("get", routedPath).setPath(RoutedPath).setHeaders(Headers))
      .add(HttpApiEndpoint.post("post", routedPath).setPath(RoutedPath).setHeaders(Headers))
      .add(HttpApiEndpoint.put("put", routedPath).setPath(RoutedPath).setHeaders(Headers))
      .add(HttpApiEndpoint.patch("patch", routedPath).setPath(RoutedPath).setHeaders(Headers))
      .add(HttpApiEndpoint.del("delete", routedPath).setPath(RoutedPath).setHeaders(Headers))
  )
  .prefix(basePath) {}
