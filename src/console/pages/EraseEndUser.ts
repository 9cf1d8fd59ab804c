import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type Counts, Erasure, type NotRevoked } from "../../endusers/Erasure.ts"
import { written } from "../../endusers/Export.ts"
import { html } from "../Html.ts"
import { form } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const Nothing = Schema.Struct({}).annotations({ parseOptions: { onExcessProperty: "error" } })

/** Where what concerns one end user is, under `/console`. */
export const pathOf = (endUserId: string, more: "erase" | "export") =>
  `/end-users/${encodeURIComponent(endUserId)}/${more}`

const personOf = ({ params, session: { caller } }: Visit) => ({
  organisation: caller.organisation,
  environment: caller.environment,
  endUserId: params["endUserId"] ?? ""
})

/** `connectSessions` as a person reads it. */
const wordsOf = (kind: string) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const eraseView = (visit: Visit, endUserId: string, counts: Counts) => html`
  <h1>Erase this end user?</h1>
  <p class="lede">
    All that is stored of ${endUserId} is erased for good, and their consent is taken back at the providers where that
    can be done.
  </p>
  <ul>
    ${Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [html`<li>${count} ${wordsOf(kind)}</li>`]))}
  </ul>
  ${form(
    visit,
    pathOf(endUserId, "erase"),
    html`<button type="submit" class="button small danger">Erase end user</button>
      <a class="button small quiet" href="${visit.root}/end-users">Keep them</a>`,
    "inline choice-of-two"
  )}
`

const doneText = (endUserId: string, notRevoked: ReadonlyArray<NotRevoked>) =>
  notRevoked.length === 0
    ? `${endUserId} is erased.`
    : `${endUserId} is erased. Consent was not taken back at ${[...new Set(notRevoked.map(({ provider }) => provider))].join(", ")}: they can end it there.`

/** The export and the erasure of one end user. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const erasure = yield* Erasure
    const { action, page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/end-users/:endUserId/erase",
        page(Nothing, (visit) =>
          Effect.gen(function* () {
            const person = personOf(visit)
            const { counts } = yield* erasure.held(person)
            return {
              title: "Erase end user",
              section: "/end-users" as const,
              main: eraseView(visit, person.endUserId, counts)
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/end-users/:endUserId/erase",
        action(Nothing, (visit) =>
          Effect.gen(function* () {
            const person = personOf(visit)
            const { notRevoked } = yield* erasure.endUser(person)
            return { to: "/end-users", notice: { kind: "done" as const, text: doneText(person.endUserId, notRevoked) } }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/end-users/:endUserId/export",
        action(Nothing, (visit) =>
          Effect.gen(function* () {
            const person = personOf(visit)
            return HttpServerResponse.stream(written(person, yield* erasure.export(person)), {
              contentType: "application/json",
              headers: { "content-disposition": 'attachment; filename="end-user.json"', "cache-control": "no-store" }
            })
          })
        )
      )
    ]
  })
)
