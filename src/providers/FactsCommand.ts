import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import type { Doubt } from "./Doubt.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"
import { Providers } from "./Providers.ts"
import { nameOf } from "./Requirement.ts"

const head = `# What is assumed of the providers

The adapters are made from documentation and client libraries. What could not be verified without an account stands here, with
what happens if it is otherwise, and the day on which a version or a flow ends. The page is made of the data beside each
provider: \`npm run --silent cli -- providers facts > docs/provider-facts.md\`.

\`npm run --silent cli -- providers check --connection <id>\` looks at a real account, changes nothing and tells what is
otherwise.`

const told = ({ assumed, ends, otherwise, source }: Doubt): string =>
  [`- ${ends === undefined ? "" : `**Until ${ends}**: `}${assumed}.`, `Otherwise: ${otherwise}.`, `<${source}>`].join(
    "\n  "
  )

/** Requirements, each with the resources that have it. */
const required = ({ resources }: ProviderAdapter): ReadonlyArray<string> => {
  const by = new Map<string, ReadonlyArray<string>>()
  for (const [resource, { requires = [] }] of Object.entries(resources)) {
    for (const one of requires) {
      const types = one.native_types === undefined ? "" : ` (${one.native_types.join(", ")})`
      by.set(nameOf(one), [...(by.get(nameOf(one)) ?? []), `\`${resource}\`${types}`])
    }
  }
  return [...by].map(([name, by]) => `- ${name}: ${by.join(", ")}`)
}

const section = (adapter: ProviderAdapter): string => {
  const requirements = required(adapter)
  return [
    `## ${adapter.name}`,
    ...(requirements.length === 0
      ? []
      : ["Not every account has what these resources require:", requirements.join("\n")]),
    ...(adapter.doubts === undefined ? [] : ["Assumed:", adapter.doubts.map(told).join("\n")])
  ].join("\n\n")
}

/** The register of doubt as a page. */
export const facts = Effect.map(Providers, (providers) => `${[head, ...providers.all().map(section)].join("\n\n")}\n`)

/** `providers facts`: prints the page that is kept as `docs/provider-facts.md`. */
export const printFacts = Command.make("facts", {}, () =>
  Effect.flatMap(facts, (page) => Console.log(page.trimEnd()))
).pipe(Command.withDescription("Print what is assumed of the providers, as Markdown"))
