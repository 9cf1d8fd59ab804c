import { Command } from "@effect/cli"
import { Console } from "effect"

/** An environment variable that the service reads; `<SLUG>` stands for a provider's or toolkit's in capitals. */
export interface Variable {
  readonly name: string
  readonly meaning: string
  /** In words where it is no value. */
  readonly default?: string
}

const otlp = (name: string, meaning: string, standard?: string): ReadonlyArray<Variable> =>
  ["", "TRACES_", "LOGS_", "METRICS_"].map((signal) => ({
    name: `OTEL_EXPORTER_OTLP_${signal}${name}`,
    meaning: signal === "" ? meaning : `the same for ${signal.slice(0, -1).toLowerCase()} alone`,
    ...(signal === "" && standard !== undefined ? { default: standard } : {})
  }))

/** Every variable, by what it is about. `docs/variables.md` is made of this, and a test finds those that are missing. */
export const variables: { readonly [about: string]: ReadonlyArray<Variable> } = {
  "Where it is": [
    { name: "PORT", meaning: "port that it listens on; 0: any that is free", default: "3000" },
    { name: "HOST", meaning: "address that it listens on", default: "127.0.0.1" },
    {
      name: "PUBLIC_URL",
      meaning: "where browsers reach it: base of connect pages and of the redirect URI; may have a path",
      default: "`http://HOST:PORT`"
    },
    {
      name: "TRUSTED_PROXIES",
      meaning:
        "proxies that say in `X-Forwarded-For` where a request comes from: addresses, ranges, `loopback`, `linklocal`, `uniquelocal`",
      default: "none"
    },
    {
      name: "METRICS_PORT",
      meaning: "a port of its own for `/metrics` and the probes; `/metrics` is then not on `PORT`",
      default: "none"
    }
  ],
  "What it keeps": [
    { name: "DATABASE_URL", meaning: "PostgreSQL; without it an embedded PostgreSQL under `DATA_DIR`" },
    { name: "DATA_DIR", meaning: "embedded database and generated encryption key", default: "`.tributary`" },
    {
      name: "ENCRYPTION_KEYS",
      meaning: "`id:base64,…` (32 bytes each); the first encrypts, all decrypt; required with `DATABASE_URL`",
      default: "generated"
    },
    {
      name: "REDIS_URL",
      meaning: "shared rate limits and shares of providers for several instances",
      default: "per process"
    },
    { name: "REQUEST_LOG_DAYS", meaning: "days for which the request log is kept, 1 to 365", default: "30" }
  ],
  Limits: [
    {
      name: "RATE_LIMIT",
      meaning: "requests a minute for each key, and tool calls for each end user; 0 switches this and the next off",
      default: "600"
    },
    {
      name: "ORGANISATION_RATE_LIMIT",
      meaning: "requests a minute of an organisation in an environment, over all its keys; 0 for none",
      default: "ten times `RATE_LIMIT`"
    },
    {
      name: "REQUEST_TIMEOUT",
      meaning:
        "seconds until a request has its answer, with waiting, token refresh and retries (files: 300, tool calls: 60)",
      default: "30"
    },
    {
      name: "ANSWER_LIMIT",
      meaning: "MiB that are read of one answer of a provider, token endpoint or model, 1 to 256; files are streamed",
      default: "16"
    },
    {
      name: "DRAIN_DELAY",
      meaning: "seconds for which a service that is told to stop serves on, not ready, until load balancers notice",
      default: "5"
    },
    {
      name: "QUOTA_API_KEYS",
      meaning: "active keys of an organisation in an environment; 0 in any quota for none",
      default: "100"
    },
    { name: "QUOTA_CONNECTIONS", meaning: "connections of an end user", default: "100" },
    {
      name: "QUOTA_CONNECT_SESSIONS",
      meaning: "open connect sessions of an organisation in an environment",
      default: "10000"
    },
    { name: "QUOTA_WORKSPACES", meaning: "active workspaces of an organisation in an environment", default: "1000" },
    { name: "QUOTA_WEBHOOKS", meaning: "webhooks of an organisation in an environment", default: "50" },
    {
      name: "QUOTA_CONSOLE_SESSIONS",
      meaning: "console sessions of an organisation in an environment",
      default: "1000"
    },
    { name: "QUOTA_SANDBOX_DATA", meaning: "MiB that a simulated account may hold", default: "50" }
  ],
  Providers: [
    { name: "PROVIDER_<SLUG>_CLIENT_ID", meaning: "OAuth client that you registered there" },
    { name: "PROVIDER_<SLUG>_CLIENT_SECRET", meaning: "its secret" },
    { name: "PROVIDER_<SLUG>_SCOPES", meaning: "scopes in place of the usual ones" },
    { name: "PROVIDER_<SLUG>_WEBHOOK_SECRET", meaning: "what pushes of HubSpot, QuickBooks and Xero are signed with" },
    { name: "PROVIDER_<SLUG>_BASE_URL", meaning: "proxy, regional host or test double of its API" },
    { name: "PROVIDER_<SLUG>_AUTH_URL", meaning: "the same of its authorisation page" },
    { name: "PROVIDER_<SLUG>_TOKEN_URL", meaning: "the same of its token endpoint" },
    {
      name: "USER_AGENT",
      meaning:
        "`User-Agent` of every call to a provider, in place of ours, which has `(+PUBLIC_URL)` where that is set",
      default: "`Tributary/<version>`"
    },
    {
      name: "ALLOW_PRIVATE_HOSTS",
      meaning: "addresses and ranges (`10.0.0.0/8,…`) in your network that databases and webhooks may be at",
      default: "none"
    }
  ],
  Agents: [
    {
      name: "LLM_PROVIDER",
      meaning: "`anthropic`, `openai` or `openai-compatible`",
      default: "scripted, for the sandbox alone"
    },
    { name: "LLM_MODEL", meaning: "its model" },
    { name: "LLM_API_KEY", meaning: "its key" },
    {
      name: "LLM_MODELS",
      meaning: "names of models that workspaces and chats may choose beside `LLM_MODEL`, with commas between them",
      default: "none"
    },
    { name: "LLM_BASE_URL", meaning: "where the model is" },
    { name: "LLM_MAX_TOKENS", meaning: "tokens of an answer" },
    {
      name: "LLM_CONTEXT_TOKENS",
      meaning: "tokens that the model takes at a time: what chat keeps of a conversation, and attachments, go by it",
      default: "128000"
    },
    { name: "AGENT_MAX_STEPS", meaning: "steps of a turn", default: "8" },
    {
      name: "AGENT_MAX_TURNS",
      meaning: "chat turns that a process carries at a time; beyond it 503 with `Retry-After`",
      default: "2000"
    }
  ],
  "What it tells": [
    { name: "LOG_LEVEL", meaning: "`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `off`", default: "info" },
    { name: "LOG_FORMAT", meaning: "`pretty`, `json`, `logfmt`", default: "pretty in a terminal, else json" },
    {
      name: "TRACE_URL",
      meaning: "where the console links traces to, with `{traceId}` in it: `http://localhost:16686/trace/{traceId}`"
    },
    { name: "OTEL_SDK_DISABLED", meaning: "`true`: nothing is sent to a collector", default: "false" },
    ...otlp("ENDPOINT", "traces, logs and metrics by OTLP; of one signal, the whole address", "off"),
    ...otlp("HEADERS", "headers of what is sent, such as keys: `name=value,…`, percent-encoded"),
    ...otlp("PROTOCOL", "`http/json` or `http/protobuf`", "http/json"),
    ...otlp("TIMEOUT", "milliseconds that an export may take", "10000"),
    { name: "OTEL_TRACES_EXPORTER", meaning: "`otlp`, or `none` to send no traces", default: "otlp" },
    { name: "OTEL_LOGS_EXPORTER", meaning: "the same for logs", default: "otlp" },
    { name: "OTEL_METRICS_EXPORTER", meaning: "the same for metrics", default: "otlp" },
    {
      name: "OTEL_SERVICE_NAME",
      meaning: "name of the service; before `service.name` of the next",
      default: "tributary"
    },
    { name: "OTEL_RESOURCE_ATTRIBUTES", meaning: "further attributes of the service: `name=value,…`, percent-encoded" },
    {
      name: "OTEL_TRACES_SAMPLER",
      meaning:
        "`always_on`, `always_off`, `traceidratio`, and with `parentbased_` in front as the caller says where there is one",
      default: "parentbased_always_on"
    },
    { name: "OTEL_TRACES_SAMPLER_ARG", meaning: "part of the traces that `traceidratio` keeps, 0 to 1", default: "1" },
    { name: "OTEL_BSP_SCHEDULE_DELAY", meaning: "milliseconds between exports of spans", default: "5000" },
    { name: "OTEL_BLRP_SCHEDULE_DELAY", meaning: "milliseconds between exports of logs", default: "1000" },
    { name: "OTEL_METRIC_EXPORT_INTERVAL", meaning: "milliseconds between exports of metrics", default: "60000" }
  ]
}

const tableOf = (about: string, all: ReadonlyArray<Variable>) =>
  [
    `## ${about}`,
    "",
    "| variable | meaning | default |",
    "| --- | --- | --- |",
    ...all.map((one) => `| \`${one.name}\` | ${one.meaning} | ${one.default ?? ""} |`),
    ""
  ].join("\n")

/** The tables as a document, which Prettier lays out. */
export const document = [
  "# Environment variables",
  "",
  "Made by `npm run --silent cli -- variables > docs/variables.md` and Prettier. A variable that is wrong keeps the service from",
  "starting, and the message says what is expected; one of `OTEL_*`, the endpoint excepted, is said to be wrong and left out.",
  "",
  ...Object.entries(variables).map(([about, all]) => tableOf(about, all))
].join("\n")

/** `tributary variables` */
export const printVariables = Command.make("variables", {}, () => Console.log(document)).pipe(
  Command.withDescription("Print the environment variables as Markdown")
)
