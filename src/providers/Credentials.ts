import { Context, type Effect, FiberRef, type Redacted } from "effect"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { ProviderError } from "./ProviderError.ts"

/** Credentials of a connection's account at its provider. */
export interface CredentialValues {
  /** Counts replacements; a refresh names the version that failed. */
  readonly version: number
  /** Access token or API key, which `Authorization` is made of. */
  readonly secret: Redacted.Redacted
  /** The provider's own values beside it, not secret: `instanceUrl`, `realmId`, `apiDomain`, `tenantId`, `accountId`. */
  readonly values: { readonly [name: string]: string }
}

/** Credentials as they were last held, for calls that undo something after its connection was removed. */
export const lastHeld = FiberRef.unsafeMake<CredentialValues | undefined>(undefined)

/** Credentials of connections, kept fresh. Providers need it; `connections` implements it. */
export class Credentials extends Context.Tag("tributary/providers/Credentials")<
  Credentials,
  {
    /** Fails with `Unauthenticated` when the connection needs reconnecting. */
    readonly current: (connection: ConnectionRef) => Effect.Effect<CredentialValues, ProviderError>
    /**
     * Replaces credentials that the provider answered with 401; returns those that cannot be replaced, such as keys, as they
     * are. A caller whose version was replaced meanwhile gets the new one; one refresh runs at a time for each connection,
     * across all instances.
     */
    readonly refresh: (
      connection: ConnectionRef,
      failed: CredentialValues
    ) => Effect.Effect<CredentialValues, ProviderError>
    /** Notes that the provider refused the credentials for the second time: the connection needs reconnecting. */
    readonly refused: (connection: ConnectionRef, failed: CredentialValues) => Effect.Effect<void>
  }
>() {}
