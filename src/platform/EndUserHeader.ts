import { Schema } from "effect"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Decodes a header's value, which arrives as bytes, as the UTF-8 that clients send. */
export const utf8 = (value: string) => {
  const text = decoder.decode(Uint8Array.from(value, (byte) => byte.codePointAt(0) ?? 0))
  return text.includes("\uFFFD") ? value : text
}

/** The end user that the header names; undefined if it names nobody, or is refused. */
export const endUserOf = (value: string | undefined) => {
  if (value === undefined || value === "") return undefined
  const id = utf8(value)
  return id.length <= 255 ? id : undefined
}

export const endUserTooLong = "must be at most 255 characters"

/** `X-End-User-Id`, as it arrives. */
export const EndUserHeader = Schema.NonEmptyString.pipe(
  Schema.filter((id) => id.length <= 255 || utf8(id).length <= 255, {
    message: () => ({ message: endUserTooLong, override: false }),
    jsonSchema: { maxLength: 255 }
  })
)
