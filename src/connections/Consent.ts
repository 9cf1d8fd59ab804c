import { Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import * as Address from "../platform/Address.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import {
  BadRequest,
  type Conflict,
  type NotFound,
  type Unauthorized,
  Unavailable,
  type Unprocessable
} from "../platform/Errors.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { Account, OAuth2 } from "../providers/base/Authorization.ts"
import { Transport } from "../providers/Transport.ts"
import { type AccountError, accountsOf } from "./Accounts.ts"
import { type Attempt, ConnectAttempts } from "./ConnectAttempts.ts"
import { Connections, type OpenedAccount } from "./Connections.ts"
import { type ConnectSession, ConnectSessions } from "./ConnectSessions.ts"
import { type Consented, readConsented, readPending, writeConsented, writePending } from "./ConsentSecrets.ts"
import { checkValues, readFields } from "./EnteredValues.ts"
import { type Integration, Integrations } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { takeBack } from "./Revocation.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"

/** The state of an attempt after a redirect, in words for the end user. */
export interface Outcome {
  readonly title: string
  readonly message: string
  /** Null when the redirect belongs to no attempt. */
  readonly attemptId: string | null
}

/** The page on which a provider asks for consent. */
export interface ConsentPage {
  readonly attempt: Attempt
  /** The provider's own address. */
  readonly url: URL
  /** Address for the end user; in the sandbox, one of this service. */
  readonly address: string
}

/** Connects by consent: sends the end user to the provider, and handles the redirect back. */
export class Consent extends Context.Tag("tributary/connections/Consent")<
  Consent,
  {
    /**
     * Begins an attempt; returns the address that the end user goes to, in the browser that they began it in. `connectionId`
     * names a connection of theirs to renew.
     */
    readonly start: (
      session: ConnectSession,
      integration: Integration,
      given: { readonly fields: { readonly [name: string]: string }; readonly connectionId: string | undefined }
    ) => Effect.Effect<
      { readonly attemptId: string; readonly authorizeUrl: string },
      NotFound | BadRequest | Unprocessable | Unavailable
    >
    /** Finds the consent page of the attempt that waits under a state. */
    readonly pageFor: (state: string) => Effect.Effect<ConsentPage | undefined>
    /** Handles the query of a provider's redirect. `isBound`: it came to the browser that the attempt was begun in. */
    readonly finish: (
      query: { readonly [name: string]: string | undefined },
      isBound: boolean
    ) => Effect.Effect<Outcome>
    /** Connects the account that the end user picked. */
    readonly choose: (session: ConnectSession, attemptId: string, value: string) => Effect.Effect<void, BadRequest>
    /** Ends an attempt that still waits for the end user, and takes back any consent they gave already. */
    readonly cancel: (session: ConnectSession, attemptId: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Consent,
    Effect.gen(function* () {
      const attempts = yield* ConnectAttempts
      const sessions = yield* ConnectSessions
      const connections = yield* Connections
      const integrations = yield* Integrations
      const transport = yield* Transport
      const publicUrl = yield* Address.publicUrl
      const redirectUri = `${publicUrl}/connect/callback`
      const context = yield* Effect.context<Connections | Integrations | Transport>()

      /** Ends an attempt without a connection; the end user reads why. */
      const fail = (attempt: Attempt, message: string) =>
        Effect.as(attempts.end(attempt.id, { status: "failed", message }), failed(attempt.id, message))

      /** Tells the end user about unexpected failures, too: a provider's account may be named anything. */
      const orFail =
        (attempt: Attempt) =>
        <E, R>(effect: Effect.Effect<Outcome, E, R>): Effect.Effect<Outcome, E, R> =>
          Effect.catchAllDefect(effect, (defect) =>
            Effect.zipRight(
              Effect.logError("An account was not connected", defect),
              fail(attempt, "Something went wrong here, and nothing was connected. Try again later.")
            )
          )

      /** Takes consent that nothing here uses back at the provider. */
      const giveUp = ({ endUser, environment, integration }: Attempt, { accounts, credentials }: Given) =>
        Effect.provide(
          takeBack({
            provider: integration,
            environment,
            endUser,
            credentials,
            accountIds: accounts.map(({ id }) => id)
          }),
          context
        )

      /** The same for an attempt that ended while an account was to be chosen. */
      const giveUpChoice = (attempt: Attempt) =>
        Option.match(readConsented(attempt.secrets), {
          onNone: () => Effect.void,
          onSome: (consented) => giveUp(attempt, consented)
        })

      const save = (attempt: Attempt, account: OpenedAccount, given: Given) =>
        sessions.use(attempt.session, connections.connect(attempt, account)).pipe(
          Effect.tapErrorCause(() => giveUp(attempt, given)),
          Effect.flatMap(({ id }) => attempts.end(attempt.id, { status: "connected", connectionId: id })),
          Effect.as(connected(attempt.id)),
          Effect.catchAll((error) => fail(attempt, wordsOf(error)))
        )

      /** Stores the consent while the end user chooses one of its accounts. */
      const offer = Effect.fnUntraced(
        function* (attempt: Attempt, consented: Consented) {
          const choices = consented.accounts.map(({ id, name }) => ({ value: id, label: name }))
          if (!(yield* attempts.offer(attempt, choices, writeConsented(consented)))) {
            yield* giveUp(attempt, consented)
            return failed(attempt.id, gone)
          }
          return {
            title: "Choose an account",
            message: "Go back to the page where you started, and choose which account to connect.",
            attemptId: attempt.id
          }
        },
        (offering, attempt, consented) => Effect.tapErrorCause(offering, () => giveUp(attempt, consented))
      )

      const settle = Effect.fnUntraced(function* (attempt: Attempt, consented: Consented) {
        const { accounts } = consented
        const [first, ...others] = accounts
        const held = attempt.isReconnect
          ? yield* Effect.option(connections.get(attempt, attempt.connectionId))
          : Option.none()
        const had = Option.isSome(held) ? held.value.accountId : null
        // a connection can only be renewed with the account it had; any other is refused
        const meant = had === null ? first : (accounts.find(({ id }) => id === had) ?? first)
        return yield* meant === undefined || (had === null && others.length > 0)
          ? offer(attempt, consented)
          : save(attempt, openedBy(consented, meant), consented)
      })

      const exchange = Effect.fnUntraced(function* (
        attempt: Attempt,
        integration: Integration,
        authorization: OAuth2,
        query: { readonly [name: string]: string | undefined }
      ) {
        const pending = readPending(attempt.secrets)
        const redirected = keptOf(authorization, query)
        const isFit = Either.isRight(checkValues(authorization, redirected, "query"))
        if (Option.isNone(pending) || query["code"] === undefined || !isFit) {
          return yield* fail(attempt, `${integration.name} sent an answer that is not complete. Try again.`)
        }
        const values = { ...pending.value.values, ...redirected }
        const subject = { provider: attempt.integration, environment: attempt.environment, authorization, values }
        const tokens = yield* OAuth.exchange(subject, {
          grantType: "authorization_code",
          code: Redacted.make(query["code"]),
          redirectUri,
          verifier: authorization.pkce ? Redacted.make(pending.value.verifier) : undefined
        })
        const credentials: StoredCredentials = {
          kind: "accessToken",
          secret: tokens.accessToken,
          refreshToken: tokens.refreshToken,
          expiresAt: tokens.expiresAt,
          reauthBy: tokens.reauthBy,
          values: { ...values, ...tokens.values }
        }
        const unknown: Given = { credentials, accounts: [] }
        const accounts = yield* accountsOf(subject, { version: 0, ...credentials }).pipe(
          Effect.tapErrorCause(() => giveUp(attempt, unknown))
        )
        if (accounts === undefined) {
          const account = { credentials, accountName: integration.name, scopes: tokens.scopes }
          return yield* save(attempt, account, unknown)
        }
        if (accounts.length === 0) {
          yield* giveUp(attempt, unknown)
          return yield* fail(attempt, `${integration.name} shared no account. Try again, and allow one.`)
        }
        return yield* settle(attempt, { credentials, accounts, scopes: tokens.scopes })
      })

      const finish = Effect.fn("Consent.finish")(function* (
        query: { readonly [name: string]: string | undefined },
        isBound: boolean
      ) {
        const { error, state } = query
        const claimed = yield* Effect.either(attempts.claim(state ?? ""))
        if (Either.isLeft(claimed)) {
          yield* Effect.logWarning("A provider's redirect was not taken", `its state is ${claimed.left}`)
          return problems[claimed.left]
        }
        const attempt = claimed.right
        yield* Effect.annotateCurrentSpan({ provider: attempt.integration })
        if (!isBound) {
          yield* Effect.logWarning(
            "A provider's redirect was not taken",
            "it came to another browser, or without its cookie"
          )
          return yield* fail(attempt, elsewhere)
        }
        const integration = integrations.get(attempt.integration)
        if (integration?.consent === undefined) {
          return yield* fail(attempt, "This integration is not offered any longer.")
        }
        if (error !== undefined && denials.includes(error)) {
          yield* attempts.end(attempt.id, { status: "denied" })
          return {
            title: "Not connected",
            message: `${integration.name} says that access was not allowed. Nothing was connected.`,
            attemptId: attempt.id
          }
        }
        if (error !== undefined) {
          yield* Effect.logWarning("A provider refused to ask for consent", /^[\w.-]{1,60}$/.test(error) ? error : "")
          return yield* fail(attempt, `${integration.name} did not ask for your consent. Try again later.`)
        }
        return yield* exchange(attempt, integration, integration.consent, query).pipe(
          Effect.provideService(Transport, transport),
          Effect.tapError((failure) => Effect.logWarning("An account was not connected", failure.message)),
          Effect.catchAll((failure) => fail(attempt, troubleOf(integration.name, failure))),
          orFail(attempt)
        )
      })

      // takes back the consent of end users who leave before they choose
      yield* runInBackground(
        Effect.flatMap(attempts.takeAbandoned, (left) => Effect.forEach(left, giveUpChoice, { discard: true })),
        "5 minutes"
      )

      return Consent.of({
        start: Effect.fn("Consent.start")(function* (session, integration, { connectionId, fields }) {
          const { consent: authorization, name, slug } = integration
          if (authorization === undefined) {
            return yield* new BadRequest({ code: "INVALID_PARAMETER", message: `${name} is not connected by consent.` })
          }
          const values = yield* readFields(authorization, authorization.fields ?? [], fields)
          const renewed = yield* connections.owned(session, session.endUser, slug, connectionId)
          const subject = { provider: slug, environment: session.environment }
          const isConfigured = Effect.provideService(OAuth.isConfigured(subject), Transport, transport)
          if (!(yield* isConfigured)) {
            return yield* new Unavailable({
              message: `${name} is not set up: the operator has not given this service a client there.`
            })
          }
          const { id, state } = yield* attempts.create(session, {
            integration: slug,
            connectionId: renewed?.id ?? randomUUID(),
            isReconnect: renewed !== undefined,
            secrets: writePending({ verifier: randomBytes(32).toString("base64url"), values })
          })
          return { attemptId: id, authorizeUrl: `${publicUrl}/connect/go?state=${state}` }
        }),

        pageFor: Effect.fn("Consent.pageFor")(function* (state) {
          const attempt = yield* attempts.waiting(state)
          const authorization = attempt && integrations.get(attempt.integration)?.consent
          if (attempt === undefined || authorization === undefined) return undefined
          const { environment, integration: provider } = attempt
          const { values, verifier } = yield* Effect.orDie(readPending(attempt.secrets))
          const subject = { provider, environment, authorization, values }
          const url = yield* OAuth.authorizeUrl(subject, { state, verifier, redirectUri })
          if (url === undefined) return undefined
          const simulated = `${publicUrl}/sandbox/${provider}${url.pathname}${url.search}`
          return { attempt, url, address: environment === "sandbox" ? simulated : url.href }
        }),

        // a provider's answer is handled even when the end user closes the window
        finish: (query, isBound) => runToCompletion(finish(query, isBound)),

        choose: Effect.fn("Consent.choose")(function* (session, attemptId, value) {
          const attempt = yield* attempts.pick(session, attemptId, value)
          const consented = attempt === undefined ? Option.none() : readConsented(attempt.secrets)
          const account = Option.flatMapNullable(consented, ({ accounts }) => accounts.find(({ id }) => id === value))
          if (attempt === undefined || Option.isNone(consented) || Option.isNone(account)) {
            return yield* new BadRequest({
              code: "INVALID_PARAMETER",
              message: "value: this attempt does not wait for a choice, or it is not among its choices."
            })
          }
          const opened = openedBy(consented.value, account.value)
          yield* save(attempt, opened, consented.value).pipe(orFail(attempt))
        }, runToCompletion),

        cancel: Effect.fn("Consent.cancel")(function* (session, attemptId) {
          const attempt = yield* attempts.cancel(session, attemptId)
          if (attempt !== undefined) yield* giveUpChoice(attempt)
        }, runToCompletion)
      })
    })
  )
}

// ---------------------------------------------------------------------------------------------------------------------
// words

const connected = (attemptId: string): Outcome => ({
  title: "Connected",
  message: "Your account is connected. You can close this window.",
  attemptId
})

const failed = (attemptId: string, message: string): Outcome => ({
  title: "Not connected",
  message,
  attemptId
})

const problem = (title: string, message: string): Outcome => ({ title, message, attemptId: null })

const problems = {
  unknown: problem(
    "This address leads nowhere",
    "It belongs to no attempt to connect an account. Go back to the page where you started, and try again."
  ),
  used: problem(
    "This address was used already",
    "It works once. Go back to the page where you started: it shows whether your account is connected."
  ),
  expired: problem(
    "That took too long",
    "The attempt to connect your account has expired. Go back to the page where you started, and try again."
  )
} as const

const gone = "The connection, or the user it is for, is not there any longer."

const wordsOf = (error: NotFound | Conflict | Unauthorized) => (error._tag === "NotFound" ? gone : error.message)

const elsewhere =
  "This was not begun in this browser, so nothing was connected. Begin again, stay in one browser, and let it keep cookies."

/** Describes a failure at the provider to the end user. */
const troubleOf = (name: string, { reason }: OAuth.TokenError | AccountError): string => {
  switch (reason) {
    case "refused":
      return `${name} did not accept the consent. Try again.`
    case "client":
      return `${name} does not accept this service's application. Tell whoever sent you here.`
    case "malformed":
      return `${name} sent an answer that is not complete. Try again later.`
    default:
      return `${name} cannot be reached now. Try again later.`
  }
}

/** Error codes for denied consent: RFC 6749, section 4.1.2.1, and Pipedrive's own. */
const denials = ["access_denied", "user_denied"]

// ---------------------------------------------------------------------------------------------------------------------
// results of consent

/** Values to keep from a redirect, as far as their form is declared. */
const keptOf = ({ keep = {}, values = {} }: OAuth2, query: { readonly [name: string]: string | undefined }) =>
  Object.fromEntries(
    Object.entries(keep).flatMap(([there, here]) => {
      const value = query[there]
      return value === undefined || values[here] === undefined ? [] : [[here, value]]
    })
  )

/** Consent that was given, as far as is known. */
type Given = Pick<Consented, "accounts" | "credentials">

const openedBy = ({ credentials, scopes }: Consented, account: Account): OpenedAccount => ({
  credentials: { ...credentials, values: { ...credentials.values, ...account.values } },
  accountName: account.name,
  accountId: account.id,
  scopes: account.scopes ?? scopes
})
