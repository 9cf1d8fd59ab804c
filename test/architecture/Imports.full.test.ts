import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const rules = join(root, ".dependency-cruiser.mjs")

interface Rules {
  readonly default: { readonly forbidden: ReadonlyArray<{ readonly name: string }> }
}

interface Outcome {
  readonly summary: {
    readonly violations: ReadonlyArray<{ readonly from: string; readonly rule: { readonly name: string } }>
  }
}

/** Imports that break a rule: `[rule, importing file, what it imports]`. */
const broken: ReadonlyArray<readonly [rule: string, from: string, to: string]> = [
  ["canonical-below", "src/canonical/Shape.ts", "src/mapping/Mapping.ts"],
  ["mapping-below", "src/mapping/Compile.ts", "src/platform/Errors.ts"],
  ["platform-below", "src/platform/Metrics.ts", "src/tenancy/ApiKeys.ts"],
  ["tenancy-below", "src/tenancy/EndUsers.ts", "src/connections/Connections.ts"],
  ["events-below", "src/events/Events.ts", "src/connections/Connections.ts"],
  ["providers-below", "src/providers/Providers.ts", "src/tenancy/CurrentCaller.ts"],
  ["providers-below", "src/providers/acme/Acme.ts", "src/records/Records.ts"],
  ["toolkits-below", "src/toolkits/Toolkits.ts", "src/agent/ToolGate.ts"],
  ["approvals-below", "src/approvals/Approvals.ts", "src/agent/ToolGate.ts"],
  ["connections-below", "src/connections/OAuth.ts", "src/agent/ToolGate.ts"],
  ["fieldmappings-below", "src/fieldmappings/FieldMappings.ts", "src/agent/ToolGate.ts"],
  ["records-below", "src/records/FanOut.ts", "src/agent/ToolGate.ts"],
  ["hooks-below", "src/hooks/Hooks.ts", "src/endusers/Erasure.ts"],
  ["webhooks-below", "src/webhooks/Sender.ts", "src/agent/ToolGate.ts"],
  ["endusers-below", "src/endusers/Erasure.ts", "src/agent/ToolGate.ts"],
  ["passthrough-below", "src/passthrough/Target.ts", "src/agent/ToolGate.ts"],
  ["audit-below", "src/audit/ToolCalls.ts", "src/agent/ToolGate.ts"],
  ["agent-below", "src/agent/Chat.ts", "src/Application.ts"],
  ["authorization-below", "src/authorization/Grants.ts", "src/watches/Watches.ts"],
  ["requests-below", "src/requests/RequestLog.ts", "src/records/Records.ts"],
  ["console-below", "src/console/Visits.ts", "src/agent/ToolGate.ts"],
  ["watches-below", "src/watches/Poll.ts", "src/agent/ToolGate.ts"],
  ["events-below", "src/events/Events.ts", "src/connections/Connections.ts"],
  ["openapi-below", "src/openapi/Document.ts", "src/records/Records.ts"],
  ...[
    "tenancy",
    "events",
    "providers",
    "toolkits",
    "approvals",
    "connections",
    "fieldmappings",
    "records",
    "hooks",
    "endusers",
    "passthrough",
    "webhooks",
    "audit",
    "agent",
    "authorization",
    "requests",
    "console",
    "watches",
    "events"
  ].map((folder) => [`${folder}-http-below`, `src/${folder}/Http.ts`, "src/Application.ts"] as const),
  ["openapi-http-below", "src/openapi/Http.ts", "src/records/Records.ts"],
  ["canonical-http-below", "src/canonical/Http.ts", "src/records/Records.ts"],
  ["mapping-http-below", "src/mapping/Http.ts", "src/records/Records.ts"],
  ["platform-http-below", "src/platform/Http.ts", "src/records/Records.ts"],
  ["providers-by-their-lists", "src/records/Lookups.ts", "src/providers/acme/Acme.ts"],
  ["providers-by-their-lists", "src/providers/Transport.ts", "src/providers/acme/Acme.ts"],
  ["providers-apart", "src/providers/acme/Contact.ts", "src/providers/globex/Contact.ts"],
  ["providers-apart", "src/toolkits/acme/Tools.ts", "src/providers/globex/Contact.ts"],
  ["providers-apart", "src/providers/base/Paginator.ts", "src/providers/globex/Contact.ts"],
  ["simulators-for-the-sandbox", "src/providers/acme/Deal.ts", "src/providers/acme/simulator/AcmeSimulator.ts"],
  ["simulators-for-the-sandbox", "src/main.ts", "src/providers/acme/simulator/Seed.ts"],
  ["simulation-for-the-sandbox", "src/connections/Connections.ts", "src/providers/simulation/Faults.ts"],
  ["simulation-for-the-sandbox", "src/records/Records.ts", "src/providers/Simulators.ts"],
  ["simulators-from-the-description", "src/providers/acme/simulator/Search.ts", "src/providers/acme/Company.ts"],
  ["api-declares", "src/records/Api.ts", "src/records/Cursor.ts"],
  ["api-declares", "src/client.ts", "src/records/Cursor.ts"],
  ["api-in-a-browser", "src/connections/Api.ts", "node:crypto"],
  ["api-in-a-browser", "src/platform/Envelope.ts", "node:fs"],
  ["api-on-portable-packages", "src/agent/Api.ts", "@effect/platform-node"],
  ["http-composed-at-the-top", "src/connections/Sandbox.ts", "src/records/Http.ts"],
  ["testing-for-tests", "src/Application.ts", "src/testing/Mock.ts"],
  ["top-imported-by-nothing", "src/Configuration.ts", "src/main.ts"],
  ["no-tests-in-the-product", "src/testing.ts", "test/support/Harness.ts"],
  ["no-cycles", "src/platform/One.ts", "src/platform/Other.ts"],
  ["no-unresolvable", "src/platform/Paths.ts", "src/platform/Nowhere.ts"],
  ["no-unlisted-packages", "src/platform/Redis.ts", "why-is-node-running"],
  ["no-development-packages", "src/platform/Health.ts", "esbuild"]
]

/** Imports of the kinds that the rules are about, and allowed. */
const allowed: ReadonlyArray<readonly [from: string, to: string]> = [
  ["src/Http.ts", "src/workspaces/Http.ts"],
  ["src/cli/Simulate.ts", "src/providers/Simulators.ts"],
  ["src/providers/Http.ts", "src/Api.ts"],
  ["src/providers/All.ts", "src/providers/acme/Acme.ts"],
  ["src/providers/Simulators.ts", "src/providers/acme/simulator/AcmeSimulator.ts"],
  ["src/providers/acme/simulator/AcmeSimulator.ts", "src/providers/simulation/Simulator.ts"],
  ["src/providers/acme/Owner.ts", "src/providers/base/Budget.ts"],
  ["src/toolkits/acme/AcmeTools.ts", "src/providers/base/Budget.ts"],
  ["src/records/Rules.ts", "src/fieldmappings/Stored.ts"],
  ["src/tenancy/Api.ts", "src/tenancy/CurrentCaller.ts"],
  ["test/records/Records.test.ts", "src/providers/acme/simulator/AcmeSimulator.ts"]
]

/** Violations in a tree of such imports, as `rule: file`. */
const cruise = (imports: ReadonlyArray<readonly [from: string, to: string]>, statement: "import" | "import type") => {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "tributary-imports-")))
  const isOurs = (path: string) => /^(src|test)\//.test(path)
  const files = new Map<string, Array<string>>()
  for (const [from, to] of imports) {
    if (isOurs(to) && !to.endsWith("/Nowhere.ts")) files.set(to, files.get(to) ?? [])
    files.set(from, [...(files.get(from) ?? []), to])
  }
  try {
    for (const [path, targets] of files) {
      mkdirSync(join(tree, dirname(path)), { recursive: true })
      const lines = targets.map((target, index) => {
        const way = isOurs(target) ? relative(dirname(path), target).replace(/^(?!\.)/, "./") : target
        return `${statement} { Value as Value${index} } from "${way}"\n`
      })
      writeFileSync(join(tree, path), `${lines.join("")}export interface Value {}\nexport const Value = {}\n`)
    }
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"))
    for (const file of ["package.json", "tsconfig.json"]) symlinkSync(join(root, file), join(tree, file))
    const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
    const answer = execFileSync(
      process.execPath,
      [program, "--config", rules, "--output-type", "json", "src", "test"],
      {
        cwd: tree,
        encoding: "utf8"
      }
    )
    const outcome: Outcome = JSON.parse(answer)
    return new Set(outcome.summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`))
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

describe("the import rule", () => {
  for (const statement of ["import", "import type"] as const) {
    it(`finds every planted violation written with ${statement}`, () => {
      const found = cruise(
        [...broken.map(([, from, to]) => [from, to] as const), ["src/platform/Other.ts", "src/platform/One.ts"]],
        statement
      )
      const missed = broken.map(([rule, from]) => `${rule}: ${from}`).filter((violation) => !found.has(violation))
      assert.deepStrictEqual(missed, [])
    })
  }

  it("lets the allowed imports pass", () => {
    assert.deepStrictEqual([...cruise(allowed, "import")], [])
  })

  it("has a planted violation for each of its rules", async () => {
    const { default: config }: Rules = await import(pathToFileURL(rules).href)
    const planted = new Set(broken.map(([rule]) => rule))
    assert.deepStrictEqual(
      config.forbidden.map(({ name }) => name).filter((name) => !planted.has(name)),
      []
    )
  })
})
