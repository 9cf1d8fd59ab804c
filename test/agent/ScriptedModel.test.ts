import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { type Doc, SandboxApplication, sandboxApplication, walk } from "../support/SandboxApplication.ts"
import { messageOf, turn, typesOf, wordsOf } from "./ChatFrames.ts"
import { workspaceOf } from "./McpClient.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("what the scripted model writes", (it) => {
  const talking = (providers: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller(providers)
      const workspace = yield* workspaceOf(caller)
      const headers = { "x-session-id": randomUUID() }
      const say = (body: Doc | string) => turn(caller, workspace, body, headers)
      const list = (path: string) => Effect.map(walk(caller.call, path), ({ records }) => records)
      return { caller, say, list }
    })

  full(it).effect("a contact with the name and the e-mail of the sentence", () =>
    Effect.gen(function* () {
      const { list, say } = yield* talking(["hubspot"])
      const frames = yield* say("Create a contact named Bob Ray with email bob.ray@example.com and title CTO")
      const words = wordsOf(frames)
      assert.match(words, /scripted model/)
      assert.match(words, /crm_create_contact answered:\n- .*Bob/)
      const found = (yield* list("/crm/contact")).find(({ last_name }) => last_name === "Ray")
      assert.deepInclude(found, { first_name: "Bob", title: "CTO" })
      assert.include(JSON.stringify(found?.email_addresses), "bob.ray@example.com")
    })
  )

  full(it).effect("a deal with its amount, and what is named in quotes", () =>
    Effect.gen(function* () {
      const { list, say } = yield* talking(["hubspot", "pipedrive"])
      const added = wordsOf(yield* say('add a deal "Fleet of vans" worth $12,500 in Pipedrive'))
      assert.match(added, /crm_create_deal answered/)
      const found = (yield* list("/crm/deal?provider=pipedrive")).find(({ name }) => name === "Fleet of vans")
      assert.deepInclude(found, { amount: 12_500, providerSlug: "pipedrive" })
      const failed = wordsOf(yield* say('add a deal "Fleet of vans" worth $12,500 in stage "nowhere" in HubSpot'))
      assert.match(failed, /crm_create_deal failed: .*\n- record\.stage /)
      // which of two it is to be written to is asked for, by the tool
      const words = wordsOf(yield* say("create a company called Harbor & Sons"))
      assert.match(words, /crm_create_company failed: .*(provider|connection)/)
    })
  )

  full(it).effect("what the sentence leaves out is named", () =>
    Effect.gen(function* () {
      const { say } = yield* talking(["hubspot"])
      assert.match(wordsOf(yield* say("create a meeting about prices")), /needs .*: start_time, end_time/)
      const frames = yield* say("create a company")
      assert.match(wordsOf(frames), /crm_create_company needs .*: name/)
      assert.notInclude(JSON.stringify(frames), '"execute_tools"')
    })
  )

  it.effect("what nobody has connected is not written to", () =>
    Effect.gen(function* () {
      const { say } = yield* talking([])
      assert.match(wordsOf(yield* say("create a contact named Bob Ray")), /is not connected for this end user/)
    })
  )

  it.effect("asks before it writes, like any model", () =>
    Effect.gen(function* () {
      const { list, say } = yield* talking(["hubspot"])
      for (const approved of [false, true]) {
        const user = { id: "u", role: "user", parts: [{ type: "text", text: "create a company called Ray Works" }] }
        const asked = yield* say({ messages: [user], toolApproval: "writes" })
        assert.include(typesOf(asked), "tool-approval-request")
        const message = yield* messageOf(asked, approved)
        const words = wordsOf(yield* say({ messages: [user, message], toolApproval: "writes" }))
        assert.match(words, approved ? /crm_create_company answered/ : /not approved/)
        const names = (yield* list("/crm/company")).map(({ name }) => name)
        assert.strictEqual(names.includes("Ray Works"), approved)
      }
    })
  )
})
