// A page with the stock `useChat` of whichever major of the AI SDK it is bundled with. `settings` are the test's.
import { useChat } from "@ai-sdk/react"
import * as ai from "ai"
import { useEffect } from "react"
import { createRoot } from "react-dom/client"

const { id, ...transport } = window.settings

/** The conversation as this tab keeps it, for when it is loaded again. */
const kept = () => JSON.parse(sessionStorage.getItem(id) ?? "[]")

const Tool = ({ part, answer }) => (
  <section className={part.state}>
    <pre>{JSON.stringify(part.input)}</pre>
    {part.state === "approval-requested" && (
      <>
        <button onClick={() => answer({ id: part.approval.id, approved: true })}>Approve</button>
        <button onClick={() => answer({ id: part.approval.id, approved: false })}>Refuse</button>
      </>
    )}
    <output>{part.errorText ?? JSON.stringify(part.output)}</output>
  </section>
)

const Page = () => {
  const chat = useChat({
    id,
    messages: kept(),
    transport: new ai.DefaultChatTransport(transport),
    // ai 5 has none, nor what it waits for
    sendAutomaticallyWhen: ai["lastAssistantMessageIsCompleteWithApprovalResponses"]
  })
  const { addToolApprovalResponse, error, messages, sendMessage, status } = chat
  useEffect(() => sessionStorage.setItem(id, JSON.stringify(messages)), [messages])
  // for the tests that forge
  window.chat = chat
  const say = (event) => {
    event.preventDefault()
    sendMessage({ text: new FormData(event.target).get("text") })
    event.target.reset()
  }
  return (
    <main>
      {messages.map((message) => (
        <article key={message.id} className={message.role} title={message.metadata?.sessionId}>
          {message.parts.map((part, index) =>
            part.type === "text" ? (
              <p key={index}>{part.text}</p>
            ) : part.type === "dynamic-tool" || part.type.startsWith("tool-") ? (
              <Tool key={index} part={part} answer={addToolApprovalResponse} />
            ) : null
          )}
        </article>
      ))}
      <p role="status">{status}</p>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={say}>
        <input name="text" aria-label="Message" />
        <button>Send</button>
      </form>
    </main>
  )
}

createRoot(document.querySelector("#root")).render(<Page />)
