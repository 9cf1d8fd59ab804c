// What a caller of the HTTP API needs, in Node or a browser: `HttpApiClient.make(Api, { baseUrl })` is a typed client.
export { Api } from "./Api.ts"
export * as Catalogue from "./canonical/Catalogue.ts"
export type * from "./canonical/Resource.ts"
export * as Errors from "./platform/Errors.ts"
