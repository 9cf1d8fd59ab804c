import { mockProvider, startTestApplication, type StartedApplication } from "tributary/testing"
import { afterAll, beforeAll, expect, test } from "vitest"

let app: StartedApplication

beforeAll(async () => {
  app = await startTestApplication({ providers: [mockProvider("hubspot", { contact: [{ first_name: "Ada" }] })] })
})

afterAll(() => app.close())

test("contacts are the mock's", async () => {
  const answer = await app.fetch("/api/v1/crm/contact")
  expect(await answer.json()).toMatchObject({ data: { data: [{ first_name: "Ada" }] } })
})

test("what is written is there", async () => {
  const answer = await app.fetch("/api/v1/crm/contact?provider=hubspot", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ last_name: "Hopper" })
  })
  expect(answer.status).toBe(201)
})
