import { assert, it as plain, layer } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Layer, Logger, LogLevel } from "effect"
import { randomUUID } from "node:crypto"
import { All as Everything } from "../../src/All.ts"
import { LanguageModel } from "../../src/agent/LanguageModel.ts"
import { InProcess } from "../../src/InProcess.ts"
import { type Doc, SandboxApplication, whileTimePasses } from "../support/SandboxApplication.ts"
import { anthropic } from "./AnthropicWire.ts"
import { messageOf, turn, typesOf, wordsOf } from "./ChatFrames.ts"
import { doc, workspaceOf } from "./McpClient.ts"
import { answeredBy, apiKey, ModelServer, type Trouble, type Wire } from "./ModelWire.ts"
import { openai } from "./OpenAiWire.ts"
import { seen } from "./TestToolkit.ts"
import { tellingSpans } from "../support/EndedSpans.ts"

/** All that is logged and traced, as text. */
const told: Array<string> = []

const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.make(({ annotations, cause, message }) => {
    told.push(JSON.stringify([message, [...annotations], Cause.pretty(cause)]))
  })
)

const tracer = tellingSpans((span) => void told.push(JSON.stringify(span)))

const observed = (wire: Wire, config?: { readonly [name: string]: string }) =>
  answeredBy(wire, config).pipe(
    Layer.provide(Layer.mergeAll(logger, Logger.minimumLogLevel(LogLevel.All), Layer.setTracer(tracer)))
  )

/** Somebody with the help desk, its workspace, and a session. */
const helped = Effect.gen(function* () {
  const caller = yield* (yield* SandboxApplication).caller([])
  yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  const workspace = yield* workspaceOf(caller, { integrations: ["helpdesk"] })
  const headers = { "x-session-id": randomUUID() }
  const server = yield* ModelServer
  const before = server.mistakes.length
  return {
    caller,
    workspace,
    server,
    say: (body: Doc | string) => turn(caller, workspace, body, headers),
    /** Errors that its server found in requests. */
    mistakes: () => server.mistakes.slice(before),
    /** The last request to the model. */
    last: Effect.sync(() => {
      const body = server.requests.at(-1)?.body ?? {}
      return { body, ...server.wire.read(body) }
    })
  }
})

type Helped = Effect.Effect.Success<typeof helped>

/** After whatever happened the conversation goes on, and the model's server finds nothing wrong with it. */
const goesOn = ({ last, mistakes, say }: Helped) =>
  Effect.gen(function* () {
    assert.strictEqual(wordsOf(yield* say("text")), "Hello there 👋.")
    assert.deepStrictEqual(mistakes(), [])
    return yield* last
  })

const errorsOf = (frames: ReadonlyArray<Doc>) =>
  frames.flatMap(({ errorText, type }) => (type === "error" ? [String(errorText)] : []))

const finishOf = (frames: ReadonlyArray<Doc>) => frames.find(({ type }) => type === "finish")?.finishReason

/** The message to the user, and the number of requests to the model. */
const troubles: { readonly [T in Trouble]: readonly [words: RegExp, attempts: number] } = {
  key: [/refused this service's credentials.*LLM_API_KEY/, 1],
  model: [/no such model.*LLM_MODEL/, 1],
  busy: [/used too much at the moment/, 3],
  overloaded: [/has a failure. Try again later/, 3],
  down: [/has a failure. Try again later/, 3],
  tooLong: [/too long/, 1]
}

plain.effect("a key that no header takes is refused without being shown", () =>
  Effect.gen(function* () {
    for (const LLM_PROVIDER of ["anthropic", "openai", "openai-compatible"]) {
      for (const LLM_API_KEY of ["sk secret", "sk-sécret", " "]) {
        const config = { LLM_PROVIDER, LLM_API_KEY, LLM_MODEL: "m", LLM_BASE_URL: "http://localhost:1/v1" }
        const configured = Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(config))))
        const failed = yield* Effect.flip(Effect.scoped(Layer.build(Layer.provide(LanguageModel.layer, configured))))
        assert.match(String(failed), /LLM_API_KEY.*Expected a key/)
        assert.notMatch(String(failed), /s[eé]cret/)
      }
    }
  })
)

for (const wire of [anthropic, openai]) {
  layer(observed(wire), { timeout: "60 seconds" })(`the wire of ${wire.provider}`, (it) => {
    it.effect("text, asked for as the provider wants it", () =>
      Effect.gen(function* () {
        const { caller, last, server, workspace } = yield* helped
        const frames = yield* turn(caller, workspace, { message: "text", context: "The user is Ada." })
        assert.strictEqual(wordsOf(frames), "Hello there 👋.")
        assert.deepInclude(frames.at(-1), {
          type: "finish",
          finishReason: "stop",
          messageMetadata: { usage: { inputTokens: 20, cachedInputTokens: 15, outputTokens: 10 } }
        })
        assert.deepStrictEqual(server.mistakes, [])
        const { body, system, tools } = yield* last
        // what the conversation begins with is cached by the provider
        if (wire === anthropic) assert.deepStrictEqual(body.cache_control, { type: "ephemeral" })
        else assert.match(String(body.prompt_cache_key), /^[0-9a-f-]{36}$/)
        assert.isTrue(system.startsWith("The user is Ada.\n\nYou are an agent"))
        assert.includeMembers(
          tools.map(({ name }) => name),
          ["search_tools", "execute_read_tools", "execute_tools", "manage_connections", "helpdesk_get_ticket"]
        )
      })
    )

    it.effect("a schema of the answer, as the provider wants it", () =>
      Effect.gen(function* () {
        const { caller, last, server, workspace } = yield* helped
        const outputSchema = {
          type: "object",
          properties: { answer: { type: "string" } },
          required: ["answer"],
          additionalProperties: false
        }
        const frames = yield* turn(caller, workspace, { message: "text", outputSchema })
        assert.match(errorsOf(frames).join(), /did not answer with a JSON object/)
        assert.deepStrictEqual(server.mistakes, [])
        const { body, tools } = yield* last
        const asked = wire === anthropic ? doc(body.output_config).format : doc(body.text).format
        assert.deepInclude(doc(asked), { type: "json_schema", schema: outputSchema })
        assert.isAbove(tools.length, 3)
      })
    )

    it.effect("a tool call and its answer go back in the wire's own form", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const frames = yield* all.say("tool")
        assert.strictEqual(wordsOf(frames), "Let me look.Found.")
        const { calls, results, step } = yield* all.last
        assert.strictEqual(step, 1)
        assert.lengthOf(results, 1)
        const [call] = calls
        if (call === undefined) return assert.fail("no call")
        assert.strictEqual(call.name, "search_tools")
        const args: unknown = typeof call.args === "string" ? JSON.parse(call.args) : call.args
        assert.deepStrictEqual(args, { queries: ["get ticket"], limit: 1 })
        assert.strictEqual(results[0]?.id, call.id)
        assert.include(results[0]?.answer ?? "", "helpdesk_get_ticket")
        yield* goesOn(all)
      })
    )

    it.effect("calls at the same time are answered each", () =>
      Effect.gen(function* () {
        const all = yield* helped
        assert.strictEqual(wordsOf(yield* all.say("both")), "Both.")
        const { calls, results } = yield* all.last
        assert.lengthOf(new Set(calls.map(({ id }) => id)), 2)
        assert.sameMembers(
          results.map(({ id }) => id),
          calls.map(({ id }) => id)
        )
        yield* goesOn(all)
      })
    )

    it.effect("what a model thinks goes back as it was, in the turn and in the next", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const frames = yield* all.say("think")
        assert.include(typesOf(frames), "reasoning-delta")
        assert.strictEqual(wordsOf(frames), "Thought.")
        assert.include(JSON.stringify((yield* all.last).body), "ed Which tool is it?")
        const { body } = yield* goesOn(all)
        assert.include(JSON.stringify(body), "ed Which tool is it?")
      })
    )

    it.effect("thoughts that led to nothing are not sent again", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const frames = yield* all.say("muse")
        assert.include(typesOf(frames), "reasoning-delta")
        assert.lengthOf(errorsOf(frames), 1)
        yield* goesOn(all)
      })
    )

    it.effect("arguments that are no JSON, or no object, are an error of the call, and the conversation goes on", () =>
      Effect.gen(function* () {
        const all = yield* helped
        for (const args of ['{"id": "1', "[1]", '"no"', "7", "null"]) {
          const frames = yield* all.say(`call helpdesk_get_ticket ${args}`)
          assert.include(typesOf(frames), "tool-output-error", args)
          assert.strictEqual(wordsOf(frames), "Done.", args)
        }
        yield* goesOn(all)
      })
    )

    it.effect("wrong arguments come back with what would be right", () =>
      Effect.gen(function* () {
        const all = yield* helped
        assert.strictEqual(wordsOf(yield* all.say('call helpdesk_get_ticket {"nr":1}')), "Done.")
        const [result] = (yield* all.last).results
        assert.include(result?.answer ?? "", "input_schema")
        yield* goesOn(all)
      })
    )

    it.effect("a tool that there is not is answered with those that are meant", () =>
      Effect.gen(function* () {
        const all = yield* helped
        for (const name of ["helpdesk_fetch_ticket", "functions.helpdesk:fetch_ticket!", "x".repeat(300)]) {
          const frames = yield* all.say(`call ${name} {"id":"1"}`)
          assert.strictEqual(wordsOf(frames), "Done.", JSON.stringify([frames, all.mistakes()]))
        }
        assert.include(typesOf(yield* all.say('call helpdesk-fetch-ticket {"id":"1"}')), "tool-output-error")
        const { results } = yield* all.last
        assert.include(results[0]?.answer ?? "", "unknown_tool")
        yield* goesOn(all)
      })
    )

    it.effect("in its last step the model keeps its tools and may not call them", () =>
      Effect.gen(function* () {
        const all = yield* helped
        assert.strictEqual(wordsOf(yield* all.say("for ever")), "That is all.")
        const { mayNotCall, system, tools } = yield* all.last
        assert.isTrue(mayNotCall)
        assert.isNotEmpty(tools)
        assert.match(system, /answer now/)
        yield* goesOn(all)
      })
    )

    it.effect("what is approved is done once, what is declined is not, and the model is told of both", () =>
      Effect.gen(function* () {
        const all = yield* helped
        for (const approved of [true, false]) {
          const id = randomUUID()
          const user = {
            id: randomUUID(),
            role: "user",
            parts: [{ type: "text", text: `call helpdesk_close_ticket {"id":"${id}"}` }]
          }
          const asked = yield* all.say({ messages: [user], toolApproval: "writes" })
          assert.include(typesOf(asked), "tool-approval-request")
          assert.notInclude(seen.written, id)
          const message = yield* messageOf(asked, approved)
          const answered = yield* all.say({ messages: [user, message], toolApproval: "writes" })
          assert.strictEqual(wordsOf(answered), "Done.")
          assert.strictEqual(seen.written.includes(id), approved)
          const { results } = yield* all.last
          assert.match(results[0]?.answer ?? "", approved ? /"closed":true/ : /denied/)
          // the session keeps it in a form that the model's server takes
          yield* goesOn(all)
        }
      })
    )

    it.effect("a question that was left behind does not stop the conversation", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const message = 'call helpdesk_close_ticket {"id":"left"}'
        assert.include(typesOf(yield* all.say({ message, toolApproval: "writes" })), "tool-approval-request")
        yield* goesOn(all)
        assert.notInclude(seen.written, "left")
      })
    )

    it.effect("an answer at the limit of tokens says so, also within a call", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const short = yield* all.say("short")
        assert.strictEqual(wordsOf(short), "The answer ")
        assert.strictEqual(finishOf(short), "length")
        const halfway = yield* all.say("halfway")
        assert.include(typesOf(halfway), "tool-output-error")
        yield* goesOn(all)
      })
    )

    it.effect("a refusal is told, and does not stand in the way of what is said next", () =>
      Effect.gen(function* () {
        const all = yield* helped
        for (const said of ["refused", "nothing"]) {
          const frames = yield* all.say(said)
          assert.strictEqual(finishOf(frames), "content-filter")
          assert.match(errorsOf(frames).join(), /declined/)
          // providers refuse as long as what they refused is there
          assert.notInclude(JSON.stringify((yield* goesOn(all)).body), `"${said}"`)
        }
      })
    )

    it.effect("an error within an answer, or an end in mid-sentence, is told once; what was said is kept", () =>
      Effect.gen(function* () {
        for (const scenario of ["fails", "dies"]) {
          const all = yield* helped
          const before = all.server.requests.length
          const frames = yield* all.say(scenario)
          assert.strictEqual(wordsOf(frames), "The answer is", scenario)
          assert.deepStrictEqual(errorsOf(frames), ["The model's answer broke off."])
          assert.lengthOf(all.server.requests.slice(before), 1)
          assert.include(JSON.stringify((yield* goesOn(all)).body), "The answer is")
        }
      })
    )

    it.effect("a model that falls silent is ended after a minute", () =>
      Effect.gen(function* () {
        const all = yield* helped
        const frames = yield* whileTimePasses(61_000)(all.say("stall"))
        assert.strictEqual(wordsOf(frames), "One moment")
        assert.deepStrictEqual(errorsOf(frames), ["The model was silent for 60 seconds."])
        yield* goesOn(all)
      })
    )

    it.effect("trouble before an answer is told in words of ours, and is passed over where it passes", () =>
      Effect.gen(function* () {
        const all = yield* helped
        for (const [trouble, [words, attempts]] of Object.entries(troubles)) {
          const before = all.server.requests.length
          const frames = yield* all.say(trouble)
          assert.match(errorsOf(frames).join(), words, trouble)
          assert.lengthOf(errorsOf(frames), 1)
          assert.lengthOf(all.server.requests.slice(before), attempts, trouble)
        }
        for (const said of ["busy once", "overloaded once", "down once"]) {
          assert.strictEqual(wordsOf(yield* all.say(`${said} ${randomUUID()}`)), "Now.")
        }
        yield* goesOn(all)
      })
    )

    it.effect("nothing of the key, nor of what is said, is logged, traced or told", () =>
      Effect.gen(function* () {
        const { caller, say, workspace } = yield* helped
        told.length = 0
        const secret = "treasure"
        const frames = []
        for (const said of [...Object.keys(troubles), "fails", "dies", "refused", `call helpdesk_get_ticket "x"`]) {
          frames.push(...(yield* say(`${said} ${secret}`)))
        }
        frames.push(...(yield* turn(caller, workspace, "text")))
        assert.isTrue(told.some((line) => line.includes("the model failed")))
        assert.isTrue(told.some((line) => line.includes("gen_ai.operation.name")))
        assert.deepStrictEqual(
          told.filter((line) => line.includes(apiKey) || line.includes(secret)),
          []
        )
        assert.notInclude(JSON.stringify(frames), apiKey)
      })
    )
  })

  layer(answeredBy(wire, { LLM_MAX_TOKENS: "77" }, Everything), { timeout: "60 seconds" })(
    `all of it with ${wire.provider}`,
    (it) => {
      it.effect("the most tokens of an answer", () =>
        Effect.gen(function* () {
          const caller = yield* (yield* SandboxApplication).caller([])
          const { requests } = yield* ModelServer
          yield* turn(caller, yield* workspaceOf(caller), "text")
          const { max_output_tokens, max_tokens } = requests.at(-1)?.body ?? {}
          assert.strictEqual(max_output_tokens ?? max_tokens, 77)
        })
      )

      it.effect("every workspace's tools are ones the provider takes", () =>
        Effect.gen(function* () {
          const caller = yield* (yield* SandboxApplication).caller([])
          const server = yield* ModelServer
          const listed = new Set<string>()
          for (const integrations of [
            undefined,
            ["github"],
            ["gmail"],
            ["jira"],
            ["linear"],
            ["notion"],
            ["postgres"]
          ]) {
            const workspace = yield* workspaceOf(caller, integrations === undefined ? {} : { integrations })
            assert.deepStrictEqual(errorsOf(yield* turn(caller, workspace, "text")), [])
            for (const { name } of server.wire.read(server.requests.at(-1)?.body ?? {}).tools) listed.add(name)
          }
          assert.deepStrictEqual(server.mistakes, [])
          assert.includeMembers([...listed], ["notion_search", "postgres_query"])
        })
      )
    }
  )
}
