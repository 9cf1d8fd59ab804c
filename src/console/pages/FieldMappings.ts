import { HttpLayerRouter } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { find } from "../../canonical/Catalogue.ts"
import { FieldMappings } from "../../fieldmappings/FieldMappings.ts"
import { Overrides, type Preview } from "../../fieldmappings/Overrides.ts"
import type { MappingRow } from "../../mapping/Compile.ts"
import { named } from "../../mapping/Transform.ts"
import { type FieldErrors, NotFound, Unprocessable } from "../../platform/Errors.ts"
import { filtersOf } from "../../providers/Filtering.ts"
import type { ProviderAdapter } from "../../providers/ProviderAdapter.ts"
import { Providers } from "../../providers/Providers.ts"
import { html } from "../Html.ts"
import { field, filters, form, select, table } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { permitted, visits } from "../Visits.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({
  provider: Schema.optional(Schema.String),
  resource: Schema.optional(Schema.String)
}).annotations(strict)

/** An override as the form has it; `values` are lines of `native = canonical`. */
const Entered = Schema.Struct({
  intent: Schema.Literal("preview", "save"),
  provider: Schema.String,
  resource: Schema.String,
  field: Schema.String,
  native_field: Schema.String,
  native_type: Schema.optional(Schema.String),
  transform: Schema.optional(Schema.String),
  values: Schema.optional(Schema.String),
  end_user: Schema.optional(Schema.String)
}).annotations(strict)

const Removal = Schema.Struct({
  provider: Schema.String,
  resource: Schema.String,
  field: Schema.String,
  native_type: Schema.optional(Schema.String)
}).annotations(strict)

type Shown = Partial<typeof Entered.Type>

/** The provider and resource that the page shows. */
interface Chosen {
  readonly adapter: ProviderAdapter
  readonly resource: string
  readonly rows: ReadonlyArray<MappingRow>
}

const valuesOf = (lines: string): Either.Either<{ readonly [native: string]: string }, Unprocessable> => {
  const pairs = lines.split(/\r?\n/).filter((line) => line.trim() !== "")
  const wrong = pairs.find((line) => !/^[^=]*[^=\s][^=]*=.*\S/.test(line))
  return wrong === undefined
    ? Either.right(
        Object.fromEntries(
          pairs.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()])
        )
      )
    : Either.left(new Unprocessable({ errors: { values: `"${wrong}" is not in the form: native value = value` } }))
}

const json = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`

const previewOf = ({ after, before, native, row }: Preview) => html`
  <div class="panel preview" role="status">
    <h2>Preview</h2>
    <dl>
      <div>
        <dt>${row.native_field}</dt>
        <dd>${json(native)}</dd>
      </div>
      <div>
        <dt>${row.field} today</dt>
        <dd>${json(before)}</dd>
      </div>
      <div>
        <dt>${row.field} with the override</dt>
        <dd>${json(after)}</dd>
      </div>
    </dl>
    <p class="note">
      ${row.checked ? "The account has this native field." : "Whether the account has this native field could not be checked."}
      ${row.access === "read" && "It can only be read."} Nothing is saved yet.
    </p>
  </div>
`

const overrideForm = (
  visit: Visit,
  { adapter, resource, rows }: Chosen,
  entered: Shown,
  errors: FieldErrors,
  preview: Preview | undefined
) => {
  const types = [...new Set(rows.map(({ native_type }) => native_type))]
  const others = Object.entries(errors).filter(
    ([name]) => !["field", "native_field", "native_type", "transform", "values"].includes(name)
  )
  const input = (name: "field" | "native_field" | "end_user", label: string, about: string, required: boolean) =>
    field({
      name,
      label,
      about,
      optional: !required,
      error: errors[name],
      control: (own) => html`
        <input ${own} value="${entered[name]}" autocomplete="off" spellcheck="false" ${required && html`required`} />
      `
    })
  const isOpen = preview !== undefined || Object.keys(errors).length > 0
  return html`
    <details class="panel" id="override" ${isOpen && html`open`}>
      <summary>Add or change an override</summary>
      ${others.length > 0 && html`<div class="notice bad" role="alert">${others.map(([, text]) => html`<p>${text}</p>`)}</div>`}
      ${preview !== undefined && previewOf(preview)}
      ${form(
        visit,
        "/field-mappings",
        html`
          <input type="hidden" name="provider" value="${adapter.slug}" />
          <input type="hidden" name="resource" value="${resource}" />
          ${input("field", "Field", "A canonical field, or a new name that appears under custom_fields.", true)}
          ${input("native_field", "Native field", `What ${adapter.name} calls it: a name, or a path with dots.`, true)}
          ${
            types.length > 1 &&
            field({
              name: "native_type",
              label: "Native type",
              optional: true,
              error: errors["native_type"],
              control: (own) =>
                select(own, [["", "All of them"], ...types.map((type) => [type, type] as const)], entered.native_type)
            })
          }
          ${field({
            name: "transform",
            label: "Transform",
            optional: true,
            error: errors["transform"],
            control: (own) =>
              select(
                own,
                [["", "The one that fits"], ...[...named.keys()].map((name) => [name, name] as const)],
                entered.transform
              )
          })}
          ${field({
            name: "values",
            label: "Values",
            about: "For a field with a list of values, one a line: native value = value.",
            optional: true,
            error: errors["values"],
            control: (own) => html`<textarea ${own} rows="3" spellcheck="false">${entered.values}</textarea>`
          })}
          ${input("end_user", "End user", "Whose account to look at; empty: that of any active connection.", false)}
          <div class="row-actions">
            <button type="submit" name="intent" value="preview" class="button small outlined">Preview</button>
            <button type="submit" name="intent" value="save" class="button small">Save override</button>
          </div>
        `
      )}
    </details>
  `
}

const rowsView = (visit: Visit, { adapter, resource, rows }: Chosen) =>
  table(
    `Field mappings of ${adapter.name} ${resource}`,
    ["Field", "Native field", "Transform", "Access", ""],
    rows.map((row) => [
      html`<code>${row.field}</code> ${row.source === "override" && html`<span class="tag">override</span>`}`,
      html`<code>${row.native_field}</code> <span class="note">${row.native_type}</span>`,
      row.transform,
      { both: "read and write", read: "read", write: "write" }[row.access],
      row.source === "override" &&
        form(
          visit,
          "/field-mappings/remove",
          html`<input type="hidden" name="provider" value="${adapter.slug}" />
            <input type="hidden" name="resource" value="${resource}" />
            <input type="hidden" name="field" value="${row.field}" />
            <button type="submit" class="button small quiet" aria-label="Remove the override of ${row.field}">
              Remove
            </button>`,
          "inline"
        )
    ])
  )

/** The table of the filters that lists of the resource take. */
const filtersView = ({ adapter, resource }: Chosen) => {
  const declared = find(adapter.category, resource)
  const resourceAdapter = adapter.resources[resource]
  const known =
    declared === undefined || resourceAdapter === undefined ? {} : filtersOf(adapter.slug, declared, resourceAdapter)
  return (
    Object.keys(known).length > 0 &&
    table(
      `Filters of ${adapter.name} ${resource} lists`,
      ["Filter", "Answered by", "Meaning"],
      Object.entries(known).map(([name, support]) => [
        html`<code>${name}</code>`,
        support === "native" ? adapter.name : "the service, which reads on and sifts",
        declared?.filters[name]?.description ?? ""
      ])
    )
  )
}

/** How canonical and native fields correspond, provider by provider, with the organisation's overrides. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const providers = yield* Providers
    const fieldMappings = yield* FieldMappings
    const overrides = yield* Overrides
    const { action, page } = yield* visits

    const adapterOf = (slug: string) => {
      const adapter = providers.get(slug)
      return adapter === undefined
        ? Effect.fail(new NotFound({ code: "PROVIDER_NOT_FOUND", message: `There is no provider ${slug}.` }))
        : Effect.succeed(adapter)
    }

    /** The requested provider and resource, or the first ones; also the first where the resource is not the provider's. */
    const choose = Effect.fnUntraced(function* ({ session }: Visit, { provider, resource }: typeof Query.Type) {
      const [first] = providers.all()
      const adapter = provider === undefined ? first : yield* adapterOf(provider)
      if (adapter === undefined) return undefined
      const names = Object.keys(adapter.resources)
      const chosen = resource !== undefined && names.includes(resource) ? resource : names[0]
      if (chosen === undefined) return undefined
      const rows = yield* fieldMappings.list(session.caller, adapter, chosen)
      // overrides first, since the organisation looks for them
      const isOverride = ({ source }: MappingRow) => source === "override"
      return {
        adapter,
        resource: chosen,
        rows: [...rows.filter(isOverride), ...rows.filter((row) => !isOverride(row))]
      }
    })

    const viewOf = (
      visit: Visit,
      chosen: Chosen | undefined,
      entered: Shown = {},
      errors: FieldErrors = {},
      preview?: Preview
    ) => ({
      title: "Field mappings",
      section: "/field-mappings" as const,
      status: Object.keys(errors).length > 0 ? 422 : 200,
      main: html`
        <h1>Field mappings</h1>
        <p class="lede">
          What the fields of a record are called at the provider. An override is in force on the next call.
        </p>
        ${
          chosen !== undefined &&
          html`
            ${filters(`${visit.root}/field-mappings`, [
              html`<div class="field">
                <label for="chosen-provider">Provider</label>
                ${select(
                  html`id="chosen-provider" name="provider"`,
                  providers.all().map(({ name, slug }) => [slug, name] as const),
                  chosen.adapter.slug
                )}
              </div>`,
              html`<div class="field">
                <label for="chosen-resource">Resource</label>
                ${select(
                  html`id="chosen-resource" name="resource"`,
                  Object.keys(chosen.adapter.resources).map((name) => [name, name.replaceAll("_", " ")] as const),
                  chosen.resource
                )}
              </div>`
            ])}
            ${overrideForm(visit, chosen, entered, errors, preview)} ${rowsView(visit, chosen)} ${filtersView(chosen)}
          `
        }
      `
    })

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/field-mappings",
        page(Query, (visit, query) => Effect.map(choose(visit, query), (chosen) => viewOf(visit, chosen)))
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/field-mappings",
        action(Entered, (visit, entered) =>
          Effect.gen(function* () {
            const { end_user: endUser, intent, values, ...given } = entered
            const adapter = yield* adapterOf(given.provider)
            const asker = { caller: visit.session.caller, endUser, connection: undefined }
            const input = { ...given, ...(values === undefined ? {} : { values: yield* valuesOf(values) }) }
            if (intent === "preview") {
              yield* permitted(visit, "records:read")
              const preview = yield* overrides.preview(asker, adapter, input, undefined)
              return viewOf(visit, yield* choose(visit, given), entered, {}, preview)
            }
            const rows = yield* overrides.put(asker, adapter, input)
            const unchecked = rows.some(({ checked }) => !checked)
            return {
              to: `/field-mappings?${new URLSearchParams({ provider: given.provider, resource: given.resource }).toString()}`,
              notice: {
                kind: "done" as const,
                text: `${given.field} is now made of ${given.native_field}.${unchecked ? " Whether the provider has that field could not be checked." : ""}`
              }
            }
          }).pipe(
            Effect.catchTags({
              Unprocessable: ({ errors }) =>
                Effect.map(choose(visit, entered), (chosen) => viewOf(visit, chosen, entered, errors)),
              // nobody has connected the provider, or the account has nothing to show
              NotFound: ({ message }) =>
                Effect.map(choose(visit, entered), (chosen) => viewOf(visit, chosen, entered, { override: message }))
            })
          )
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/field-mappings/remove",
        action(Removal, ({ session }, { field: name, native_type, provider, resource }) =>
          Effect.gen(function* () {
            yield* fieldMappings.remove(session.caller, yield* adapterOf(provider), resource, name, native_type)
            return {
              to: `/field-mappings?${new URLSearchParams({ provider, resource }).toString()}`,
              notice: { kind: "done" as const, text: `The override of ${name} is removed.` }
            }
          })
        )
      )
    ]
  })
)
