/**
 * Imports run one way:
 *
 *     main, cli -> Http -> authorization -> agent, console -> audit, requests, endusers, watches, webhooks, hooks, passthrough -> records, fieldmappings, connections, approvals -> providers, toolkits -> mapping -> canonical
 *
 * `platform` is below everything; `tenancy`, and `events` upon it, stand between it and the features. `npm run imports` holds the tree to
 * this; `test/architecture` plants a violation of every rule and expects it to be found.
 */

/** The package's entry points. */
const entries = "^src/(main|cli|index|client|testing|contract|provider|simulator|Peers)\\.ts$"

/** Files that compose: those beside the folders, the commands, and the library for others' tests. */
const top = ["^src/[^/]+\\.ts$", "^src/cli/", "^src/testing/"]

/** Simulators of a provider or toolkit, with their seeds; not the code they share. */
const simulators = "^src/(providers|toolkits)/(?!simulation/)[^/]+/simulator/"
const simulatorLists = "^src/(providers|toolkits)/Simulators\\.ts$"
const sharedSimulation = "^src/providers/simulation/"

/** What an `Api.ts` may be made of: Schemas, tags and what a request carries, so that a browser could load it. */
const declarations = [
  "^src/client\\.ts$",
  "^src/Api\\.ts$",
  "^src/[^/]+/Api\\.ts$",
  "^src/agent/(ChatSessionsApi|TextLimits|Workspace)\\.ts$",
  "^src/canonical/",
  "^src/events/Event\\.ts$",
  "^src/mapping/Warning\\.ts$",
  "^src/platform/(ApiErrors|Deadline|EndUserHeader|Envelope|ErrorCodes|Errors|Issues|Memoize|Paths|ProviderSlug|RequestDecoder|RequestNotes|Spelling|StoppingSchema)\\.ts$",
  "^src/providers/Requirement\\.ts$",
  "^src/records/(BatchApi|FilterParameters)\\.ts$",
  "^src/requests/LoggedRequest\\.ts$",
  "^src/tenancy/(CurrentCaller|Scopes)\\.ts$",
  "^src/watches/Watchable\\.ts$"
]

/** A folder imports its own files and those below it, nothing else of ours. A feature's `Http.ts` also names the whole API. */
const layer = (folder, ...below) => [
  {
    name: `${folder}-below`,
    comment: below.length === 0 ? "imports nothing of ours" : `imports only ${below.join(", ")} and its own files`,
    severity: "error",
    from: { path: `^src/${folder}/`, pathNot: `^src/${folder}/(Api|Http)\\.ts$` },
    to: { path: "^src/", pathNot: [folder, ...below].map((name) => `^src/${name}/`) }
  },
  {
    name: `${folder}-http-below`,
    comment: "an Http.ts imports what its feature may import, tenancy, platform and the API it implements",
    severity: "error",
    from: { path: `^src/${folder}/Http\\.ts$` },
    to: {
      path: "^src/",
      pathNot: ["^src/Api\\.ts$", ...[folder, ...below, "tenancy", "platform"].map((name) => `^src/${name}/`)]
    }
  }
]

const features = ["approvals", "connections", "fieldmappings", "records"]
const belowFeatures = ["providers", "toolkits", "mapping", "canonical", "events", "tenancy", "platform"]

export default {
  forbidden: [
    ...layer("canonical"),
    ...layer("mapping", "canonical"),
    ...layer("platform"),
    ...layer("tenancy", "platform"),
    ...layer("events", "tenancy", "platform"),
    ...layer("providers", "mapping", "canonical", "platform"),
    // Toolkits stand on the same base, credentials and simulation as providers do.
    ...layer("toolkits", "providers", "mapping", "canonical", "platform"),
    ...features.flatMap((feature) => layer(feature, ...features, ...belowFeatures)),
    ...layer("hooks", ...features, ...belowFeatures),
    ...layer("webhooks", ...features, ...belowFeatures),
    ...layer("endusers", ...features, ...belowFeatures),
    ...layer("passthrough", ...features, ...belowFeatures),
    ...layer("audit", "tenancy", "platform"),
    ...layer("agent", "audit", ...features, ...belowFeatures),
    ...layer("watches", "hooks", ...features, ...belowFeatures),
    ...layer("requests", "canonical", "tenancy", "platform"),
    ...layer("console", "audit", "requests", "endusers", "watches", "webhooks", ...features, ...belowFeatures),
    ...layer("authorization", "agent", "console", ...features, ...belowFeatures),
    ...layer("openapi", ...belowFeatures),
    {
      name: "providers-by-their-lists",
      comment: "the rest of the source knows providers and toolkits by their lists only",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [...top, simulatorLists, "^src/(providers|toolkits)/All\\.ts$", "^src/(providers|toolkits)/[^/]+/"]
      },
      to: { path: "^src/(providers|toolkits)/(?!base/|simulation/)[^/]+/" }
    },
    {
      name: "providers-apart",
      comment: "a provider or toolkit imports no other",
      severity: "error",
      from: { path: "^src/((?:providers|toolkits)/[^/]+)/" },
      to: {
        path: "^src/(providers|toolkits)/[^/]+/",
        pathNot: ["^src/$1/", "^src/providers/(base|simulation)/"]
      }
    },
    {
      name: "simulators-for-the-sandbox",
      comment: "simulators are loaded only through their list, by one another and by tests",
      severity: "error",
      from: { path: "^src/", pathNot: [simulators, simulatorLists, "^src/testing\\.ts$"] },
      to: { path: simulators }
    },
    {
      name: "simulation-for-the-sandbox",
      comment: "what simulators share, and their list, are loaded only by what serves the sandbox and by tests",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [simulators, simulatorLists, sharedSimulation, "^src/connections/Sandbox\\.ts$", ...top]
      },
      to: { path: [sharedSimulation, simulatorLists] }
    },
    {
      name: "simulators-from-the-description",
      comment: "a simulator is written from the provider's published description, not from our adapter",
      severity: "error",
      from: { path: [simulators, sharedSimulation] },
      to: {
        path: ["^src/(mapping|canonical)/", "^src/(providers|toolkits)/[^/]+/"],
        pathNot: [simulators, sharedSimulation]
      }
    },
    {
      name: "api-declares",
      comment: "an Api.ts imports only Schemas and middleware tags",
      severity: "error",
      from: { path: declarations },
      to: { path: "^src/", pathNot: declarations }
    },
    {
      name: "api-in-a-browser",
      comment: "what an Api.ts is made of uses nothing of Node",
      severity: "error",
      from: { path: [...declarations, "^src/mapping/"] },
      to: { dependencyTypes: ["core"] }
    },
    {
      name: "api-on-portable-packages",
      comment: "what an Api.ts is made of uses only packages that a browser could load",
      severity: "error",
      from: { path: [...declarations, "^src/mapping/"] },
      to: { path: "node_modules/", pathNot: "node_modules/(effect|@effect/platform|decimal\\.js|fastest-levenshtein)/" }
    },
    {
      name: "http-composed-at-the-top",
      comment: "a feature's Http.ts is composed only by the top",
      severity: "error",
      from: { path: "^src/", pathNot: top },
      to: { path: ["^src/Http\\.ts$", "^src/[^/]+/Http\\.ts$"] }
    },
    {
      name: "testing-for-tests",
      comment: "what tests are made of is no part of the service",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(testing|contract)(/|\\.ts$)" },
      to: { path: "^src/testing/" }
    },
    {
      name: "top-imported-by-nothing",
      comment: "nothing of ours imports an entry point",
      severity: "error",
      from: { path: "^src/", pathNot: entries },
      to: { path: entries }
    },
    {
      name: "no-tests-in-the-product",
      comment: "the source imports no test",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^test/" }
    },
    {
      name: "no-cycles",
      comment: "no cycles, of types neither",
      severity: "error",
      from: {},
      to: { circular: true }
    },
    {
      name: "no-unresolvable",
      comment: "every import leads somewhere",
      severity: "error",
      from: {},
      // the package by its own name, which leads to what is built; the compiler knows where else
      to: { couldNotResolve: true, pathNot: "^tributary(/|$)" }
    },
    {
      name: "no-unlisted-packages",
      comment: "package.json lists every package that is imported",
      severity: "error",
      from: {},
      // what is listed of an optional peer is more than its range, which is unknown as a kind of dependency
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-dev", "npm-peer"] }
    },
    {
      name: "no-development-packages",
      comment: "the source imports only runtime dependencies",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "npm-peer"] }
    }
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // what is built of all this, and programs over clients that only .ci/run generates
    exclude: { path: "^(dist|test/clients)/" },
    // Types are imports too.
    tsPreCompilationDeps: true,
    // the example imports the entry points by their names
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] }
  }
}
