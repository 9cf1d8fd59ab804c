import { basePath } from "../platform/Paths.ts"

/** The scopes of tokens, each with what it lets a program do; the second contains the first. */
export const scopes = ["tools:read", "tools:write"] as const

/** A workspace's tool runtime, as tokens name what they are for. */
export const resourceOf = (publicUrl: string, workspaceId: string) => `${publicUrl}${basePath}/mcp/${workspaceId}`

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

const runtimePath = new RegExp(`^${basePath}/mcp/(${uuid})(?:/chat(?:/.*)?)?$`, "i")

/** The workspace that a path of the tool runtime or of chat names. */
export const workspaceInPath = (path: string) => runtimePath.exec(path)?.[1]?.toLowerCase()

/** The workspace of a resource; undefined when it is none of this service's. */
export const workspaceOf = (publicUrl: string, resource: unknown) => {
  if (typeof resource !== "string" || !resource.startsWith(`${publicUrl}/`)) return undefined
  const id = workspaceInPath(resource.slice(publicUrl.length))
  return id !== undefined && resource === resourceOf(publicUrl, id) ? id : undefined
}

/** Where the metadata of a workspace's tool runtime is (RFC 9728). */
export const metadataPath = (workspaceId: string): `/${string}` =>
  `/.well-known/oauth-protected-resource${basePath}/mcp/${workspaceId}`

/**
 * The challenge of a refusal. At a workspace's tool runtime a host finds out from it how to ask for access: for what it
 * lacks (RFC 6750, section 3), everything at once.
 */
export const challengeOf = (publicUrl: string, workspaceId: string | undefined, lacksScope: boolean) =>
  [
    `Bearer realm="tributary"`,
    ...(lacksScope ? [`error="insufficient_scope"`] : []),
    ...(workspaceId === undefined
      ? []
      : [`resource_metadata="${publicUrl}${metadataPath(workspaceId)}"`, `scope="${scopes.join(" ")}"`])
  ].join(", ")
