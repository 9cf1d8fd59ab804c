import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Reply, Simulator } from "../../simulation/Simulator.ts"
import { settings } from "../../simulation/table/Kind.ts"
import { whole } from "../../simulation/table/Pages.ts"
import { flag, parameter } from "../../simulation/table/Query.ts"
import { asked, readRoutes, routesOf } from "../../simulation/table/Routes.ts"
import { failure, notFound, recordStyle, route, workStyle } from "./Answers.ts"
import { limited, limits } from "./Limits.ts"
import { oauth, scopes } from "./OAuth.ts"
import { adding, attributesOf, records } from "./Objects.ts"
import { seed } from "./Seed.ts"
import { notes, tasks } from "./Work.ts"
import { app, memberId, members, objects, stages, workspace } from "./Workspace.ts"

const data = (records: unknown) => () => Either.right<Reply>({ status: 200, body: { data: records } })

const settingsRoutes = [
  ...readRoutes(
    { ...workStyle(500, 500), pages: whole },
    { ...settings("workspace_members", members), find: (_, id) => members.find((one) => memberId(one) === id) }
  ),
  route("GET", "/v2/objects", data(objects)),
  ...records.map((kind) =>
    route("GET", `/v2/objects/${kind.name}/attributes`, (_, account) =>
      Either.right<Reply>({ status: 200, body: { data: attributesOf(account, kind) } })
    )
  ),
  // none of them is archived
  route("GET", "/v2/objects/deals/attributes/stage/statuses", (request, account) =>
    Either.flatMap(asked(workStyle(500, 500), parameter("show_archived", flag), request, account), data(stages))
  ),
  // https://docs.attio.com/rest-api/endpoint-reference/meta/identify
  route("GET", "/v2/self", (_, { now }) =>
    Either.right({
      status: 200,
      body: {
        active: true,
        scope: scopes.join(" "),
        client_id: app.id,
        token_type: "Bearer",
        exp: null,
        iat: Math.floor(now / 1000),
        sub: workspace.id,
        aud: app.id,
        iss: "attio.com",
        authorized_by_workspace_member_id: memberId(members[0] ?? {}),
        workspace_id: workspace.id,
        workspace_name: workspace.name,
        workspace_slug: workspace.slug,
        workspace_logo_url: null
      } satisfies Doc
    })
  )
]

/** Attio's REST API, version 2. */
export const simulator: Simulator = {
  slug: "attio",
  routes: [
    ...records.flatMap((kind) => [
      ...routesOf(recordStyle("PUT"), kind),
      ...routesOf(recordStyle("PATCH"), adding(kind))
    ]),
    // a note is never changed
    ...routesOf(workStyle(10, 50, ["PATCH"]), notes),
    ...routesOf(workStyle(500, 500), tasks),
    ...settingsRoutes,
    ...oauth.routes
  ],
  tokenOf: ({ headers }) => /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  limits,
  failures: {
    unauthorized: failure(401, "unauthorized", "The access token is invalid."),
    badGrant: oauth.badGrant,
    notFound: () => notFound("endpoint"),
    methodNotAllowed: () => failure(405, "method_not_allowed", "The method is not allowed."),
    // a date, usually of the following second; https://docs.attio.com/rest-api/guides/rate-limiting
    rateLimited: limited,
    broken: (status) =>
      status === 403
        ? failure(403, "unauthorized", "The token lacks a scope.")
        : failure(status, "internal_error", "An error occurred.")
  }
}
