import { Schema } from "effect"
import { resourcesOf } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import { makers, sentencesOf } from "./Needs.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"

/** The schema of a body, as far as it is described here. */
interface BodySchema {
  readonly description?: string
  readonly required?: ReadonlyArray<string>
  readonly properties?: { readonly [name: string]: { readonly description?: string } }
}

/** An OpenAPI document, as far as it has schemas. */
export const WithSchemas = Schema.Struct({
  components: Schema.Struct({ schemas: Schema.Record({ key: Schema.String, value: Schema.Object }) })
})

const sentence = (text: string | undefined, more: string) => (text === undefined ? more : `${text}; ${more}`)

/** The schema of a resource's full bodies, with what the providers that make its records need. */
const withNeeds = (schema: BodySchema, resource: Resource, providers: ReadonlyArray<ProviderAdapter>): BodySchema => {
  const able = makers(providers, resource)
  const needing = (name: string) =>
    able.filter(({ resourceAdapter }) => resourceAdapter.needs?.includes(name)).map(({ slug }) => slug)
  const properties = schema.properties ?? {}
  const needed = Object.keys(properties).flatMap((name) => {
    const slugs = needing(name)
    return slugs.length === 0 ? [] : [{ name, slugs }]
  })
  const conditions = sentencesOf(
    able.map(({ resourceAdapter: { needs = [], rules = [] }, slug }) => ({
      slug,
      resourceAdapter: { needs: needs.filter((path) => !Object.hasOwn(properties, path)), rules }
    }))
  )
  return {
    ...schema,
    ...(conditions.length === 0 ? {} : { description: sentence(schema.description, conditions.join(" ")) }),
    required: [
      ...(schema.required ?? []),
      ...needed.filter(({ slugs }) => slugs.length === able.length).map(({ name }) => name)
    ],
    properties: {
      ...properties,
      ...Object.fromEntries(
        needed.map(({ name, slugs }) => [
          name,
          {
            ...properties[name],
            description: sentence(properties[name]?.description, `required by ${slugs.join(", ")}`)
          }
        ])
      )
    }
  }
}

/** The document of a service with these providers: bodies require what each of them does, and tell what single ones do; slugs are theirs. */
export const describingNeeds = (
  document: typeof WithSchemas.Type,
  providers: ReadonlyArray<ProviderAdapter>
): typeof WithSchemas.Type => {
  const { schemas } = document.components
  const bodies = [...resourcesOf("crm"), ...resourcesOf("accounting")].flatMap((resource) => {
    const identifier = `${resource.identifier}Body`
    const schema = schemas[identifier]
    return schema === undefined || makers(providers, resource).length === 0
      ? []
      : [[identifier, withNeeds(schema, resource, providers)] as const]
  })
  const { ProviderSlug } = schemas
  // an enumeration of nothing is none
  const slugs =
    ProviderSlug === undefined || providers.length === 0
      ? {}
      : { ProviderSlug: { ...ProviderSlug, enum: providers.map(({ slug }) => slug) } }
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(bodies), ...slugs } }
  }
}
