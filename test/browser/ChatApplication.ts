import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { InProcess, type Tenancy } from "../../src/InProcess.ts"
import { fakeModel } from "../agent/FakeModel.ts"
import { HelpDesk } from "../agent/TestToolkit.ts"
import { served } from "../support/Served.ts"

/** The real application on a port, whose chat a fake model answers with the tools of a help desk. */
export class ChatApplication extends Context.Tag("tributary/test/ChatApplication")<
  ChatApplication,
  {
    /** Origin of the service. */
    readonly service: string
    /** A new workspace, and how two end users who are connected to the help desk are known at its chat. */
    readonly workspace: () => Promise<{
      /** Address of its chat. */
      readonly api: string
      readonly headers: readonly [Headers, Headers]
    }>
  }
>() {}

type Headers = { readonly [name: string]: string }

const Made = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))

const make = (service: string) =>
  Effect.gen(function* () {
    const app = yield* InProcess
    const authorization = ({ key }: Tenancy) => ({ authorization: `Bearer ${Redacted.value(key)}` })

    let made = 0
    const workspace = Effect.gen(function* () {
      const tenancy = yield* app.tenancy(`Organisation ${(made += 1)}`)
      for (const endUser of ["ada", "bob"]) yield* app.connect(tenancy, endUser, "helpdesk")
      const answer = yield* Effect.promise(async () => {
        const response = await fetch(`${service}/api/v1/mcp/workspaces`, {
          method: "POST",
          headers: { ...authorization(tenancy), "content-type": "application/json" },
          body: JSON.stringify({ name: "Support", integrations: ["helpdesk"] })
        })
        return Made(await response.json())
      })
      const headersOf = (endUser: string) => ({ ...authorization(tenancy), "x-end-user-id": endUser })
      return {
        api: `${service}/api/v1/mcp/${answer.data.id}/chat`,
        headers: [headersOf("ada"), headersOf("bob")] as const
      }
    })

    return ChatApplication.of({ service, workspace: () => Effect.runPromise(workspace) })
  })

export const layer = Layer.unwrapScoped(
  Effect.map(fakeModel, ({ settings }) =>
    served(
      (service) => Layer.scoped(ChatApplication, make(service)).pipe(Layer.provide(InProcess.layer)),
      HelpDesk,
      settings
    )
  )
)
