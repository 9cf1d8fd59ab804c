import { type Effect, Option, Redacted, Schema } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { ProviderError } from "./ProviderError.ts"

/** A request that says it is a provider's push. */
export interface Delivery {
  readonly method: string
  /** As the provider called it: with the public host, path and query. */
  readonly url: string
  /** By names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
  /** The bytes that were signed. */
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Something that has changed, as a push tells it. */
export interface Told {
  /** The provider's own id of the account; absent where the subscription is one connection's. */
  readonly account?: string
  /** One of `types`; others mean nothing here. */
  readonly type: string
  readonly remoteId?: string
}

interface Common {
  /** Native types by their names in pushes: `{ person: ["persons"] }`. */
  readonly types: { readonly [type: string]: ReadonlyArray<string> }
  /**
   * Tells what a push says; none where it is not the provider's, or too old. A push of the provider's that says nothing
   * known gives an empty list.
   */
  readonly verify: (delivery: Delivery, secret: Redacted.Redacted) => Option.Option<ReadonlyArray<Told>>
}

/** Pushes of all accounts that have connected an application go to one address, which its operator registers. */
export interface ApplicationPush extends Common {
  readonly kind: "application"
  /** True where pushes are signed with the client's secret unless the operator sets another. */
  readonly signsWithClientSecret?: true
}

/** A subscription of one connection to one type of pushes. */
export interface Subscription {
  /** UUID of ours. */
  readonly id: string
  /** The provider's own; absent as long as none is known. */
  readonly remoteId?: string
  /** One of `types`. */
  readonly type: string
  /** Where pushes are to go; nobody else knows it. */
  readonly address: string
  /** Credential that pushes have to show, at most 50 characters. */
  readonly secret: Redacted.Redacted
}

/** A subscription as the provider has it. */
export interface Subscribed {
  readonly remoteId: string
  /** Milliseconds since 1970 at which it ends; absent where it does not. */
  readonly expiresAt?: number
}

/** Pushes that each connection subscribes to by itself, with its own credentials. */
export interface ConnectionPush extends Common {
  readonly kind: "connection"
  /** Makes a subscription, or makes one that is there last longer; done twice, there is one all the same. */
  readonly subscribe: (connection: ConnectionRef, wanted: Subscription) => Effect.Effect<Subscribed, ProviderError>
  /** Ends it; one that is not there is no error. */
  readonly unsubscribe: (connection: ConnectionRef, remoteId: string) => Effect.Effect<void, ProviderError>
}

/** How a provider tells changes by itself. */
export type Push = ApplicationPush | ConnectionPush

/** HMAC-SHA256 over some parts, one behind the other, in Base64. */
export const hmac = (secret: Redacted.Redacted, ...parts: ReadonlyArray<string | Uint8Array>): string => {
  const sum = createHmac("sha256", Redacted.value(secret))
  for (const part of parts) sum.update(part)
  return sum.digest("base64")
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Whether two texts are the same, in a time that does not tell where they differ. */
export const isSame = (given: string | undefined, right: string): boolean =>
  timingSafeEqual(digest(given ?? ""), digest(right)) && given !== undefined

/** Value of a JSON body, where it is of a shape. */
export const bodyOf = <A, I>(shape: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(Schema.parseJson(shape))
  return ({ body }: Pick<Delivery, "body">): Option.Option<A> => decode(new TextDecoder().decode(body))
}

/** Reads a push whose signature was found right; one of an unknown shape names nothing. */
export const signed = <A, I>(shape: Schema.Schema<A, I>, told: (read: A) => ReadonlyArray<Told>) => {
  const read = bodyOf(shape)
  return (isRight: boolean, delivery: Delivery): Option.Option<ReadonlyArray<Told>> =>
    isRight ? Option.some(Option.match(read(delivery), { onNone: () => [], onSome: told })) : Option.none()
}
