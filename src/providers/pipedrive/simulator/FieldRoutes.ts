import { Either } from "effect"
import type { Route } from "../../simulation/Simulator.ts"
import { failure, idIn, listIn, ok, queryOf, refuse } from "./Answers.ts"
import { counts } from "./Counts.ts"
import { entities, type Entity, type Field } from "./Entities.ts"
import { datetime, integer, text } from "./Kinds.ts"
import { v1, v2 } from "./Limits.ts"
import { cursorPage, cursorParameters, offsetPage, offsetParameters } from "./Paging.ts"

// Descriptions of fields: https://developers.pipedrive.com/docs/api/v1/PersonFields

const isCustom = ({ code }: Field) => /^[0-9a-f]{40}$/.test(code)

const fieldsOf = (entity: Entity) => [...entity.fields, ...(entity.customFields ?? [])]

/** Subfields, such as the currency of an amount. */
const subfields = ({ kind, name }: Field) =>
  kind.parts === undefined || !["address", "monetary", "daterange", "time", "timerange"].includes(kind.type)
    ? null
    : kind.parts.map((part) => ({
        field_code: part,
        field_name: `${part.replace(/_/g, " ")} of ${name}`,
        field_type: kind.type === "monetary" && part === "value" ? "double" : "varchar"
      }))

const v2View = (field: Field, include: ReadonlyArray<string>) => ({
  field_name: field.name,
  field_code: field.code,
  field_type: field.kind.type,
  options: field.kind.options ?? null,
  subfields: subfields(field),
  is_custom_field: isCustom(field),
  is_optional_response_field: field.isOptional === true,
  ...(include.includes("ui_visibility")
    ? { ui_visibility: { add_visible_flag: field.writes !== undefined, details_visible_flag: true } }
    : {}),
  ...(include.includes("important_fields") ? { important_fields: { enabled: false, stage_ids: [] } } : {}),
  ...(include.includes("required_fields") ? { required_fields: { enabled: field.isRequired === true } } : {})
})

const v1View = (field: Field, index: number) => ({
  id: 4001 + index,
  key: field.code,
  name: field.name,
  order_nr: index + 1,
  field_type: field.kind.type,
  add_time: "2021-03-08 09:30:00",
  update_time: "2021-03-08 09:30:00",
  last_updated_by_user_id: null,
  created_by_user_id: null,
  active_flag: true,
  edit_flag: isCustom(field),
  index_visible_flag: true,
  details_visible_flag: true,
  add_visible_flag: field.writes !== undefined,
  important_flag: false,
  bulk_edit_allowed: field.writes === "always",
  searchable_flag: false,
  filtering_allowed: true,
  sortable_flag: true,
  ...(field.kind.options === undefined ? {} : { options: field.kind.options }),
  mandatory_flag: field.isRequired === true
})

const namespaces = ["ui_visibility", "important_fields", "required_fields"]

/** Fields that are worked out when a request includes them. */
const countedOf = (entity: Entity): ReadonlyArray<Field> =>
  Object.keys(counts[entity.name]).map((code) => ({
    code,
    name: code.replaceAll("_", " "),
    kind: code.endsWith("_time") ? datetime : code === "smart_bcc_email" ? text() : integer(),
    initial: null,
    isOptional: true
  }))

const v2Routes = (path: string, entity: Entity) => {
  const fields = [...fieldsOf(entity), ...countedOf(entity)]
  return [
    v2("GET", path, 10, (request) =>
      Either.gen(function* () {
        const query = yield* queryOf(request, ["include_fields", ...cursorParameters])
        const include = (yield* listIn(query, "include_fields", namespaces.length)) ?? []
        if (include.some((name) => !namespaces.includes(name))) {
          return yield* refuse("include_fields", `must be one of [${namespaces.join(", ")}]`)
        }
        const all = fields.map((field) => v2View(field, include))
        const { next_cursor, slice } = yield* cursorPage(query, all, ["field_code"])
        return ok(slice, { next_cursor })
      })
    ),
    v2("GET", `${path}/:field_code`, 1, (request) =>
      Either.gen(function* () {
        const query = yield* queryOf(request, ["include_fields"])
        const include = (yield* listIn(query, "include_fields", namespaces.length)) ?? []
        const field = fields.find(({ code }) => code === request.params.field_code)
        return field === undefined
          ? yield* Either.left(failure(404, "The field is not found"))
          : ok(v2View(field, include))
      })
    )
  ]
}

const v1Routes = (path: string, fields: ReadonlyArray<Field>, hasOne = true) => {
  const all = fields.map(v1View)
  return [
    ...v1("GET", path, 20, (request) =>
      Either.gen(function* () {
        const query = yield* queryOf(request, offsetParameters)
        const { pagination, slice } = yield* offsetPage(query, all)
        return ok(slice, { pagination })
      })
    ),
    ...(hasOne
      ? v1("GET", `${path}/:id`, 2, (request) => {
          const field = all.find(({ id }) => String(id) === idIn(request))
          return field === undefined ? Either.left(failure(404, "The field is not found")) : Either.right(ok(field))
        })
      : [])
  ]
}

const { activities, deals, organizations, persons } = entities

export const fieldRoutes: ReadonlyArray<Route> = [
  ...v2Routes("personFields", persons),
  ...v2Routes("organizationFields", organizations),
  ...v2Routes("dealFields", deals),
  ...v2Routes("activityFields", activities),
  ...v1Routes("personFields", fieldsOf(persons)),
  ...v1Routes("organizationFields", fieldsOf(organizations)),
  ...v1Routes("dealFields", fieldsOf(deals)),
  ...v1Routes("activityFields", fieldsOf(activities), false),
  // leads have the custom fields of deals
  ...v1Routes("leadFields", deals.customFields ?? [], false)
]
