const entities: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  euro: "€",
  copy: "©",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”"
}

const entity = (whole: string, name: string): string => {
  if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? whole
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : whole
}

/** Elements that nobody sees. */
const unseen = new Set(["head", "script", "style", "title", "template"])

/** Elements that begin a line of their own. */
const blocks = new Set(
  "address article blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul".split(
    " "
  )
)

/** The text of HTML, by lines: tags are taken out, list entries get a dash, links keep their address. */
export const textOfHtml = (html: string): string => {
  const out: Array<string> = []
  let hidden: string | undefined
  let link: string | undefined
  // a tag, a comment, or what is between them
  for (const [piece, comment, closing, tag, attributes = ""] of html.matchAll(
    /(<!--[^]*?(?:-->|$))|<(\/?)([a-z][a-z0-9]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|[^<]+|</gi
  )) {
    if (comment !== undefined) continue
    if (tag === undefined) {
      if (hidden === undefined) out.push(piece.replaceAll(/\s+/g, " ").replaceAll(/&(#?\w{1,10});/g, entity))
      continue
    }
    const name = tag.toLowerCase()
    const ends = closing === "/"
    if (unseen.has(name)) hidden = ends ? undefined : (hidden ?? name)
    else if (blocks.has(name)) out.push(name === "li" && !ends ? "\n- " : "\n")
    else if (name === "td" || name === "th") out.push(" ")
    else if (name === "a") {
      const href = /\bhref\s*=\s*["']?(https?:[^"'\s>]+)/i.exec(attributes)?.[1]
      if (ends && link !== undefined) out.push(` (${link.replaceAll(/&(#?\w{1,10});/g, entity)})`)
      link = ends ? undefined : href
    }
  }
  return out
    .join("")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
