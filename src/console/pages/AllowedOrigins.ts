import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { NoQuery } from "../../platform/ApiErrors.ts"
import { AllowedOrigins, type Origins } from "../../tenancy/AllowedOrigins.ts"
import { html } from "../Html.ts"
import { field, form, table } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { permitted, visits } from "../Visits.ts"

/** Origins, one in each line. */
const NewOrigins = Schema.Struct({ origins: Schema.optionalWith(Schema.String, { default: () => "" }) }).annotations({
  parseOptions: { errors: "all", onExcessProperty: "error" }
})

const labels = { sandbox: "the sandbox", production: "production" } as const

const view = (visit: Visit, { organisationOrigins }: Origins, entered: string, error?: string) => html`
  <h1>Allowed origins</h1>
  <p class="lede">
    Pages of these origins may embed the connection widget and, with an end user's token, call workspaces in
    ${labels[visit.session.caller.environment]}.
  </p>
  ${form(
    visit,
    "/allowed-origins",
    html`
      ${field({
        name: "origins",
        label: "Origins",
        about: html`One in each line, such as <code>https://app.example.com</code>; <code>http://</code> only on your
          own machine. Leave it empty to allow none.`,
        error,
        optional: true,
        control: (own) => html`<textarea ${own} rows="6" spellcheck="false" autocomplete="off">${entered}</textarea>`
      })}
      <button type="submit" class="button small">Save</button>
    `
  )}
  ${
    organisationOrigins.length > 0 &&
    html`<h2>In both environments</h2>
      <p class="lede">The operator of this service allows these besides.</p>
      ${table(
        "Origins in both environments",
        ["Origin"],
        organisationOrigins.map((origin) => [html`<code>${origin}</code>`])
      )}`
  }
`

/** Origins allowed in the session's organisation and environment. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const allowed = yield* AllowedOrigins
    const { action, page } = yield* visits
    const titled = { title: "Allowed origins", section: "/allowed-origins" } as const

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/allowed-origins",
        page(NoQuery, (visit) =>
          Effect.map(allowed.find(visit.session.caller), (found) => ({
            ...titled,
            main: view(visit, found, found.origins.join("\n"))
          }))
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/allowed-origins",
        action(NewOrigins, (visit, { origins }) =>
          Effect.gen(function* () {
            yield* permitted(visit, "admin")
            const { caller } = visit.session
            const given = origins.split(/\s+/).filter((origin) => origin !== "")
            return yield* Effect.matchEffect(allowed.set(caller, given), {
              onFailure: ({ errors }) =>
                Effect.map(allowed.find(caller), (found) => ({
                  ...titled,
                  status: 422,
                  main: view(visit, found, given.join("\n"), said(given, errors))
                })),
              onSuccess: (set) =>
                Effect.succeed({
                  to: "/allowed-origins",
                  notice: { kind: "done" as const, text: text(set.origins.length) }
                })
            })
          })
        )
      )
    ]
  })
)

const text = (count: number) =>
  count === 0 ? "No origin is allowed any more." : `${count} ${count === 1 ? "origin is" : "origins are"} allowed.`

/** Lists errors by the origins themselves, since the form has no line numbers. */
const said = (given: ReadonlyArray<string>, errors: { readonly [path: string]: string }) =>
  Object.entries(errors)
    .map(([path, message]) => `${given[Number(path.split(".")[1])] ?? "The list"}: ${message}`)
    .join(". ")
