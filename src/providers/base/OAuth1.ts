/** OAuth 1.0a: requests are signed, and carry no secret. https://datatracker.ietf.org/doc/html/rfc5849#section-3.4 */

/** Escapes as in RFC 3986, including the reserved characters that `encodeURIComponent` leaves. */
export const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`)

export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** The text to sign: method, address without its query, and all parameters in their order. */
export const signedText = (method: string, url: string, parameters: Pairs): string => {
  const inOrder = parameters
    .map(([name, value]) => [escaped(name), escaped(value)] as const)
    .toSorted(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
  return [method, url, inOrder].map(escaped).join("&")
}

/** The signing key: the secrets of the application and of its token. */
export const signingKey = (consumerSecret: string, tokenSecret: string): string =>
  `${escaped(consumerSecret)}&${escaped(tokenSecret)}`
