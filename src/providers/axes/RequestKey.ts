import { createHash } from "node:crypto"
import type { ConnectionRef } from "../ConnectionRef.ts"

/**
 * What a create is known by at a provider, 40 characters: a caller's key is as long as the caller likes, and may come with
 * several kinds of records.
 */
export const requestKey = (connection: ConnectionRef, name: string, key: string): string =>
  createHash("sha256").update(`${connection.id}/${name}/${key}`).digest("hex").slice(0, 40)
