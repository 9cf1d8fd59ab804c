import { html, type Html, type Part } from "./Html.ts"
import type { Visit } from "./Visit.ts"

/** A moment, as ISO 8601 date-time or in milliseconds since 1970. */
export const time = (moment: string | number): Html => {
  const iso = new Date(moment).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}<span class="zone"> UTC</span></time>`
}

/** The day of a moment, as ISO 8601 date-time. */
export const day = (moment: string): Html => html`<time datetime="${moment}">${moment.slice(0, 10)}</time>`

/** A table whose rows become cards on narrow screens; its roles are explicit, since a changed `display` removes them. */
export const table = (
  label: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Part>>
): Html => html`
  <div class="panel">
    <table role="table" aria-label="${label}">
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            (column) =>
              html`<th role="columnheader" scope="col">
                ${column === "" ? html`<span class="unseen">Actions</span>` : column}
              </th>`
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (cells) => html`
            <tr role="row">
              ${cells.map((cell, index) => html`<td role="cell" data-label="${columns[index]}">${cell}</td>`)}
            </tr>
          `
        )}
      </tbody>
    </table>
  </div>
`

/** A message in place of an empty list: why it is empty, and what to do. */
export const empty = (title: string, advice: Part): Html => html`
  <div class="panel empty">
    <p class="name">${title}</p>
    <p class="lede">${advice}</p>
  </div>
`

/** A form that changes something; its token shows that one of our own pages sent it. */
export const form = (visit: Visit, action: string, body: Html, look = "form"): Html => html`
  <form method="post" action="${visit.root}${action}" class="${look}">
    <input type="hidden" name="form_token" value="${visit.session.formToken}" />
    ${body}
  </form>
`

/** A field of a form. `about`: its purpose; `error`: the error in the entered value. */
export const field = (given: {
  readonly name: string
  readonly label: string
  readonly about?: Part
  readonly error?: string | undefined
  readonly optional?: boolean
  /** Its control, which has to include the attributes. */
  readonly control: (attributes: Html) => Html
}): Html => {
  const described = [
    given.about === undefined ? [] : `${given.name}-about`,
    given.error === undefined ? [] : `${given.name}-error`
  ]
    .flat()
    .join(" ")
  const attributes = html`id="${given.name}" name="${given.name}"
  ${described !== "" && html`aria-describedby="${described}"`} ${given.error !== undefined && html`aria-invalid="true"`}`
  return html`
    <div class="field">
      <label for="${given.name}"
        >${given.label} ${given.optional === true && html`<span class="optional">(optional)</span>`}</label
      >
      ${given.control(attributes)}
      ${given.about !== undefined && html`<p class="hint" id="${given.name}-about">${given.about}</p>`}
      ${given.error !== undefined && html`<p class="error" id="${given.name}-error">${given.error}</p>`}
    </div>
  `
}

/** A choice among options, with the chosen one selected. */
export const select = (
  attributes: Html,
  options: ReadonlyArray<readonly [value: string, label: string]>,
  chosen: string | undefined
): Html => html`
  <select ${attributes}>
    ${options.map(
      ([value, label]) => html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`
    )}
  </select>
`

/** A filter by provider or toolkit. */
export const providerFilter = (
  known: ReadonlyArray<{ readonly slug: string; readonly name: string }>,
  chosen: string | undefined
): Html =>
  field({
    name: "provider",
    label: "Provider",
    control: (own) =>
      select(own, [["", "Any provider"], ...known.map(({ name, slug }) => [slug, name] as const)], chosen)
  })

/** Filters of a list, sent as the query, so that every view has an address. */
export const filters = (action: string, controls: Part): Html => html`
  <form method="get" action="${action}" class="filters" role="search">
    ${controls}
    <button type="submit" class="button small outlined">Show</button>
  </form>
`

const copyButton = (text: string, label: string) => html`
  <button type="button" class="copy" hidden data-copy="${text}" data-label="${label}" aria-label="Copy the ${label}">
    ${icon("copy")}
  </button>
`

/** An id with a button that copies it; `label` names its object. */
export const identifier = (text: string, label: string): Html => html`
  <span class="copied"><code class="id" title="${text}">${text}</code>${copyButton(text, label)}</span>
`

/** An id that is a link, with a button that copies it. */
export const linkedIdentifier = (text: string, label: string, address: string): Html => html`
  <span class="copied"
    ><a href="${address}"><code class="id" title="${text}">${text}</code></a
    >${copyButton(text, label)}</span
  >
`

const strokes = {
  copy: "M7 7h9v9H7ZM4 13V4h9",
  check: "m4.5 10.5 3.7 3.7 7.3-8",
  warning: "M10 3.2 17.6 16.4H2.4ZM10 8.2v3.6M10 14v.2"
}

/** A sign beside text that says the same. */
export const icon = (name: keyof typeof strokes): Html =>
  html`<svg viewBox="0 0 20 20" class="icon" aria-hidden="true"><path d="${strokes[name]}" /></svg>`

/** The state of a connection. `ending`: the moment by which it must be connected again, if that is soon. */
export const connectionState = (status: "active" | "needs_reauth", ending: string | undefined): Html => {
  if (status === "needs_reauth") return html`<span class="state warn">${icon("warning")} Needs reconnection</span>`
  return ending === undefined
    ? html`<span class="state good">${icon("check")} Active</span>`
    : html`<span class="state warn">${icon("warning")} Ends ${day(ending)}, reconnect before</span>`
}

/** Links to the other parts of a list: what their queries have besides `query`; false where there is none. */
export const pages = (
  action: string,
  query: { readonly [name: string]: string | undefined },
  previous: false | { readonly [name: string]: string | undefined },
  next: false | { readonly [name: string]: string | undefined }
): Html => {
  const link = (more: { readonly [name: string]: string | undefined }, rel: string, label: string) => {
    const given = new URLSearchParams()
    for (const [name, value = ""] of Object.entries({ ...query, ...more })) if (value !== "") given.set(name, value)
    return html`<a class="button small outlined" rel="${rel}" href="${action}?${given.toString()}">${label}</a>`
  }
  return html`
    <nav class="pages" aria-label="Pages">
      ${previous !== false && link(previous, "prev", "page" in previous ? "Previous" : "First page")}
      ${next !== false && link(next, "next", "Next")}
    </nav>
  `
}
