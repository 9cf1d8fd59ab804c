import { Config, Data } from "effect"

const mebibyte = 1024 * 1024

/** Bytes of one answer that are read into memory: `ANSWER_LIMIT`, in MiB. Files are handed on as they come in. */
export const answerLimit = Config.integer().pipe(
  Config.validate({
    message: "Expected a whole number of MiB from 1 to 256",
    validation: (mebibytes) => mebibytes >= 1 && mebibytes <= 256
  }),
  Config.nested("ANSWER_LIMIT"),
  Config.withDefault(16),
  Config.map((mebibytes) => mebibytes * mebibyte)
)

/** An answer that was given up because more came than is read. */
export class AnswerTooLarge extends Data.Error<{ readonly limit: number }> {
  override get message() {
    return `it answered more than ${this.limit / mebibyte} MiB`
  }
}

/** The platform's `fetch` for a library that brings its own calls: an answer fails where it grows past the limit, unpacked. */
export const limitedFetch =
  (limit: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null) return response
    let size = 0
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          size += chunk.byteLength
          if (size > limit) controller.error(new AnswerTooLarge({ limit }))
          else controller.enqueue(chunk)
        }
      })
    )
    const { headers, status, statusText } = response
    return new Response(counted, { headers, status, statusText })
  }
