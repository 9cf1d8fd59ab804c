const header = (description: string, schema: object, example: string) => ({
  description,
  schema: { type: "string", ...schema },
  example
})

/** The headers of answers, as components. */
export const headers = {
  Allow: header("The methods that work", {}, "GET, POST"),
  "Content-Disposition": header(
    "The name under which to save the file",
    {},
    "attachment; filename*=UTF-8''receipt.pdf"
  ),
  "Idempotency-Replayed": header(
    "true: the answer to the first request under the idempotency key",
    { enum: ["true"] },
    "true"
  ),
  "Preference-Applied": header("The preference that was sent, as it was followed (RFC 7240)", {}, "handling=strict"),
  "Provider-Status": header("The status that the provider answered with; on its own answers alone", {}, "200"),
  RateLimit: header(
    "What is left of each limit, and seconds until more is; absent where there is none",
    {},
    '"requests";r=118;t=52'
  ),
  "RateLimit-Policy": header(
    "The limits of the key and the organisation: requests and seconds; absent where there is none",
    {},
    '"requests";q=120;w=60'
  ),
  "Retry-After": {
    description: "Seconds until the same request can succeed",
    schema: { type: "integer", minimum: 1 },
    example: 1
  },
  "WWW-Authenticate": header("How to authenticate", {}, 'Bearer realm="tributary"'),
  "X-Request-Id": header(
    "Names the request in every log line; the one that was sent, where it has 8 to 128 letters, digits, dots, dashes or underscores",
    {},
    "3f0c2f0e-6a53-4c1e-9a51-0c8f4b1f7f55"
  ),
  "X-Session-Id": header(
    "The conversation, to be sent with its next message",
    { format: "uuid" },
    "3f0c2f0e-6a53-4c1e-9a51-0c8f4b1f7f55"
  )
} as const

export type HeaderName = keyof typeof headers
