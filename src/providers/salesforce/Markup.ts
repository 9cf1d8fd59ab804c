/** A tag or a character reference, which plain text seldom has. */
const markup = /<\/?[a-z][^<>]*>|<!--|&(?:[a-z]+|#\d+|#x[0-9a-f]+);/i

const escapes: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * Text as the HTML that a note holds. Salesforce takes line breaks out before it saves: those of plain text become tags,
 * those between tags mean a blank.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentnote.htm
 */
export const asHtml = (content: string): string =>
  markup.test(content)
    ? content.replace(/\r\n?|\n/g, " ")
    : content.replace(/[&<>]/g, (one) => escapes[one] ?? one).replace(/\r\n?|\n/g, "<br>")

const characters: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#39": "'"
}

/** HTML as plain text. */
export const asText = (html: string): string =>
  html
    .replace(/<br\b[^<>]*>|<\/(?:p|div|li|h\d|tr)>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(#?\w+);/g, (whole, name: string) => characters[name.toLowerCase()] ?? whole)
    .trim()
