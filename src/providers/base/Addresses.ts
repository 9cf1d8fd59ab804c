import { Either } from "effect"

/** A path with its places filled; undefined where a value would lead out of its place (`..`), so that it names nothing. */
export const fill = (path: string, params: { readonly [name: string]: string }): string | undefined => {
  const places = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = ""]) => params[name] ?? "")
  return places.some((value) => value === "" || value === "." || value === "..")
    ? undefined
    : path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
}

/** A public host, over TLS: what a provider answers is not a way into the network that this service stands in. */
export const isPublic = (address: string): boolean => {
  const url = Either.getOrUndefined(Either.try(() => new URL(address)))
  return (
    url?.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    // a name with a top-level domain: no IP address, no host of the local network
    /\.[a-z][a-z0-9-]+\.?$/.test(url.hostname) &&
    !/\.(local|localhost|internal|home\.arpa)\.?$/.test(url.hostname)
  )
}
