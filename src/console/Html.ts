/** Markup, made by `html` only: whatever came into it from outside is text there. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

/** What may stand in a template. Text is escaped; `undefined`, `null` and `false` are nothing. */
export type Part = Html | string | number | undefined | null | false | ReadonlyArray<Part>

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.markup
  if (part === undefined || part === null || part === false) return ""
  return typeof part === "object" ? part.map(markupOf).join("") : escape(String(part))
}

/** A template of markup. Values belong into elements and into attributes in quotes, where escaping holds. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(markupOf)))
