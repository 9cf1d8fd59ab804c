import { HttpLayerRouter, type HttpMethod, HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Schema } from "effect"
import * as Assets from "../platform/Assets.ts"
import { NotFound, pathOf } from "../platform/Errors.ts"
import * as AllowedOrigins from "./pages/AllowedOrigins.ts"
import * as Approvals from "./pages/Approvals.ts"
import * as Connections from "./pages/Connections.ts"
import * as EndUsers from "./pages/EndUsers.ts"
import * as EraseEndUser from "./pages/EraseEndUser.ts"
import * as Events from "./pages/Events.ts"
import * as FieldMappings from "./pages/FieldMappings.ts"
import * as KeyEvents from "./pages/KeyEvents.ts"
import * as Keys from "./pages/Keys.ts"
import * as Overview from "./pages/Overview.ts"
import * as Request from "./pages/Request.ts"
import * as Requests from "./pages/Requests.ts"
import * as SignIn from "./pages/SignIn.ts"
import * as ToolCalls from "./pages/ToolCalls.ts"
import * as Watches from "./pages/Watches.ts"
import * as Webhooks from "./pages/Webhooks.ts"
import { visits } from "./Visits.ts"

/** The routes of the console with their methods. */
export const paths = {
  "/console": ["GET"],
  "/console/sign-in": ["GET", "POST"],
  "/console/sign-out": ["POST"],
  "/console/requests": ["GET"],
  "/console/approvals": ["GET"],
  "/console/approvals/:id/decide": ["POST"],
  "/console/tool-calls": ["GET"],
  "/console/requests/:id": ["GET"],
  "/console/connections": ["GET"],
  "/console/connections/:id/reconnect": ["POST"],
  "/console/connections/:id/remove": ["GET", "POST"],
  "/console/end-users": ["GET"],
  "/console/end-users/link": ["POST"],
  "/console/end-users/:endUserId/erase": ["GET", "POST"],
  "/console/end-users/:endUserId/export": ["POST"],
  "/console/field-mappings": ["GET", "POST"],
  "/console/field-mappings/remove": ["POST"],
  "/console/watches": ["GET"],
  "/console/events": ["GET"],
  "/console/webhooks": ["GET"],
  "/console/webhooks/:id": ["GET"],
  "/console/webhooks/:id/enable": ["POST"],
  "/console/webhooks/:id/deliveries/:deliveryId/redeliver": ["POST"],
  "/console/keys": ["GET", "POST"],
  "/console/keys/events": ["GET"],
  "/console/keys/:id/revoke": ["GET", "POST"],
  "/console/allowed-origins": ["GET", "POST"],
  "/console/*": ["GET"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

/** Path of the files that every page of the console loads. */
export const assetsPath = "/console/assets/:file"

const assets = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    // the build copies them to the same place relative to its own files
    const serve = yield* Assets.serve(new URL("./assets/", import.meta.url))
    yield* router.add(
      "GET",
      assetsPath,
      Effect.flatMap(HttpLayerRouter.params, ({ file = "" }) => serve(file))
    )
  })
)

/** A page for addresses that lead nowhere. */
const nowhere = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const { page } = yield* visits
    yield* router.add(
      "GET",
      "/console/*",
      page(Schema.Struct({}), () =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          Effect.fail(new NotFound({ code: "NOT_FOUND", message: `There is nothing at ${pathOf(request)}.` }))
        )
      )
    )
  })
)

export const routes = Layer.mergeAll(
  SignIn.routes,
  Overview.routes,
  Requests.routes,
  Approvals.routes,
  ToolCalls.routes,
  Request.routes,
  Connections.routes,
  EndUsers.routes,
  EraseEndUser.routes,
  FieldMappings.routes,
  Watches.routes,
  Events.routes,
  Webhooks.routes,
  Keys.routes,
  KeyEvents.routes,
  AllowedOrigins.routes,
  assets,
  nowhere
)
