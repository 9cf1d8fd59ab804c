import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { gateway } from "./Answers.ts"
import { booksAt, names, organisation, tenantOf, uuidOf } from "./Organisation.ts"
import { covers } from "./Scopes.ts"
import { regions } from "./Regions.ts"
import { seed } from "./Seed.ts"

// A login may lead to several organisations: https://developer.xero.com/documentation/guides/oauth2/tenants

/** The books of a further organisation of a login, kept beside those of the first. */
const beside = (account: Account, place: number): Account => {
  const own = (type: string) => `${place}/${type}`
  return {
    ...account,
    name: booksAt(account.name, place),
    get: (type, id) => account.get(own(type), id),
    all: (type) => account.all(own(type)),
    entries: (type) => account.entries(own(type)),
    put: (type, id, doc) => account.put(own(type), id, doc),
    remove: (type, id) => account.remove(own(type), id)
  }
}

const organisationsOf = (account: Account): ReadonlyArray<Account> =>
  names.map((_, place) => (place === 0 ? account : beside(account, place)))

/** Connections that were removed, until the next consent. */
const disconnected = "disconnected"

const connectionOf = ({ name }: Account) => uuidOf(`connection ${name}`)

/** The organisations that a login leads to, with their places; those that were disconnected are not among them. */
const connected = (login: Account) =>
  organisationsOf(login)
    .map((account, place) => ({ account, place, id: connectionOf(account) }))
    .filter(({ id }) => login.get(disconnected, id) === undefined)

/** Disconnects an organisation from the client; false when there is no such connection. */
export const disconnect = (login: Account, id: string): boolean => {
  const isThere = connected(login).some((one) => one.id === id)
  if (isThere) login.put(disconnected, id, {})
  return isThere
}

/** A new consent connects all of a login's organisations again. */
export const reconnect = (login: Account): void => {
  for (const [id] of login.entries(disconnected)) login.remove(disconnected, id)
}

/** The books that a request names; those of a further organisation begin when they are first looked into. */
const opened = (login: Account, tenant: string | undefined): Account | undefined => {
  const found = connected(login).find(({ account }) => tenantOf(account.name) === tenant)
  if (found === undefined) return undefined
  const { account, place } = found
  if (place > 0 && account.get("Organisation", "1") === undefined) seed(account, regions[place])
  return account
}

/** A route of one of the APIs, for the organisation that the request must name, as far as the consent goes. */
export const inTenant = (route: Route): Route => ({
  ...route,
  handle: (request, login, features) => {
    const account = opened(login, request.headers["xero-tenant-id"])
    if (account === undefined) return gateway(403, "Forbidden", "AuthenticationUnsuccessful")
    if (!covers(login, request)) return gateway(401, "Unauthorized", "AuthorizationUnsuccessful")
    return route.handle(request, account, features)
  }
})

/** The organisations that a login leads to, as `GET /connections` tells them. */
export const connectionsOf = (login: Account): ReadonlyArray<Doc> => {
  const since = new Date(organisation(login).CreatedDateUTC).toISOString().replace("Z", "0000")
  return connected(login).map(({ account: { name }, id, place }) => ({
    id,
    authEventId: uuidOf(`event ${login.name}`),
    tenantId: tenantOf(name),
    tenantType: "ORGANISATION",
    tenantName: names[place],
    createdDateUtc: since,
    updatedDateUtc: since
  }))
}
