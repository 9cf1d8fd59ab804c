/** Characters that are not seen, or that turn others around: texts of strangers could look like something else by them. */
const unseen = /[\p{Cf}\p{Zl}\p{Zp}\u007F-\u009F]/gu

/** The arguments of a call for whoever decides on it: all of them, with nothing hidden. */
export const readable = (args: { readonly [name: string]: unknown }) =>
  JSON.stringify(args, null, 2).replace(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
