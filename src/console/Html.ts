/** Markup, made only by `html`, which escapes everything from outside. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

/** A value in a template. Text is escaped; `undefined`, `null` and `false` write nothing. */
export type Part = Html | string | number | undefined | null | false | ReadonlyArray<Part>

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.markup
  if (part === undefined || part === null || part === false) return ""
  return typeof part === "object" ? part.map(markupOf).join("") : escape(String(part))
}

/** Makes markup from a template. Put values only into elements and quoted attributes, where escaping works. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(markupOf)))
