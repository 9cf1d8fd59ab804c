import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser, isInstalled, visit } from "../support/Browser.ts"
import * as Application from "./ConsoleApplication.ts"
import { ConsoleApplication } from "./ConsoleApplication.ts"

/** Milliseconds: the page works through hundreds of operations before it shows the first. */
const patience = 90_000

describe.skipIf(!isInstalled)("the documentation in a browser", () => {
  layer(Layer.merge(Browser.layer, Application.layer), { excludeTestServices: true })((it) => {
    it.effect(
      "shows operations and sends requests, and asks nobody but the service for anything",
      () =>
        Effect.flatMap(ConsoleApplication, ({ service }) =>
          visit(async (page, context) => {
            context.setDefaultTimeout(patience)
            const asked: Array<string> = []
            context.on("request", (request) => asked.push(request.url()))
            await page.goto(`${service}/docs`)
            await page.getByRole("heading", { name: "List contact" }).first().waitFor()
            await page
              .getByRole("button", { name: /Test Request.*crm\/contact/ })
              .first()
              .click()
            await page
              .getByRole("button", { name: /^Send get request/ })
              .first()
              .click()
            await page.getByText("401 Unauthorized").first().waitFor()
            const elsewhere = asked.filter((url) => !url.startsWith(`${service}/`) && !/^(data|blob):/.test(url))
            assert.isEmpty(elsewhere)
            assert.isTrue(
              asked.some((url) => url.startsWith(`${service}/api/v1/crm/contact`)),
              asked.join("\n")
            )
          })
        ),
      4 * patience
    )
  })
})
