import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { eventIn } from "../src/Receiver.ts"

test("an event is taken that the webhook's secret signs, and no other", () => {
  const secret = `whsec_${Buffer.from("a secret of twenty-four!").toString("base64")}`
  const event = { type: "connection.created", timestamp: "2026-11-20T09:00:00.000Z", data: {} }
  const text = JSON.stringify(event)
  const now = new Date()
  const headers = {
    "webhook-id": "one",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("one", now, text)
  }
  expect(eventIn(secret, text, headers)).toEqual(event)
  expect(() => eventIn(secret, text.replace("created", "removed"), headers)).toThrow()
})
