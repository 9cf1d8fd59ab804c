/** Prefix of every route of the API; it carries the version. */
export const basePath = "/api/v1"

/** A declared path as the router takes it. */
export const routerPath = (path: string): `/${string}` => `/${path.replace(/^\//, "")}`
