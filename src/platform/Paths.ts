/** Prefix of every route of the API; it carries the version. */
export const basePath = "/api/v1"
