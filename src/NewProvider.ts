import { Args, Command, Options } from "@effect/cli"
import { FileSystem, Path } from "@effect/platform"
import { Console, Effect, Schema } from "effect"
import { categories, type Category } from "./canonical/Resource.ts"

/** Why no provider was written. */
export class NotWritten extends Schema.TaggedError<NotWritten>()("NotWritten", { message: Schema.String }) {}

/** A file of the new provider: its place below the folder, and its text. */
interface Written {
  readonly path: string
  readonly text: string
}

/** `acme_crm` as a name in code: `AcmeCrm`. */
const nameOf = (slug: string) =>
  slug
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")

/** The folder of the templates: beside this file in a build, else beside the sources. */
const templates = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const built = yield* path.fromFileUrl(new URL("./templates/provider/", import.meta.url))
  const isBuilt = yield* files.exists(built)
  return isBuilt ? built : yield* path.fromFileUrl(new URL("../templates/provider/", import.meta.url))
})

/**
 * The templates are a provider named Acme that works as it stands. What the categories do not have in common is in a folder of
 * the category, which the new provider does not have.
 */
const render = (template: Written, slug: string, category: Category): Written => {
  const isOwn = template.path.includes(`${category}/`)
  const named = (text: string) =>
    text
      .replace(/acme(?=\.example)/g, slug.replaceAll("_", "-"))
      .replaceAll("acme", slug)
      .replaceAll("Acme", nameOf(slug))
  const text = isOwn ? template.text.replaceAll('from "../', 'from "./') : template.text
  return {
    path: `${slug}/${named(template.path.replace(`${category}/`, ""))}`,
    text: named(text.replaceAll(/"\.\/crm\//g, '"./').replace('category: "crm"', `category: "${category}"`))
  }
}

/** The templates of a category, in the order of their names. */
const templatesOf = Effect.fnUntraced(function* (category: Category) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* templates
  const names = (yield* files.readDirectory(folder, { recursive: true }))
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => !categories.some((other) => other !== category && name.includes(`${other}/`)))
    .sort()
  return yield* Effect.forEach(names, (name) =>
    Effect.map(files.readFileString(path.join(folder, name)), (text): Written => ({ path: name, text }))
  )
})

const slugForm = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/** Why a slug cannot be that of a new provider. */
const faultOf = (slug: string, taken: ReadonlyArray<string>, all: ReadonlyArray<Written>): string | undefined => {
  if (!slugForm.test(slug)) {
    return `"${slug}" is not a slug: use lower-case letters, digits and single underscores, a letter first, such as zoho_crm.`
  }
  if (taken.includes(slug)) return `"${slug}" is taken by a part of this service: take another slug.`
  const others = all.flatMap(({ path, text }) => [path.toLowerCase(), text]).map((text) => text.replace(/acme/gi, ""))
  const word = new RegExp(`\\b(${nameOf(slug)}|${nameOf(slug).toLowerCase()}\\.ts)\\b`)
  return others.some((text) => word.test(text))
    ? `"${slug}" is a word that the files of a provider have already: take another slug, such as ${slug}_crm.`
    : undefined
}

const steps = (slug: string) => `
Next:
  npx vitest run ${slug}    holds it to the contract of every provider; it passes as it is
  ${slug}/parts.ts          has the parts of a service with it: serve(parts), commandLine(parts)
  ${slug}/*.ts              make it the real one, step by step: node_modules/tributary/dist/provider-guide.md

It needs effect and @effect/platform, its test vitest and @effect/vitest, and a tsconfig.json with allowImportingTsExtensions.`

/**
 * Writes a provider of one resource, with its simulator and its contract test, into a folder of its own below the given one.
 * `taken` are slugs of others.
 */
export const writeProvider = Effect.fn("NewProvider.write")(function* (
  folder: string,
  slug: string,
  category: Category,
  taken: ReadonlyArray<string>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const all = yield* templatesOf(category)
  const fault = faultOf(slug, taken, all)
  if (fault !== undefined) return yield* new NotWritten({ message: fault })
  const written = all.map((template) => render(template, slug, category))
  const there = yield* Effect.filter(written, (file) => files.exists(path.join(folder, file.path)))
  if (there.length > 0) {
    return yield* new NotWritten({
      message: `Nothing was written, since there is already ${there.map(({ path }) => path).join(", ")}.`
    })
  }
  for (const file of written) {
    const place = path.join(folder, file.path)
    yield* files.makeDirectory(path.dirname(place), { recursive: true })
    // what came into being meanwhile is not overwritten either
    yield* files.writeFileString(place, file.text, { flag: "wx" })
  }
  return written.map(({ path }) => path)
})

/** `new-provider <slug>`: a provider to begin with, that passes. */
export const newProvider = (taken: ReadonlyArray<string>) =>
  Command.make(
    "new-provider",
    {
      slug: Args.text({ name: "slug" }).pipe(
        Args.withDescription(
          "Its name in addresses and settings, such as acme or acme_books; its files go to a folder of that name"
        )
      ),
      category: Options.choice("category", categories).pipe(
        Options.withDescription("Whose resources it has: those of CRMs or those of ledgers")
      )
    },
    ({ category, slug }) =>
      Effect.gen(function* () {
        const written = yield* writeProvider(".", slug, category, taken)
        for (const path of written) yield* Console.log(`Wrote ${path}`)
        yield* Console.log(steps(slug))
      })
  ).pipe(
    Command.withDescription(
      "Write a provider of one resource into this folder: adapter, mapping, simulator and contract test, which passes"
    )
  )
