import { createHash } from "node:crypto"
import type { ConnectionRef } from "../ConnectionRef.ts"

/**
 * A create's idempotency key at a provider, 40 characters: hashed, as a caller's key may have any length, and may come with
 * several kinds of records.
 */
export const requestKey = (connection: ConnectionRef, name: string, key: string): string =>
  createHash("sha256").update(`${connection.id}/${name}/${key}`).digest("hex").slice(0, 40)
