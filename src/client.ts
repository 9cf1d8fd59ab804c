// For callers of the HTTP API, in Node or a browser: `HttpApiClient.make(Api, { baseUrl })` is a typed client.
export { Api } from "./Api.ts"
export { accounting, crm, find as findResource, resourcesOf } from "./canonical/Catalogue.ts"
export type {
  Access,
  BodyOf,
  Category,
  Class,
  Field,
  Fields,
  Kind,
  PatchOf,
  RecordOf,
  Resource,
  ResourceOf,
  Shape,
  Tree
} from "./canonical/Resource.ts"
export type { Rule } from "./canonical/Rule.ts"
export {
  type ApiError,
  BadGateway,
  BadRequest,
  Conflict,
  Forbidden,
  GatewayTimeout,
  InternalError,
  isApiError,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType
} from "./platform/Errors.ts"
