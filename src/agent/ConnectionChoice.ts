import { Either, Option, Schema } from "effect"
import type { Connection } from "../connections/Connection.ts"
import type { FieldErrors } from "../platform/Errors.ts"
import { overgrownIn, unfitIn } from "../platform/JsonBounds.ts"
import type { JsonObject } from "../toolkits/Tool.ts"
import { argumentsOf, isObject } from "./Json.ts"
import type { Offer } from "./ToolCatalogue.ts"
import { connectFirst, invalidArguments, refuse, type ToolFailure } from "./ToolFailure.ts"

/** By what a call says which connection it means. */
const Choice = Schema.Struct({ provider: Schema.optional(Schema.String), connection_id: Schema.optional(Schema.UUID) })
type Choice = typeof Choice.Type

const readChoice = Schema.decodeUnknownOption(Choice)

/** The tool's own arguments, and apart from them those that say which connection is meant. */
export const readArguments = (
  offer: Offer,
  given: unknown
): Either.Either<{ readonly own: JsonObject; readonly choice: Choice }, ToolFailure> => {
  const wrong = (errors: FieldErrors) =>
    Either.left(invalidArguments({ errors, message: `The arguments do not fit ${offer.name}.` }, offer.inputSchema()))
  const args = argumentsOf(given)
  if (!isObject(args)) return wrong({ arguments: "must be an object" })
  const unfit = overgrownIn(args) ?? unfitIn(args)
  if (unfit !== undefined) return wrong(unfit)
  const { connection_id, provider, ...rest } = args
  // where there is one provider only, an argument of that name is the tool's own
  const isOwn = provider === undefined || offer.providers.length === 1
  if (!isOwn && !offer.providers.some((slug) => slug === provider)) {
    return wrong({ provider: `must be one of ${offer.providers.join(", ")}` })
  }
  return Option.match(readChoice({ connection_id, provider: isOwn ? undefined : provider }), {
    onNone: () => wrong({ connection_id: "must be the UUID of a connection" }),
    onSome: (choice) => Either.right({ own: isOwn && provider !== undefined ? { ...rest, provider } : rest, choice })
  })
}

/**
 * Which of the end user's connections a call means; undefined: every one that the tool can work with. Where it could mean
 * several it is refused, with what there is to choose from.
 */
export const choose = (
  offer: Offer,
  { connection_id, provider }: Choice,
  { connection, endUser }: { readonly connection: string | undefined; readonly endUser: string | undefined },
  held: ReadonlyArray<Connection> | undefined
): Either.Either<Connection | undefined, ToolFailure> => {
  if (endUser === undefined) {
    return refuse("not_connected", "The request names no end user.", {
      next: "The client has to send X-End-User-Id, or ?end_user_id= in the address."
    })
  }
  const next = connectFirst(offer.toolkit.slug)
  if (held === undefined) {
    return refuse("not_connected", `There is no end user ${endUser} yet: connecting makes one.`, { next })
  }
  const slugs = provider === undefined ? offer.providers : [provider]
  const ids = new Set([connection_id?.toLowerCase(), connection].filter((id) => id !== undefined))
  const meant = held.filter((one) => slugs.includes(one.provider) && [...ids].every((id) => id === one.id))
  const [first, ...others] = meant
  if (first === undefined) {
    return refuse(
      "not_connected",
      ids.size > 0
        ? `This end user has no connection ${[...ids].join(" and ")} that ${offer.name} can use.`
        : `This end user has not connected ${slugs.join(" or ")}.`,
      { next }
    )
  }
  if (offer.reach === "every" && provider === undefined && ids.size === 0) return Either.right(undefined)
  if (others.length > 0) {
    return refuse(
      "connection_ambiguous",
      `This end user has ${meant.length} connections that ${offer.name} could mean; say which with connection_id.`,
      {
        choices: meant.map((one) => ({ connection_id: one.id, provider: one.provider, account: one.accountName }))
      }
    )
  }
  return first.status === "needs_reauth"
    ? refuse("not_connected", `${first.provider} has to be connected again.`, { next })
    : Either.right(first)
}
