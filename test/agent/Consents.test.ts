import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { type Approvable, Consents } from "../../src/agent/Consents.ts"
import { All } from "../../src/providers/All.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"

const what = (): Approvable => ({
  tenant: { organisation: randomUUID(), environment: "sandbox" },
  place: "session",
  call: "call_1",
  tool: "gmail_send_message",
  args: { to: "a@example.com", body: { text: "hi", html: null } }
})

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("consents", (it) => {
  const refusal = (signature: string, asked: Approvable) =>
    Effect.flatMap(Consents, ({ use }) => Effect.flip(use(signature, asked))).pipe(Effect.map(({ reason }) => reason))

  it.effect("one is good once", () =>
    Effect.gen(function* () {
      const { ask, use } = yield* Consents
      const asked = what()
      const signature = yield* ask(asked)
      // the order of members says nothing
      yield* use(signature, { ...asked, args: { body: { html: null, text: "hi" }, to: "a@example.com" } })
      assert.strictEqual(yield* refusal(signature, asked), "used")
      yield* use(yield* ask(asked), asked)
    })
  )

  it.effect("one is good for its own call only", () =>
    Effect.gen(function* () {
      const { ask } = yield* Consents
      const asked = what()
      const signature = yield* ask(asked)
      const [id = "", expiry = "", mac = ""] = signature.split(".")
      for (const other of [
        { ...asked, tenant: { ...asked.tenant, environment: "production" as const } },
        { ...asked, tenant: { ...asked.tenant, organisation: randomUUID() } },
        { ...asked, place: "another session" },
        { ...asked, call: "call_2" },
        { ...asked, tool: "gmail_trash_message" },
        { ...asked, args: { to: "eve@example.com", body: { text: "hi", html: null } } }
      ]) {
        assert.strictEqual(yield* refusal(signature, other), "foreign")
      }
      for (const forged of [
        "",
        "x",
        `${randomUUID()}.${expiry}.${mac}`,
        `${id}.${Number(expiry) + 1}.${mac}`,
        `${id}.${expiry}.${mac.replace(/^./, (letter) => (letter === "A" ? "B" : "A"))}`,
        `${id}.${expiry}.`
      ]) {
        assert.strictEqual(yield* refusal(forged, asked), "foreign", forged)
      }
    })
  )

  it.effect("one is good for ten minutes", () =>
    Effect.gen(function* () {
      const { ask, use } = yield* Consents
      const asked = what()
      const [old, older] = [yield* ask(asked), yield* ask(asked)]
      yield* TestClock.adjust("599 seconds")
      yield* use(old, asked)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* refusal(older, asked), "expired")
    })
  )
})
