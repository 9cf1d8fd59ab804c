import { Schema } from "effect"

/** The slug of a provider; the OpenAPI document lists those of the service. */
export const providerSlug = (description: string) =>
  Schema.String.annotations({ identifier: "ProviderSlug", description })
