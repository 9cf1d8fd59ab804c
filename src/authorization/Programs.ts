import { html, type Html } from "../console/Html.ts"

/** Where people add the address of a workspace to the programs that they use. */
const programs: ReadonlyArray<{ readonly name: string; readonly where: (address: string) => Html }> = [
  { name: "Claude (web, desktop)", where: () => html`Settings, Connectors, Add custom connector` },
  {
    name: "Claude Code",
    where: (address) => html`<code>claude mcp add --transport http tools ${address}</code>, then <code>/mcp</code>`
  },
  { name: "ChatGPT", where: () => html`Settings, Apps &amp; Connectors, Advanced: developer mode, Create` },
  {
    name: "Cursor",
    where: (address) =>
      html`<code>.cursor/mcp.json</code>: <code>${JSON.stringify({ mcpServers: { tools: { url: address } } })}</code>`
  },
  { name: "VS Code", where: () => html`the command MCP: Add Server, HTTP` },
  { name: "Others, by standard input", where: (address) => html`<code>npx mcp-remote ${address}</code>` }
]

/** Shows an end user how to let another program use a workspace: all that it needs is the address. */
export const howToAdd = (address: string) => html`
  <details>
    <summary>Let another program in</summary>
    <p class="note">Give it this address, and no key; it asks you here: <code>${address}</code></p>
    <dl class="facts">
      ${programs.map(
        ({ name, where }) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${where(address)}</dd>
          </div>`
      )}
    </dl>
  </details>
`
