import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { json } from "../authorization/Browser.ts"
import { makeProgram, redirect } from "../authorization/Flow.ts"
import { doc } from "../agent/McpClient.ts"
import { Browser, faintTexts, isInstalled, visit } from "../support/Browser.ts"
import { publicUrl } from "../support/Connecting.ts"
import * as Application from "./ConsoleApplication.ts"
import { ConsoleApplication } from "./ConsoleApplication.ts"

describe.skipIf(!isInstalled)("a program is let in in a browser", () => {
  layer(Layer.merge(Browser.layer, Application.layer), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("from the address of a workspace to a token, by the keyboard alone", () =>
      Effect.gen(function* () {
        const { newcomer, service } = yield* ConsoleApplication
        const here = (address: string) => address.replaceAll(publicUrl, service)
        const program = makeProgram((request) => fetch(new Request(here(request.url), request)))
        yield* visit(async (page, context) => {
          const made = await fetch(`${service}/api/v1/mcp/workspaces`, {
            method: "POST",
            headers: { authorization: `Bearer ${await newcomer("Northwind")}`, "content-type": "application/json" },
            body: JSON.stringify({ name: "Support", integrations: ["notion"], confirm: "never" })
          })
          const workspace = String(doc((await json(made))["data"]).id)
          // a host knows the address, and finds the rest by it
          const challenged = await program.send(`/api/v1/mcp/${workspace}`, { method: "POST" })
          const [, found = ""] =
            /resource_metadata="([^"]+)"/.exec(challenged.headers.get("www-authenticate") ?? "") ?? []
          const resource = String((await json(await fetch(found)))["resource"])
          const client = await program.clientId()
          const { address, verifier } = program.begin(client, workspace, { resource })

          let answer: URL | undefined
          await context.route(`${redirect}*`, (route) => {
            answer = new URL(route.request().url())
            return route.fulfill({ contentType: "text/html", body: "<title>Example host</title><h1>Connected</h1>" })
          })
          const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()
          /** Goes to a control as people do who have no mouse. */
          const tabTo = async (name: string) => {
            for (let i = 0; i < 30; i += 1) {
              await page.keyboard.press("Tab")
              if ((await page.locator(":focus").textContent())?.trim() === name) return
            }
            assert.fail(`"${name}" is not reached`)
          }

          await page.goto(here(address))
          await heading("As which end user?")
          await page.keyboard.press("Tab")
          await page.keyboard.type("alice")
          await page.keyboard.press("Enter")
          await heading("Let “Example host” use Northwind?")
          const text = await page.locator("main").innerText()
          for (const said of ["alice", "127.0.0.1:5599", "Support", "Notion", "Not connected"])
            assert.include(text, said)
          assert.deepStrictEqual(await faintTexts(page), [])
          assert.notInclude(page.url(), "verifier")
          await tabTo("See and end what you let in")
          await page.keyboard.press("Enter")
          await heading("Programs that use Northwind as alice")
          await tabTo("Back")
          await page.keyboard.press("Enter")
          await heading("Let “Example host” use Northwind?")
          await tabTo("Allow")
          await page.keyboard.press("Enter")
          await heading("Connected")

          const code = answer?.searchParams.get("code") ?? ""
          assert.strictEqual(answer?.searchParams.get("iss"), service)
          const { body } = await program.redeem(client, code, verifier)
          assert.strictEqual(body["scope"], "tools:read tools:write")
          const listed = await program.call(workspace, String(body["access_token"]))
          assert.strictEqual(listed.status, 200)
          assert.include(await listed.text(), "notion_")
        })
      })
    )
  })
})
