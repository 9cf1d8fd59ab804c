import { HttpServer } from "@effect/platform"
import { Console, Effect, Option, Redacted } from "effect"
import { Workspaces } from "./agent/Workspaces.ts"
import { Connections } from "./connections/Connections.ts"
import { Integrations } from "./connections/Integrations.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import * as Database from "./platform/Database.ts"
import { apiKeyRows } from "./tenancy/ApiKeyRows.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"

/**
 * Gives a newcomer something to call: an organisation, an end user connected to the sandbox of everything, a workspace for
 * agents, and, last, a key. Until there is a key a start that was cut short is made up for by the next.
 */
export const prepare = Effect.gen(function* () {
  if (Option.isSome(yield* Database.url)) return
  if (yield* (yield* apiKeyRows).isAny) return

  const organisations = yield* Organisations
  const organisation = yield* Effect.orElse(organisations.find("Demo"), () => organisations.create("Demo"))
  const endUser = yield* (yield* EndUsers).ensure(organisation.id, "sandbox", "demo")
  const connected = yield* (yield* Connections).ofEndUser(endUser, endUser.externalId)
  const sandbox = yield* Sandbox
  const integrations = (yield* Integrations).all()
  const simulated = yield* Effect.filter(integrations, (one) => Effect.isSuccess(sandbox.check(one)))
  const missing = simulated.filter(({ slug }) => connected?.some(({ provider }) => provider === slug) !== true)
  yield* Effect.forEach(missing, ({ slug }) => sandbox.connect(endUser, slug), { discard: true })
  const workspaces = yield* Workspaces
  const tenant = { organisation: organisation.id, environment: "sandbox" } as const
  const [known] = (yield* workspaces.list(tenant, 1, 1)).workspaces
  const workspace = known ?? (yield* workspaces.create(tenant, { name: "Demo" }))
  const { key: made } = yield* (yield* ApiKeys).create(organisation.id, "sandbox")

  const text = Redacted.value(made)
  const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const curl = (path: string, more = "") =>
    `  curl -H "Authorization: Bearer ${text}" -H "X-End-User-Id: demo" ${more}"${address}/api/v1${path}"`
  const sending = (body: unknown) => `-H "Content-Type: application/json" -d '${JSON.stringify(body)}' `
  const has = (category: string) => simulated.some((one) => one.category === category)
  const firstCrm = simulated.find((one) => one.category === "crm")?.slug
  yield* Console.log(
    [
      "",
      "Your sandbox key, shown this once:",
      "",
      `  ${text}`,
      "",
      simulated.length === integrations.length
        ? "The end user `demo` has connected every provider's sandbox. Try:"
        : `The end user \`demo\` has connected ${simulated.map(({ slug }) => slug).join(", ") || "nothing"}; what else there is has no simulator. Try:`,
      "",
      ...(has("crm") ? [curl("/crm/contact?limit=3")] : []),
      ...(has("accounting") ? [curl("/accounting/invoice?limit=3")] : []),
      curl(`/mcp/${workspace.id}/chat`, `-N ${sending({ message: "List 3 contacts" })}`),
      "",
      ...(has("crm")
        ? [
            "Create a contact, and see the event, of this and whatever else happens to contacts:",
            "",
            curl("/watches", `-X PUT ${sending({ resources: ["crm/contact"], interval: 5 })}`),
            curl(`/crm/contact?provider=${firstCrm}`, sending({ last_name: "Lovelace" })),
            curl("/events?types=record.created"),
            ""
          ]
        : [])
    ].join("\n")
  )
})
