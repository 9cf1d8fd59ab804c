import { layer } from "@effect/vitest"
import { assertSentBackUnchanged } from "../../support/SentBack.ts"
import { sandboxApplication } from "../../support/SandboxApplication.ts"

const resources = ["contact", "company", "deal", "lead", "task", "note", "activity", "meeting", "appointment"]

layer(sandboxApplication(), { timeout: "60 seconds" })("Salesforce records that are sent back", (it) => {
  for (const resource of resources) {
    it.effect(`the first three records of ${resource} are unchanged by a PUT and a PATCH of what was read`, () =>
      assertSentBackUnchanged("salesforce", resource, 3)
    )
  }
})
