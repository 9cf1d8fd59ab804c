import { Layer } from "effect"
import { Connections } from "./connections/Connections.ts"
import * as TokenRefresh from "./connections/TokenRefresh.ts"
import { FieldMappings } from "./fieldmappings/FieldMappings.ts"
import * as Health from "./platform/Health.ts"
import { Budget } from "./providers/axes/Budget.ts"
import { Upstream } from "./providers/axes/Upstream.ts"
import { Providers } from "./providers/Providers.ts"
import { Transport } from "./providers/Transport.ts"
import { Access } from "./records/Access.ts"
import { Idempotency } from "./records/Idempotency.ts"
import { Identities } from "./records/Identities.ts"
import { Lookups } from "./records/Lookups.ts"
import { Presenter } from "./records/Presenter.ts"
import { Records } from "./records/Records.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { Authentication } from "./tenancy/Authentication.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"

/** What providers stand on: the registry, the way to them, and the credentials of connections. */
const reach = Upstream.layer.pipe(
  Layer.provideMerge(TokenRefresh.layer),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Providers.layer)
)

const tenancy = Authentication.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, EndUsers.layer, Organisations.layer))
)

/**
 * Every service between the routes and what a deployment picks: the database, the network, encryption, the rate limiter.
 * Providers are Layers of their own: whichever are given on top of this are the ones the application has.
 */
export const services = Layer.mergeAll(Records.layer, Idempotency.layer, Health.databaseCheck).pipe(
  Layer.provideMerge(Layer.mergeAll(Access.layer, Presenter.layer)),
  Layer.provideMerge(Layer.mergeAll(FieldMappings.layer, Identities.layer, Lookups.layer, Health.Health.layer)),
  Layer.provideMerge(Layer.mergeAll(reach, tenancy))
)
