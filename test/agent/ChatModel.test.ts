import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { InProcess } from "../../src/InProcess.ts"
import { SandboxApplication, whileTimePasses } from "../support/SandboxApplication.ts"
import { golden, turn, typesOf, wordsOf } from "./ChatFrames.ts"
import { chattingApplication, FakeModel, promptOf } from "./FakeModel.ts"
import { doc, docs, workspaceOf } from "./McpClient.ts"
import { type EndedSpan, tellingSpans } from "../support/EndedSpans.ts"
import { full } from "../support/Full.ts"

const usage = { usage: { inputTokens: 20, cachedInputTokens: 5, outputTokens: 10 } }

/** Somebody with the help desk, its workspace, and a session. */
const helped = Effect.gen(function* () {
  const caller = yield* (yield* SandboxApplication).caller([])
  yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  const workspace = yield* workspaceOf(caller, { integrations: ["helpdesk"] })
  const session = randomUUID()
  const headers = { "x-session-id": session }
  return { caller, workspace, session, say: (said: string) => turn(caller, workspace, said, headers) }
})

const lastRequest = Effect.map(FakeModel, ({ requests }) => promptOf(requests.at(-1)))

/** After whatever went wrong the conversation goes on. */
const goesOn = ({ say }: Effect.Effect.Success<typeof helped>) =>
  Effect.gen(function* () {
    assert.strictEqual(wordsOf(yield* say("text")), "Hello there.")
    const { said } = yield* lastRequest
    assert.strictEqual(said.at(-1)?.content, "text")
    return said
  })

layer(chattingApplication(), { timeout: "60 seconds" })("what a model does, as frames", (it) => {
  it.effect("text", () =>
    Effect.gen(function* () {
      const { say, session } = yield* helped
      assert.deepStrictEqual(golden(yield* say("text")), [
        { type: "start", messageId: "msg", messageMetadata: { sessionId: session } },
        { type: "start-step" },
        { type: "text-start", id: "id-0" },
        { type: "text-delta", id: "id-0", delta: "Hello " },
        { type: "text-delta", id: "id-0", delta: "there." },
        { type: "text-end", id: "id-0" },
        { type: "finish-step" },
        { type: "finish", finishReason: "stop", messageMetadata: usage }
      ])
    })
  )

  it.effect("JSON, where a schema is asked for, and an error where the model says something else", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const outputSchema = {
        type: "object",
        properties: { answer: { type: "integer" } },
        required: ["answer"],
        additionalProperties: false
      }
      const frames = yield* turn(caller, workspace, { message: "json", outputSchema })
      assert.deepStrictEqual(JSON.parse(wordsOf(frames)), { answer: 42 })
      assert.deepInclude(frames.at(-1), { type: "finish", finishReason: "stop" })
      const { requests } = yield* FakeModel
      const format = doc(requests.at(-1)?.response_format)
      assert.strictEqual(format.type, "json_schema")
      assert.deepInclude(doc(doc(format.json_schema).schema), outputSchema)
      // tools can be called before
      assert.isAbove(docs(requests.at(-1)?.tools).length, 3)

      const words = yield* turn(caller, workspace, { message: "tool", outputSchema })
      assert.include(typesOf(words), "tool-output-available")
      assert.deepStrictEqual(words.at(-1), {
        type: "error",
        errorText: "The model did not answer with a JSON object, as outputSchema asks."
      })
      yield* turn(caller, workspace, "text")
      assert.notProperty(requests.at(-1), "response_format")
    })
  )

  it.effect("a tool call, streamed, its answer, and words", () =>
    Effect.gen(function* () {
      const { say, session } = yield* helped
      const frames = yield* say("tool")
      const input = { queries: ["get ticket"], limit: 1 }
      assert.deepStrictEqual(golden(frames, "output"), [
        { type: "start", messageId: "msg", messageMetadata: { sessionId: session } },
        { type: "start-step" },
        {
          type: "tool-input-start",
          toolCallId: "call_0",
          toolName: "search_tools",
          dynamic: true,
          title: "Search tools"
        },
        { type: "tool-input-delta", toolCallId: "call_0", inputTextDelta: JSON.stringify(input) },
        {
          type: "tool-input-available",
          toolCallId: "call_0",
          toolName: "search_tools",
          input,
          dynamic: true,
          title: "Search tools"
        },
        { type: "tool-output-available", toolCallId: "call_0", dynamic: true },
        { type: "finish-step" },
        { type: "start-step" },
        { type: "text-start", id: "id-0" },
        { type: "text-delta", id: "id-0", delta: "Found." },
        { type: "text-end", id: "id-0" },
        { type: "finish-step" },
        {
          type: "finish",
          finishReason: "stop",
          messageMetadata: { usage: { inputTokens: 40, cachedInputTokens: 10, outputTokens: 20 } }
        }
      ])
      const output = doc(frames.find(({ type }) => type === "tool-output-available")?.output)
      assert.strictEqual(docs(docs(output.results)[0]?.tools)[0]?.name, "helpdesk_get_ticket")
    })
  )

  it.effect("a tool that fails is told in words, and the model gets all of it", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say('call helpdesk_fail {"reason":"down"}')
      const failed = frames.find(({ type }) => type === "tool-output-error")
      assert.match(String(failed?.errorText), /helpdesk/)
      assert.notMatch(String(failed?.errorText), /[{}]/)
      assert.strictEqual(wordsOf(frames), "Done.")
      const { said } = yield* lastRequest
      assert.deepInclude(doc(doc(JSON.parse(String(said.at(-1)?.content))).error), {
        code: "provider_error",
        status: 418
      })
      yield* goesOn(all)
    })
  )

  it.effect("a tool that dies says nothing of why", () =>
    Effect.gen(function* () {
      const { say } = yield* helped
      const frames = yield* say('call helpdesk_fail {"reason":"die"}')
      assert.notInclude(JSON.stringify(frames), "secret inside")
      assert.include(typesOf(frames), "tool-output-error")
    })
  )

  it.effect("a tool that there is not is answered with those that are meant", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say('call helpdesk_fetch_ticket {"id":"1"}')
      const names = frames.filter(({ type }) => type === "tool-input-available").map(({ toolName }) => toolName)
      assert.deepStrictEqual(names, ["execute_read_tools"])
      assert.isTrue(
        frames
          .filter(({ type }) => String(type).startsWith("tool-input-"))
          .every(({ dynamic, type }) => dynamic === true || type === "tool-input-delta")
      )
      const { said } = yield* lastRequest
      const answer = doc(JSON.parse(String(said.at(-1)?.content)))
      assert.include(JSON.stringify(doc(docs(answer.results)[0]?.error).did_you_mean), "helpdesk_get_ticket")
      yield* goesOn(all)
    })
  )

  it.effect("names in the model's own way reach the tool that is meant, listed or not", () =>
    Effect.gen(function* () {
      const { caller, say } = yield* helped
      const outputs = (frames: Effect.Effect.Success<ReturnType<typeof say>>) =>
        frames.filter(({ type }) => type === "tool-output-available").map(({ output }) => doc(output))
      const [own] = outputs(yield* say('call functions.Helpdesk-Get-Ticket {"id":"7"}'))
      assert.deepInclude(doc(own?.content), { id: "7" })
      const large = yield* workspaceOf(caller)
      const [unlisted] = outputs(yield* turn(caller, large, 'call helpdesk_get_ticket {"id":"8"}'))
      assert.deepInclude(doc(doc(docs(unlisted?.results)[0]?.output).content), { id: "8" })
    })
  )

  it.effect("arguments that are text are read as what they say", () =>
    Effect.gen(function* () {
      const { say } = yield* helped
      const frames = yield* say(`call helpdesk_get_ticket ${JSON.stringify('{"id":"9"}')}`)
      assert.deepStrictEqual(frames.find(({ type }) => type === "tool-input-available")?.input, { id: "9" })
      const output = doc(frames.find(({ type }) => type === "tool-output-available")?.output)
      assert.deepInclude(doc(output.content), { id: "9" })
    })
  )

  it.effect("arguments that are no JSON, or no object, are an error of the call, and the model goes on", () =>
    Effect.gen(function* () {
      const all = yield* helped
      for (const args of ['{"id": "1', "[1]", '"no"']) {
        const frames = yield* all.say(`call helpdesk_get_ticket ${args}`)
        assert.includeMembers(typesOf(frames), ["tool-input-error", "tool-output-error"])
        assert.strictEqual(wordsOf(frames), "Done.", args)
      }
      yield* goesOn(all)
    })
  )

  it.effect("wrong arguments come back with what would be right", () =>
    Effect.gen(function* () {
      const { say } = yield* helped
      assert.strictEqual(wordsOf(yield* say('call helpdesk_get_ticket {"nr":1}')), "Done.")
      const { said } = yield* lastRequest
      const error = doc(doc(JSON.parse(String(said.at(-1)?.content))).error)
      assert.deepInclude(error, { code: "invalid_arguments" })
      assert.hasAllKeys(error.errors, ["id", "nr"])
      assert.isDefined(error.input_schema)
    })
  )

  it.effect("an answer of 50 MB reaches nobody whole", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say('call helpdesk_get_ticket {"id":"1","size":52428800}')
      assert.isBelow(JSON.stringify(frames).length, 100_000)
      assert.deepInclude(doc(frames.find(({ type }) => type === "tool-output-available")?.output), { truncated: true })
      yield* goesOn(all)
    })
  )

  it.effect("a model that repeats a failing call has to answer after the third", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say("circles")
      assert.lengthOf(
        frames.filter(({ type }) => type === "tool-output-error"),
        3
      )
      assert.strictEqual(wordsOf(frames), "I give up.")
      yield* goesOn(all)
    })
  )

  full(it).effect("a turn calls tools 20 times at most, the ones that find others too, and then has to answer", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say("crowd 25")
      const count = (type: string) => frames.filter((frame) => frame.type === type).length
      assert.deepStrictEqual([count("tool-output-available"), count("tool-output-error")], [20, 5])
      const refused = frames.find(({ type }) => type === "tool-output-error")
      assert.match(String(refused?.errorText), /20 times at most/)
      assert.strictEqual(wordsOf(frames), "Enough.")
      assert.match((yield* lastRequest).system, /used up its calls of tools\. Call no more tools/)
      yield* goesOn(all)
      // what a turn has used up is its own
      assert.strictEqual((yield* all.say("crowd 19")).filter(({ type }) => type === "tool-output-error").length, 18)
    })
  )

  it.effect("in its last step a model has to answer", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say("steps")
      assert.lengthOf(
        frames.filter(({ type }) => type === "start-step"),
        8
      )
      assert.strictEqual(wordsOf(frames), "That is all.")
      assert.match((yield* lastRequest).system, /answer now/)
      yield* goesOn(all)
    })
  )

  it.effect("a model that calls tools for ever is ended", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say("loop")
      assert.lengthOf(
        frames.filter(({ type }) => type === "tool-output-available"),
        7
      )
      assert.match(String(frames.find(({ type }) => type === "error")?.errorText), /tools/)
      yield* goesOn(all)
    })
  )

  full(it).effect("a model that falls silent is ended after a minute, and what it said is kept", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { open } = yield* FakeModel
      for (const [scenario, words] of [
        ["stall", "One moment"],
        ["silent", ""]
      ] as const) {
        const frames = yield* whileTimePasses(61_000)(all.say(scenario))
        assert.strictEqual(wordsOf(frames), words)
        assert.strictEqual(
          frames.find(({ type }) => type === "error")?.errorText,
          "The model was silent for 60 seconds.",
          scenario
        )
      }
      const said = yield* goesOn(all)
      assert.include(JSON.stringify(said), "One moment")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))
      assert.strictEqual(open(), 0)
    })
  )

  it.effect("a model that dies in mid-sentence, or says nothing", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { requests } = yield* FakeModel
      const before = requests.length
      const frames = yield* all.say("dies")
      assert.strictEqual(wordsOf(frames), "The answer is")
      assert.strictEqual(frames.find(({ type }) => type === "error")?.errorText, "The model's answer broke off.")
      // what has begun is not begun again
      assert.lengthOf(requests.slice(before), 1)
      assert.include(JSON.stringify(yield* goesOn(all)), "The answer is")
      assert.strictEqual((yield* all.say("empty")).filter(({ type }) => type === "error").length, 1)
      yield* goesOn(all)
    })
  )

  it.effect("a busy model is asked again before it has begun", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { requests } = yield* FakeModel
      assert.strictEqual(wordsOf(yield* all.say("once")), "Now.")
      const before = requests.length
      const frames = yield* all.say("limited")
      assert.lengthOf(requests.slice(before), 3)
      assert.deepStrictEqual(golden(frames, "messageMetadata"), [
        { type: "start", messageId: "msg" },
        { type: "error", errorText: "The model is used too much at the moment. Try again later." }
      ])
      yield* goesOn(all)
    })
  )

  it.effect("what the model's provider says of keys is not passed on", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const frames = yield* all.say("key")
      assert.notInclude(JSON.stringify(frames), "secret")
      assert.match(String(frames.at(-1)?.errorText), /credentials/)
      yield* goesOn(all)
    })
  )
})

layer(chattingApplication({ AGENT_MAX_STEPS: "1", LLM_MAX_TOKENS: "77" }), { timeout: "60 seconds" })(
  "settings",
  (it) => {
    it.effect("one step is one answer without tools, of so many tokens", () =>
      Effect.gen(function* () {
        const { say } = yield* helped
        assert.strictEqual(wordsOf(yield* say("steps")), "That is all.")
        const { requests } = yield* FakeModel
        assert.deepInclude(doc(requests.at(-1)), { max_tokens: 77, model: "fake", tool_choice: "none" })
      })
    )
  }
)

/** Spans as they end: their names, and all that they hold. */
const spans: Array<EndedSpan> = []

const tracer = tellingSpans((span) => void spans.push(span))

layer(Layer.provide(chattingApplication(), Layer.setTracer(tracer)), { timeout: "60 seconds" })(
  "what is traced",
  (it) => {
    it.effect("calls of the model and of tools, with nothing of what is said", () =>
      Effect.gen(function* () {
        const { say, session, workspace } = yield* helped
        yield* say('call helpdesk_get_ticket {"id":"treasure"}')
        const called = spans.filter(({ attributes }) => "gen_ai.operation.name" in attributes)
        assert.deepStrictEqual(
          called.map(({ name }) => name),
          ["chat fake", "execute_tool helpdesk_get_ticket", "chat fake"]
        )
        assert.deepStrictEqual(called[0]?.attributes, {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai-compatible",
          "gen_ai.request.model": "fake",
          "gen_ai.conversation.id": session,
          "gen_ai.response.finish_reasons": ["tool-calls"],
          "gen_ai.usage.input_tokens": 20,
          "gen_ai.usage.cache_read.input_tokens": 5,
          "gen_ai.usage.cache_creation.input_tokens": undefined,
          "gen_ai.usage.output_tokens": 10
        })
        assert.deepStrictEqual(called[1]?.attributes, {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "helpdesk_get_ticket",
          "gen_ai.tool.type": "extension",
          "gen_ai.agent.id": workspace
        })
        const all = JSON.stringify(spans)
        assert.notMatch(all, /treasure|Printer|Done\.|sk-secret/)
      })
    )
  }
)
