import { ConfigProvider, Layer } from "effect"

/** A Layer with what an operator has set. */
export const withSettings =
  (settings: { readonly [name: string]: string }) =>
  <A, E, R>(made: Layer.Layer<A, E, R>) =>
    Layer.provide(made, Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))))
