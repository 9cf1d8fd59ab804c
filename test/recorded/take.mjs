/**
 * Takes the shapes of recorded answers into `shapes/`, one file for each `<slug>.json` of a folder:
 *
 *     node test/recorded/take.mjs <folder>
 *
 * A recording says for each `METHOD path status` the kinds of the answer's members. `addresses.json` rewrites paths that
 * name records or versions, and `unserved.json` lists the requests that no simulator serves: their shapes are left out.
 * Every other request gets a shape, so the test fails until its simulator serves it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("Name the folder of the recordings: node test/recorded/take.mjs <folder>")

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))
const own = (name) => new URL(name, import.meta.url)
const addresses = readJson(own("addresses.json"))
const unserved = readJson(own("unserved.json"))

/** Slugs that recordings write without an underscore. */
const slugs = { zohobooks: "zoho_books", zohocrm: "zoho_crm" }

const rewrite = (slug, request) => {
  const [method, path] = request.split(" ")
  const rules = Object.entries(addresses[slug] ?? {})
  return `${method} ${rules.reduce((known, [from, to]) => known.replace(new RegExp(from), to), path)}`
}

/** Kinds without the counts: `text 3/9` is `text?`. */
const readKinds = (text) => {
  const [kinds, count] = text.split(/ (?=\d+\/\d+$)/)
  return { kinds: kinds.split("|"), isOptional: count !== undefined }
}

/** The recorded answers to a request, with its parts: those of GraphQL are split by their root fields (`POST /graphql#issues`). */
const split = (request, answer) => {
  if (request !== "POST /graphql") return [[request, answer]]
  const parts = new Map()
  for (const [path, kinds] of Object.entries(answer)) {
    const [, field, rest] = /^data\.(\w+)(.*)$/.exec(path) ?? []
    if (field === undefined) continue
    const part = parts.get(field) ?? { data: "object" }
    part[path] = rest === "" ? kinds.replace(/ .*/, "") : kinds
    parts.set(field, part)
  }
  return [...parts].map(([field, part]) => [`${request}#${field}`, part])
}

const parentOf = (path) => path.replace(/(?:\[\]|(?:^|\.)[^.]*)$/, "")

/** Adds the members of one recorded answer to those of others to the same request. */
const merge = (known, answer) => {
  const added = new Map(Object.entries(answer).map(([path, text]) => [path, readKinds(text)]))
  if (known === undefined) return added
  const has = (members, path) => path === "" || members.has(path)
  return new Map(
    [...new Set([...known.keys(), ...added.keys()])].map((path) => {
      const both = [known, added].flatMap((members) => members.get(path) ?? [])
      const isMissing = [known, added].some((members) => !members.has(path) && has(members, parentOf(path)))
      return [
        path,
        {
          kinds: [...new Set(both.flatMap(({ kinds }) => kinds))],
          isOptional: isMissing || both.some(({ isOptional }) => isOptional)
        }
      ]
    })
  )
}

const inOrder = (entries) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1))

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const name = file.replace(/\.json$/, "")
  const slug = slugs[name] ?? name
  const requests = new Map()
  const recorded = Object.entries(readJson(join(folder, file))).flatMap(([request, { answer }]) =>
    split(rewrite(slug, request), answer)
  )
  for (const [request, answer] of recorded) {
    if (unserved[slug]?.[request] === undefined) requests.set(request, merge(requests.get(request), answer))
  }
  const shapes = inOrder([...requests]).map(([request, members]) => [
    request,
    Object.fromEntries(
      inOrder([...members]).map(([path, { isOptional, kinds }]) => [
        path,
        `${kinds.toSorted().join("|")}${isOptional ? "?" : ""}`
      ])
    )
  ])
  writeFileSync(own(`shapes/${slug}.json`), `${JSON.stringify(Object.fromEntries(shapes), null, 2)}\n`)
}
