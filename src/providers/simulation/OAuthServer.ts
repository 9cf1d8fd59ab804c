import { createHash } from "node:crypto"
import { accountHeader } from "../Transport.ts"
import { nameOf, type Requirement } from "../Requirement.ts"
import { type Account, type Doc, marker } from "./Account.ts"
import { type AssertionRules, certificateIn, refusedAssertion } from "./Certificates.ts"
import { consentPage, refusalPage } from "./ConsentPage.ts"
import { withdraw } from "./Features.ts"
import {
  clientNamed,
  expireAccessTokens,
  isTokenGood,
  issueTokens,
  type Reply,
  revokeToken,
  type Route,
  type SimulatedRequest,
  tokens
} from "./Simulator.ts"

/** A fault of a token request; each provider words it differently. */
export type Complaint =
  | "content type"
  | "parameter"
  | "client"
  | "client secret"
  | "grant type missing"
  | "grant type"
  | "code"
  | "redirect"
  | "verifier"
  | "refresh token"

/** Error codes of RFC 6749, section 5.2. */
export const standardErrors: { readonly [complaint in Complaint]: string } = {
  "content type": "invalid_request",
  parameter: "invalid_request",
  client: "invalid_client",
  "client secret": "invalid_client",
  "grant type missing": "invalid_request",
  "grant type": "unsupported_grant_type",
  code: "invalid_grant",
  redirect: "invalid_grant",
  verifier: "invalid_grant",
  "refresh token": "invalid_grant"
}

type Grant = "code" | "refresh token" | "assertion"

const grants: { readonly [type: string]: Grant } = {
  authorization_code: "code",
  refresh_token: "refresh token",
  client_credentials: "assertion"
}

/** Tokens that a response hands out. */
export interface Handed {
  readonly accessToken: string
  readonly refreshToken: string
  /** True without new consent: requested with a refresh token or an assertion. */
  readonly isRefresh: boolean
  readonly account: Account
  readonly request: SimulatedRequest
}

/** A provider's OAuth 2.0 authorisation server, as data. */
export interface OAuthFacts {
  /** The provider's name, for people. */
  readonly name: string
  /** Name of a simulated account. */
  readonly account: string
  readonly authorizePath: string
  readonly tokenPath: string
  /** Parameters of an authorisation request beside those of RFC 6749 and 7636. */
  readonly authorizeParameters?: ReadonlyArray<string>
  /** One of `authorizeParameters`, for optional scopes; simulated accounts get all of them, as they have every product. */
  readonly optionalScopes?: string
  /** Pattern of a scope. */
  readonly scope: RegExp
  readonly scopeSeparator?: string
  readonly client: "basic" | "body" | "body without secret"
  /** True when other content types than a form are refused. */
  readonly onlyForms?: boolean
  /** The parameters of a token request; those of its form unless given. */
  readonly parametersOf?: (request: SimulatedRequest) => URLSearchParams
  /** The only parameters that a token request may have. */
  readonly parameters?: ReadonlyArray<string>
  /** Seconds an access token is good for. */
  readonly lifetime: number
  /** Seconds a refresh token is good for; absent where it does not expire. */
  readonly refreshLifetime?: number
  /** For clients that sign for access tokens with a private key whose certificate the account has (RFC 7523). */
  readonly assertions?: AssertionRules
  /** Milliseconds for which a replaced refresh token stays good; undefined where it is not replaced. */
  readonly replacedAfter?: number
  /** Sending a replaced refresh token again revokes all tokens of the account. */
  readonly reuseRevokes?: boolean
  /** Whether refresh tokens of this client rotate. Absent: those of all clients do. */
  readonly isReplacing?: (client: string) => boolean
  /** Answer to a refresh while another one with the same token is running. Absent: it is processed normally. */
  readonly overlap?: Reply
  /** `name`: the parameter at fault. */
  readonly refuse: (complaint: Complaint, name?: string) => Reply
  readonly answer: (handed: Handed) => Doc
  /** Parameters of the redirect besides code and state. */
  readonly redirected?: (account: Account) => { readonly [parameter: string]: string }
  /** Records the scopes that were consented to. */
  readonly consented?: (account: Account, scopes: ReadonlyArray<string>) => void
  /** RFC 7009. */
  readonly revocation?: Revocation
}

export interface Revocation {
  readonly path: string
  readonly methods?: ReadonlyArray<"GET" | "POST">
  /** True where it needs no client. */
  readonly open?: boolean
  /** Access tokens are revoked as well as refresh tokens. */
  readonly anyToken?: boolean
  readonly done: Reply
  readonly unknown: Reply
}

const codes = "oauth_code"

/** A code is good for a minute. */
const codeLifetime = 60_000

const formOf = ({ text }: SimulatedRequest) => new URLSearchParams(text)

/** The token, refresh token, code or certificate that a token request is about. */
const subjectOf = (form: URLSearchParams) =>
  form.get("code") ?? form.get("refresh_token") ?? form.get("token") ?? certificateIn(form)

/** Revokes a refresh token and its access tokens, or an access token alone. */
export const revokeConsent = (account: Account, token: string): void => {
  if (isTokenGood(account, "refresh", token)) expireAccessTokens(account)
  revokeToken(account, token)
}

// ---------------------------------------------------------------------------------------------------------------------
// consent

const known = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method"
]

const scopesIn = (facts: OAuthFacts, query: URLSearchParams) =>
  ["scope", ...(facts.optionalScopes === undefined ? [] : [facts.optionalScopes])].flatMap((name) =>
    (query.get(name) ?? "").split(facts.scopeSeparator ?? " ").filter((scope) => scope !== "")
  )

const isRedirect = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The fault of a request for consent, if any. */
const problemOf = (facts: OAuthFacts, query: URLSearchParams): string | undefined => {
  const strange = [...query.keys()].find((name) => ![...known, ...(facts.authorizeParameters ?? [])].includes(name))
  if (strange !== undefined) return `it has an unknown parameter ${strange}`
  if (query.get("response_type") !== "code") return "response_type must be code"
  if ((query.get("client_id") ?? "") === "") return "client_id is missing"
  if (!isRedirect(query.get("redirect_uri") ?? "")) return "redirect_uri must be a whole address"
  const wrong = scopesIn(facts, query).find((scope) => !facts.scope.test(scope))
  if (wrong !== undefined) return `there is no scope "${wrong}"`
  const challenge = query.get("code_challenge")
  if (challenge === null) return undefined
  return query.get("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(challenge)
    ? undefined
    : "only code challenges of S256 are known"
}

const backTo = (query: URLSearchParams, parameters: { readonly [name: string]: string }): Reply => {
  const location = new URL(query.get("redirect_uri") ?? "")
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
  const state = query.get("state")
  if (state !== null) location.searchParams.set("state", state)
  return {
    status: 303,
    headers: { location: location.href, "cache-control": "no-store", "referrer-policy": "no-referrer" }
  }
}

const isKnown = (account: Account) => account.get(marker.type, marker.id) !== undefined

type Features = ReadonlyArray<Requirement>

const ask = (facts: OAuthFacts) => (request: SimulatedRequest, account: Account, features: Features) => {
  const problem = problemOf(facts, request.query)
  if (problem !== undefined) return refusalPage(facts.name, problem)
  return consentPage({
    provider: facts.name,
    account: facts.account,
    client: request.query.get("client_id") ?? "",
    scopes: scopesIn(facts, request.query),
    isKnown: isKnown(account),
    features
  })
}

const decide = (facts: OAuthFacts) => (request: SimulatedRequest, account: Account, features: Features) => {
  const { query } = request
  const problem = problemOf(facts, query)
  if (problem !== undefined) return refusalPage(facts.name, problem)
  const form = formOf(request)
  const decision = form.get("decision")
  if (decision === "deny") return backTo(query, { error: "access_denied" })
  if (decision !== "allow") return refusalPage(facts.name, "neither Allow nor Deny was chosen")
  const names = form.getAll("lacks")
  const strange = names.find((name) => !features.some((one) => nameOf(one) === name))
  if (strange !== undefined) return refusalPage(facts.name, `no account could lack "${strange}"`)
  const lacks = features.filter((one) => names.includes(nameOf(one)))
  // an account that was connected before keeps its features
  if (lacks.length > 0 && !isKnown(account)) withdraw(account, lacks)
  const code = `${account.name}.ac${account.nextId()}-${crypto.randomUUID()}`
  account.put(codes, code, {
    client: query.get("client_id"),
    redirect: query.get("redirect_uri"),
    challenge: query.get("code_challenge"),
    scopes: scopesIn(facts, query),
    expiresAt: account.now + codeLifetime
  })
  return backTo(query, { ...facts.redirected?.(account), code })
}

/** The account that a request for consent is about. */
const consentAccount = (request: SimulatedRequest): string =>
  formOf(request).get("account") === "another"
    ? crypto.randomUUID()
    : (request.headers[accountHeader] ?? crypto.randomUUID())

// ---------------------------------------------------------------------------------------------------------------------
// tokens

/** Faults that do not depend on the kind of token request. */
const complaintAbout = (
  facts: OAuthFacts,
  request: SimulatedRequest,
  form: URLSearchParams
): readonly [Complaint, string?] | undefined => {
  const type = request.headers["content-type"] ?? ""
  if (facts.onlyForms === true && !type.startsWith("application/x-www-form-urlencoded")) return ["content type"]
  const strange = [...form.keys(), ...request.query.keys()].find(
    (name) => facts.parameters !== undefined && !facts.parameters.includes(name)
  )
  if (strange !== undefined) return ["parameter", strange]
  const grantType = form.get("grant_type")
  const grant = grants[grantType ?? ""]
  // an assertion names its client itself
  if (grant === "assertion" && facts.assertions !== undefined) return undefined
  if (clientIn(facts, request, form) === undefined) return ["client"]
  if (facts.client === "body" && (form.get("client_secret") ?? "") === "") return ["client secret"]
  if (grantType === null) return ["grant type missing"]
  return grant === undefined || grant === "assertion" ? ["grant type"] : undefined
}

const clientIn = (facts: OAuthFacts, request: SimulatedRequest, form: URLSearchParams): string | undefined => {
  const id = facts.client === "basic" ? clientNamed(request) : form.get("client_id")
  return id === null || id === "" ? undefined : id
}

/** Redeems a code, which is good once; returns the fault, if any. */
const redeem = (facts: OAuthFacts, request: SimulatedRequest, form: URLSearchParams, account: Account) => {
  const code = form.get("code") ?? ""
  const held = account.get(codes, code)
  account.remove(codes, code)
  if (held === undefined || Number(held.expiresAt) <= account.now) return "code"
  if (held.client !== clientIn(facts, request, form)) return "code"
  if (held.redirect !== form.get("redirect_uri")) return "redirect"
  if (held.challenge !== null) {
    const verifier = form.get("code_verifier") ?? ""
    if (createHash("sha256").update(verifier).digest("base64url") !== held.challenge) return "verifier"
  }
  facts.consented?.(account, Array.isArray(held.scopes) ? held.scopes.map(String) : [])
  return undefined
}

const replaced = "replaced"

/** Whether a refresh token is good now; a replaced one may still be. */
const isRefreshable = (account: Account, token: string) => {
  const until = account.get(replaced, token)?.until
  return isTokenGood(account, "refresh", token) && !(typeof until === "number" && until <= account.now)
}

/** The refresh token that is good after one is used. */
const renewed = (facts: OAuthFacts, account: Account, used: string, issued: string, client: string): string => {
  const { isReplacing, replacedAfter } = facts
  if (replacedAfter === undefined || isReplacing?.(client) === false) {
    revokeToken(account, issued)
    return used
  }
  if (account.get(replaced, used) === undefined) account.put(replaced, used, { until: account.now + replacedAfter })
  return issued
}

const tokenOf = (facts: OAuthFacts) => (request: SimulatedRequest, account: Account) => {
  const form = (facts.parametersOf ?? formOf)(request)
  const complaint = complaintAbout(facts, request, form)
  if (complaint !== undefined) return facts.refuse(...complaint)
  const grant = grants[form.get("grant_type") ?? ""] ?? "code"
  const refusal = refusalOf(facts, request, form, account)
  if (refusal !== undefined) return refusal
  const { accessToken, refreshToken } = issueTokens(account, facts.lifetime, facts.refreshLifetime)
  if (grant === "assertion") revokeToken(account, refreshToken)
  const body = facts.answer({
    accessToken,
    refreshToken:
      grant === "refresh token"
        ? renewed(facts, account, form.get("refresh_token") ?? "", refreshToken, clientIn(facts, request, form) ?? "")
        : refreshToken,
    isRefresh: grant !== "code",
    account,
    request
  })
  return { status: 200, headers: { "cache-control": "no-store" }, body }
}

/** Refuses a refresh whose token is invalid or is being used by another request. */
const refusedRefresh = (
  facts: OAuthFacts,
  { answeredAfter = 0 }: SimulatedRequest,
  account: Account,
  token: string
): Reply | undefined => {
  const working = `refreshing ${token}`
  if (facts.overlap !== undefined && account.now < (account.memory.get(working) ?? 0)) return facts.overlap
  if (!isRefreshable(account, token)) {
    if (facts.reuseRevokes === true && account.get(replaced, token) !== undefined) revokeAll(account)
    return facts.refuse("refresh token")
  }
  if (answeredAfter > 0) account.memory.set(working, account.now + answeredAfter)
  return undefined
}

const revokeAll = (account: Account): void => {
  for (const [token] of account.entries(tokens)) revokeToken(account, token)
}

/** The refusal of a token request without a valid code, token or assertion. */
const refusalOf = (
  facts: OAuthFacts,
  request: SimulatedRequest,
  form: URLSearchParams,
  account: Account
): Reply | undefined => {
  switch (grants[form.get("grant_type") ?? ""]) {
    case "refresh token":
      return refusedRefresh(facts, request, account, form.get("refresh_token") ?? "")
    case "assertion":
      return facts.assertions && refusedAssertion(facts.assertions, form, account)
    default: {
      const wrong = redeem(facts, request, form, account)
      return wrong && facts.refuse(wrong)
    }
  }
}

const revoke = (facts: OAuthFacts, revocation: Revocation) => (request: SimulatedRequest, account: Account) => {
  const form = (facts.parametersOf ?? formOf)(request)
  const token = form.get("token") ?? request.query.get("token") ?? ""
  if (revocation.open !== true && clientIn(facts, request, form) === undefined) return facts.refuse("client")
  const isGood =
    isTokenGood(account, "refresh", token) || (revocation.anyToken === true && isTokenGood(account, "access", token))
  if (!isGood) return revocation.unknown
  revokeConsent(account, token)
  return revocation.done
}

/** A simulator's authorisation server: its routes, the token that leads to an account, and refusals. */
export const oauthServer = (facts: OAuthFacts) => {
  const parametersOf = facts.parametersOf ?? formOf
  const { revocation } = facts
  const routes: ReadonlyArray<Route> = [
    { method: "GET", path: facts.authorizePath, open: true, account: consentAccount, handle: ask(facts) },
    { method: "POST", path: facts.authorizePath, open: true, account: consentAccount, handle: decide(facts) },
    { method: "POST", path: facts.tokenPath, open: true, handle: tokenOf(facts) },
    ...(revocation === undefined
      ? []
      : (revocation.methods ?? (["POST"] as const)).map((method) => ({
          method,
          path: revocation.path,
          open: true,
          handle: revoke(facts, revocation)
        })))
  ]
  return {
    routes,
    accountOf: (request: SimulatedRequest): string | undefined =>
      subjectOf(parametersOf(request)) ?? request.query.get("token") ?? undefined,
    /** Answers a request about a token or code that belongs to no account. */
    badGrant: (request: SimulatedRequest): Reply => {
      if (request.path === revocation?.path) return revocation.unknown
      const form = parametersOf(request)
      const complaint = complaintAbout(facts, request, form)
      if (complaint !== undefined) return facts.refuse(...complaint)
      const grant = grants[form.get("grant_type") ?? ""] ?? "code"
      if (grant !== "assertion") return facts.refuse(grant)
      return (
        facts.assertions?.refuse(certificateIn(form) === undefined ? "request" : "client") ?? facts.refuse("grant type")
      )
    }
  }
}
