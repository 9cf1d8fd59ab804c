import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { Toolkits } from "../toolkits/Toolkits.ts"
import type { Authorization, OAuth2 } from "../providers/base/Authorization.ts"
import type { RefusalMeaning, Rotation, TokenRefusal } from "../providers/base/TokenRefusals.ts"
import type { Doubt } from "../providers/Doubt.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import { nameOf } from "../providers/Requirement.ts"

const head = `# What is assumed of the providers

The adapters are made from documentation and client libraries. What could not be verified without an account stands here, with
what happens if it is otherwise, and the day on which a version or a flow ends. The page is made of the data beside each
provider: \`npm run --silent cli -- providers facts > docs/provider-facts.md\`.

\`npm run --silent cli -- providers check --connection <id>\` looks at a real account, changes nothing and tells what is
otherwise.

Three refusals of a token service that are not in the tables below end a connection (\`needs_reauth\`) if they are at least a
minute apart. A refusal within two minutes of a token request that got no answer does not count.`

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

const meanings: { readonly [meaning in RefusalMeaning]: string } = {
  retry: "repeat the request in a moment",
  wait: "a limit is reached: wait, then repeat",
  refresh: "read the stored tokens again and refresh once more; the refusal counts",
  person: "access is gone: the end user connects again"
}

const reuses: { readonly [reuse in Rotation["onReuse"]]: string } = {
  answers: "A replaced token still works for a while, so it is sent again if an answer is lost.",
  refuses: "A replaced token is refused and nothing else happens, so it is sent again if an answer is lost.",
  revokes: "Sending a replaced token revokes all tokens, so a token is never sent again if its answer is lost."
}

const rotationIn = ({ rotation }: OAuth2): string => {
  if (rotation === undefined) return "A refresh leaves the refresh token as it is."
  const { graceSeconds, isOptional, onReuse, source } = rotation
  const when =
    isOptional === true
      ? "A refresh replaces the refresh token if the application is configured that way."
      : "A refresh replaces the refresh token."
  const grace = graceSeconds === undefined ? "" : ` (${graceSeconds / 60} minutes)`
  return `${when} ${reuses[onReuse].replace("for a while", `for a while${grace}`)} <${source}>`
}

const rowOf = ({ code, means, says, status }: TokenRefusal) =>
  `| ${status ?? "any"} | \`${code}\` | ${says === undefined ? "any" : says === null ? "none" : says} | ${meanings[means]} |`

/** The token service's refusals and what each means for a connection. */
const tokensIn = (authorization: Authorization): ReadonlyArray<string> => {
  if (authorization.kind !== "oauth2" && authorization.kind !== "certificate") return []
  const { tokenRefusals } = authorization
  const table =
    tokenRefusals === undefined
      ? []
      : [
          [
            "| status | `error` | description contains | meaning |",
            "| --- | --- | --- | --- |",
            ...tokenRefusals.answers.map(rowOf)
          ].join("\n"),
          `<${tokenRefusals.source}>`
        ]
  return [
    `Token service${authorization.kind === "certificate" ? ", by certificate" : ""}:`,
    ...(authorization.kind === "oauth2" ? [rotationIn(authorization)] : []),
    ...table
  ]
}

const section = (adapter: ProviderAdapter): string => {
  const requirements = required(adapter)
  return [
    `## ${adapter.name}`,
    ...(requirements.length === 0
      ? []
      : ["Not every account has what these resources require:", requirements.join("\n")]),
    ...tokensOf(adapter),
    ...(adapter.doubts === undefined ? [] : ["Assumed:", adapter.doubts.map(told).join("\n")])
  ].join("\n\n")
}

const tokensOf = ({ authorization, consent }: Pick<ProviderAdapter, "authorization" | "consent">) =>
  [authorization, ...(consent === undefined || consent === authorization ? [] : [consent])].flatMap(tokensIn)

const toolkitSection = (toolkit: Pick<ProviderAdapter, "name" | "authorization">): ReadonlyArray<string> => {
  const tokens = tokensOf(toolkit)
  return tokens.length === 0 ? [] : [[`## ${toolkit.name}`, ...tokens].join("\n\n")]
}

/** Renders `docs/provider-facts.md`. */
export const facts = Effect.gen(function* () {
  const providers = (yield* Providers).all()
  const toolkits = (yield* Toolkits).all().toSorted((a, b) => a.name.localeCompare(b.name))
  return `${[head, ...providers.map(section), ...toolkits.flatMap(toolkitSection)].join("\n\n")}\n`
})

/** `providers facts`: prints the page that is kept as `docs/provider-facts.md`. */
export const printFacts = Command.make("facts", {}, () =>
  Effect.flatMap(facts, (page) => Console.log(page.trimEnd()))
).pipe(Command.withDescription("Print what is assumed of the providers, as Markdown"))
