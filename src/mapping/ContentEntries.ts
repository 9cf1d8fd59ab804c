import { defaultContentType } from "../canonical/crm/Content.ts"
import { type Entries, staysAsItIs } from "./Entries.ts"
import { type ComputedEntry, type Encoding, getPath, type Native } from "./Mapping.ts"
import { type Content, contentOfHtml, htmlOfContent, isSameContent, textOfContent } from "./TextContent.ts"

type Named = "content" | "content_type"

/** How a provider holds the content of a record. */
export interface ContentHolding {
  readonly native: ReadonlyArray<string>
  readonly read: (record: Native) => Content | null
  /** Writes content; null clears it. */
  readonly write: (content: Content | null, encoding: Encoding) => void
  /** Writes content even if the record already shows it. By default it stays as the provider holds it. */
  readonly rewrites?: true
  /** No record is ever without content. */
  readonly isLasting?: true
}

/** The content of a body; null if it has none. */
export const contentIn = (body: Encoding["body"]): Content | null =>
  typeof body.content !== "string"
    ? null
    : { content: body.content, content_type: body.content_type === "HTML" ? "HTML" : defaultContentType }

/** The entries of `content` and `content_type`. */
export const contentEntries = (
  { computed }: Pick<Entries<Named>, "computed">,
  { isLasting, native, read, rewrites, write }: ContentHolding
): readonly [ComputedEntry<"content">, ComputedEntry<"content_type">] => {
  const shown = (record: Native) => {
    const content = read(record)
    return content === null || content.content === "" ? null : content
  }
  return [
    computed({
      canonical: "content",
      native,
      decode: ({ record }) => shown(record)?.content,
      ...(rewrites === true ? {} : { prefersCurrent: (value: unknown) => value !== null }),
      encode: (value, encoding) => {
        const { body, current, prefix, warn } = encoding
        if (value === null && isLasting === true) {
          if (body.content === null) warn(`${prefix}content`, "CHANGED", staysAsItIs)
          return
        }
        const content = contentIn(body)
        const held = current === undefined || rewrites === true ? null : shown(current.record)
        if (content === null || held === null || !isSameContent(held, content)) write(content, encoding)
      }
    }),
    // `content` writes both
    computed({
      canonical: "content_type",
      native,
      decode: ({ record }) => shown(record)?.content_type,
      encode: () => {}
    })
  ]
}

const textAt = (record: Native, native: string): string => {
  const value = getPath(record, native)
  return typeof value === "string" ? value : ""
}

/** Content in a field that the provider shows as HTML. `blank` clears the field. */
export const htmlContent = (
  of: Pick<Entries<Named>, "computed">,
  native: string,
  { blank = null, ...holding }: { readonly blank?: unknown } & Pick<ContentHolding, "isLasting"> = {}
) =>
  contentEntries(of, {
    ...holding,
    native: [native],
    read: (record) => contentOfHtml(textAt(record, native)),
    write: (content, { set }) => set(native, content === null ? blank : htmlOfContent(content))
  })

/** Warns that formatting is lost: the provider holds only text. */
const warnOfLostFormatting = ({ content_type }: Content, { prefix, warn }: Encoding, noun: string) => {
  if (content_type === "HTML") {
    warn(`${prefix}content_type`, "CHANGED", `is held as TEXT, without its formatting: ${noun} has no HTML`)
  }
}

/** Content in a field that holds only text. HTML is stored as the text it shows. `noun` names the record in warnings. */
export const textContent = (of: Pick<Entries<Named>, "computed">, native: string, noun: string, written = native) =>
  contentEntries(of, {
    native: [native],
    rewrites: true,
    read: (record) => ({ content: textAt(record, native), content_type: "TEXT" }),
    write: (content, encoding) => {
      if (content !== null) warnOfLostFormatting(content, encoding, noun)
      encoding.set(written, content === null ? null : textOfContent(content))
    }
  })
