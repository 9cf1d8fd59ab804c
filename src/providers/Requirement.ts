import { Schema } from "effect"

/**
 * Something that an account, or the application that reaches it, needs besides a connection.
 *
 * - `scope`: a consent that the end user is asked for or that the provider grants to applications
 * - `tier`: a plan or product of the account, or of the application at the provider's developer programme, or a better one
 * - `edition`: an edition of the account, or a better one
 * - `module`: a part of the account that its administrator switches on
 */
export const Requirement = Schema.Struct({
  kind: Schema.Literal("scope", "tier", "edition", "module").annotations({
    identifier: "RequirementKind",
    description:
      "scope: a consent; tier: a plan of the account or the application; edition: one of the account; module: a part that its administrator switches on"
  }),
  name: Schema.String.annotations({ description: "As the provider calls it" })
})
export type Requirement = typeof Requirement.Type

/** A requirement of a resource; where it has several native types, maybe only some of them. */
export const ResourceRequirement = Schema.Struct({
  ...Requirement.fields,
  native_types: Schema.optionalWith(
    Schema.Array(Schema.String).annotations({
      description: "The only native types that need it: without it, the resource has the others; absent: all need it"
    }),
    { exact: true }
  )
}).annotations({ identifier: "Requirement", description: "What an account or application needs besides a connection" })
export type ResourceRequirement = typeof ResourceRequirement.Type

/** A requirement in one word, such as `edition:Plus`. */
export const nameOf = ({ kind, name }: Requirement): string => `${kind}:${name}`

/** The same as somebody types it. */
export const RequirementName = Schema.transform(
  Schema.TemplateLiteralParser(Requirement.fields.kind, ":", Schema.NonEmptyString),
  Schema.typeSchema(Requirement),
  {
    strict: true,
    decode: ([kind, , name]) => ({ kind, name }),
    encode: ({ kind, name }) => [kind, ":", name] as const
  }
)

const article = { scope: "the scope", tier: "the tier", edition: "the edition", module: "the module" } as const

const sentences: { readonly [kind in Requirement["kind"]]: string } = {
  scope: "the end user has to connect again and grant it, once the application may ask for it",
  tier: "the account or the application has to have that plan",
  edition: "the account has to have it or a better one",
  module: "the account's administrator has to switch it on and let the user see it"
}

/** Requirements in plain words, such as `the scope bankfeeds`. */
export const inWords = (lacks: ReadonlyArray<Requirement>): string =>
  lacks.map(({ kind, name }) => `${article[kind]} ${name}`).join(" and ")

/** Says in plain words how an account gets the things that it lacks. */
export const remedyFor = (lacks: ReadonlyArray<Requirement>): string =>
  [...new Set(lacks.map(({ kind }) => sentences[kind]))].join("; ")
