// https://html.spec.whatwg.org/multipage/named-characters.html

const words = (list: string) => list.trim().split(/\s+/)

/** Names of consecutive characters, starting at a code point. */
const runs: ReadonlyArray<readonly [first: number, names: string]> = [
  [
    160,
    `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para
    middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute
    Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml
    Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
    eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`
  ],
  [913, "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho"],
  [931, "Sigma Tau Upsilon Phi Chi Psi Omega"],
  [945, "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"],
  [962, "sigmaf sigma tau upsilon phi chi psi omega"]
]

/** Code points, in hexadecimal, of other names. */
const others = words(`
  quot:22 amp:26 lt:3c gt:3e apos:27 OElig:152 oelig:153 Scaron:160 scaron:161 Yuml:178 fnof:192 circ:2c6 tilde:2dc
  ensp:2002 emsp:2003 thinsp:2009 zwnj:200c zwj:200d lrm:200e rlm:200f ndash:2013 mdash:2014 lsquo:2018 rsquo:2019
  sbquo:201a ldquo:201c rdquo:201d bdquo:201e dagger:2020 Dagger:2021 bull:2022 hellip:2026 permil:2030 prime:2032
  Prime:2033 lsaquo:2039 rsaquo:203a oline:203e frasl:2044 euro:20ac trade:2122 larr:2190 uarr:2191 rarr:2192 darr:2193
  harr:2194 lArr:21d0 rArr:21d2 hArr:21d4 forall:2200 part:2202 exist:2203 empty:2205 isin:2208 prod:220f sum:2211
  minus:2212 radic:221a infin:221e and:2227 or:2228 cap:2229 cup:222a int:222b sim:223c cong:2245 asymp:2248 ne:2260
  equiv:2261 le:2264 ge:2265 sub:2282 sup:2283 oplus:2295 perp:22a5 sdot:22c5 loz:25ca spades:2660 clubs:2663
  hearts:2665 diams:2666 check:2713 cross:2717 star:2606 phone:260e NewLine:a Tab:9 num:23 dollar:24 percnt:25 lpar:28
  rpar:29 ast:2a plus:2b comma:2c period:2e sol:2f colon:3a semi:3b equals:3d quest:3f commat:40 lsqb:5b bsol:5c rsqb:5d
  lowbar:5f lcub:7b verbar:7c vert:7c rcub:7d
`)

const named: ReadonlyMap<string, string> = new Map([
  ...runs.flatMap(([first, names]) => words(names).map((name, i) => [name, String.fromCodePoint(first + i)] as const)),
  ...others.map((entry) => {
    const [name = "", code = ""] = entry.split(":")
    return [name, String.fromCodePoint(Number.parseInt(code, 16))] as const
  })
])

/** Characters of the code points 128 to 159 in Windows-1252, by which browsers read references to them. */
const windows = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ"

/** The character of a numeric reference. */
const characterOf = (code: number): string => {
  if (code >= 128 && code < 160) return windows.charAt(code - 128)
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\uFFFD" : String.fromCodePoint(code)
}

const reference = /&(?:#(\d{1,8})|#[xX]([\da-fA-F]{1,7})|([a-zA-Z][a-zA-Z\d]*));/g

/** Whether HTML names a character that is not in the table. */
export const hasUnknownReference = (html: string): boolean =>
  Array.from(html.matchAll(reference)).some(([, , , name]) => name !== undefined && !named.has(name))

/** Replaces character references such as `&amp;`, `&#8211;` and `&#x2013;`. Unknown names stay as they are. */
export const decodeReferences = (html: string): string =>
  html.replace(reference, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole
    return characterOf(decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal))
  })
