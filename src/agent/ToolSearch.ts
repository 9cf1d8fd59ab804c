import MiniSearch from "minisearch"
import type { Tool } from "../toolkits/Tool.ts"
import { actions, stopWords, things } from "./SearchWords.ts"

/** Finds tools by what they do. */
export interface ToolIndex {
  /** Names of the tools that fit a request in plain words, best first; a tool's own name finds it first. */
  readonly search: (query: string, limit: number, isAllowed: (name: string) => boolean) => ReadonlyArray<string>
}

/** The searchable part of a tool. */
export interface Searchable extends Pick<Tool<never>, "name" | "title" | "description" | "keywords" | "hints"> {
  readonly toolkit: { readonly slug: string; readonly name: string }
}

const boost = { title: 3, toolkit: 2.5, keywords: 1.5, description: 1 }

/** Weights of a request's words (`own`) and of their synonyms (`meaning`). */
const weights = { thing: { own: 1, meaning: 0.5 }, action: { own: 0.8, meaning: 0.7 }, form: 0.3 }

/** `githubCreateIssue's` is github, create, issue. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/['’]s\b/g, "")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "")

/** The part that the forms of an English word share; rough, but the same for tools and requests. */
const stem = (word: string): string => {
  if (word.length < 4) return word
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(ss|sh|ch|x)es$/, "$1")
    .replace(/([^su])s$/, "$1")
  if (singular.length < 5) return singular
  const root = singular.replace(/(ing|ed)$/, "")
  return (/[aeiouy]/.test(root) && root.length > 2 ? root : singular).replace(/([^lsz])\1$/, "$1").replace(/e$/, "")
}

const stems = (text: string) => wordsOf(text).map(stem)

/** A word in its own form, beside its stem: a request for "invoices" means the tool for many of them. */
const formOf = (word: string) => `=${word}`

/** Word -> the names of the groups it is in. Words of a group are found by one another through its name. */
const groupsOf = (kind: string, groups: ReadonlyArray<ReadonlyArray<string>>) => {
  const known = new Map<string, ReadonlyArray<string>>()
  for (const [i, group] of groups.entries()) {
    for (const word of new Set(group.flatMap(stems))) known.set(word, [...(known.get(word) ?? []), `#${kind}${i}`])
  }
  return known
}

const ofActions = groupsOf("action", actions)
const ofThings = groupsOf("thing", things)

const withMeanings = (word: string) => [word, ...(ofActions.get(word) ?? []), ...(ofThings.get(word) ?? [])]

const removing = new Set(
  stems("delete remove trash erase drop destroy discard clear cancel purge wipe archive refund close")
)

/** The words of a request and what they mean, with their weights. */
const termsOf = (query: string) => {
  const words = wordsOf(query)
  const telling = words.filter((word) => !stopWords.has(word))
  const forms = telling.length === 0 ? words : telling
  const own = new Set(forms.map(stem))
  const terms = new Map<string, number>()
  const weigh = (term: string, weight: number) => terms.set(term, Math.max(weight, terms.get(term) ?? 0))
  for (const word of own) {
    weigh(word, ofActions.has(word) && !ofThings.has(word) ? weights.action.own : weights.thing.own)
    for (const group of ofActions.get(word) ?? []) weigh(group, weights.action.meaning)
    for (const group of ofThings.get(word) ?? []) weigh(group, weights.thing.meaning)
  }
  for (const word of forms) weigh(formOf(word), weights.form)
  return { own, terms }
}

/** Builds the index: some milliseconds for hundreds of tools. */
export const makeIndex = (tools: ReadonlyArray<Searchable>): ToolIndex => {
  const index = new MiniSearch({
    idField: "name",
    fields: Object.keys(boost),
    storeFields: ["isDestructive"],
    tokenize: (text) => wordsOf(text).flatMap((word) => [formOf(word), ...withMeanings(stem(word))]),
    processTerm: (term) => term
  })
  index.addAll(
    tools.map(({ description, hints, keywords, name, title, toolkit }) => ({
      name,
      title: `${title} ${name}`,
      toolkit: `${toolkit.slug} ${toolkit.name}`,
      keywords: keywords.join(" "),
      description,
      isDestructive: hints.destructive
    }))
  )
  const names = new Set(tools.map(({ name }) => name))

  return {
    search: (query, limit, isAllowed) => {
      const { own, terms } = termsOf(query)
      const removes = [...own].some((term) => removing.has(term))
      const found = index
        .search(query, {
          boost,
          tokenize: () => [...terms.keys()],
          boostTerm: (term) => terms.get(term) ?? 1,
          prefix: (term) => own.has(term) && term.length > 3,
          fuzzy: (term) => (own.has(term) && term.length > 4 ? 0.2 : false),
          // a request that does not ask for removal should not lead to a destructive tool
          boostDocument: (_, __, stored) => (stored?.["isDestructive"] === true && !removes ? 0.5 : 1),
          filter: ({ id }) => isAllowed(String(id))
        })
        .map(({ id }) => String(id))
      const exact = wordsOf(query).join("_")
      return [
        ...(names.has(exact) && isAllowed(exact) ? [exact] : []),
        ...found.filter((name) => name !== exact)
      ].slice(0, limit)
    }
  }
}
