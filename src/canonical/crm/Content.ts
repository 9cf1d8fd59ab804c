import { describing, literal } from "../Resource.ts"

export const contentTypes = ["TEXT", "HTML"] as const

export type ContentType = (typeof contentTypes)[number]

export const defaultContentType: ContentType = "TEXT"

/** Says whether `content` is plain text or HTML. */
export const contentType = describing(
  literal(
    "whether `content` is plain text or HTML. Send it together with `content`; without it, content is TEXT. Stored HTML of nothing but paragraphs, line breaks and entities reads as TEXT",
    ...contentTypes
  ),
  { field: "content", byDefault: defaultContentType }
)
