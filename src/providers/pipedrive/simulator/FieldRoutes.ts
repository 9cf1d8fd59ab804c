import { Either } from "effect"
import { type Field, type Kind, settings, type Show } from "../../simulation/table/Kind.ts"
import { listed, oneOf, type Parameters, parameter } from "../../simulation/table/Query.ts"
import { listRoute, readRoutes, type Style } from "../../simulation/table/Routes.ts"
import { failure, v1Style, v2Style } from "./Answers.ts"
import { entities } from "./Entities.ts"

// Descriptions of fields: https://developers.pipedrive.com/docs/api/v1/PersonFields

const isCustom = ({ code }: Field) => /^[0-9a-f]{40}$/.test(code)

const fieldsOf = ({ bags, fields }: Kind) => [...fields, ...(bags?.custom_fields ?? [])]

/** Subfields, such as the currency of an amount. */
const subfields = ({ name, value }: Field) =>
  value.parts === undefined || !["address", "monetary", "daterange", "time", "timerange"].includes(value.as)
    ? null
    : value.parts.map((part) => ({
        field_code: part,
        field_name: `${part.replace(/_/g, " ")} of ${name}`,
        field_type: value.as === "monetary" && part === "value" ? "double" : "varchar"
      }))

const v2View = (field: Field) => ({
  field_name: field.name,
  field_code: field.code,
  field_type: field.value.as,
  options: field.value.options ?? null,
  subfields: subfields(field),
  is_custom_field: isCustom(field),
  is_optional_response_field: field.isOptional === true,
  ui_visibility: { add_visible_flag: field.writes !== undefined, details_visible_flag: true },
  important_fields: { enabled: false, stage_ids: [] },
  required_fields: { enabled: field.isRequired === true }
})

const v1View = (field: Field, index: number) => ({
  id: 4001 + index,
  key: field.code,
  name: field.name,
  order_nr: index + 1,
  field_type: field.value.as,
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
  ...(field.value.options === undefined ? {} : { options: field.value.options }),
  mandatory_flag: field.isRequired === true
})

const namespaces = ["ui_visibility", "important_fields", "required_fields"] as const

const included = parameter("include_fields", listed(namespaces.length, oneOf(namespaces)))

/** A field without what only `include_fields` shows. */
const view: Parameters<Show> = {
  names: included.names,
  read: (query, account) =>
    Either.map(included.read(query, account), (names = []) => {
      const hidden: ReadonlyArray<string> = namespaces.filter((name) => !names.includes(name))
      return (_account, record) => Object.fromEntries(Object.entries(record).filter(([name]) => !hidden.includes(name)))
    })
}

const missing = () => failure(404, "The field is not found")

const v2Fields: Style = { ...v2Style({ list: 10, get: 1 }), id: /./, missing }

const v1Fields: Style = { ...v1Style, missing }

const v2Routes = (path: string, kind: Kind) =>
  readRoutes(v2Fields, settings(path, fieldsOf(kind).map(v2View), { id: "field_code", sorts: ["field_code"], view }))

const v1Fieldset = (path: string, fields: ReadonlyArray<Field>) =>
  settings(path, fields.filter(({ compute }) => compute === undefined).map(v1View))

const { activities, deals, organizations, persons } = entities

export const fieldRoutes = [
  ...v2Routes("personFields", persons),
  ...v2Routes("organizationFields", organizations),
  ...v2Routes("dealFields", deals),
  ...v2Routes("activityFields", activities),
  ...readRoutes(v1Fields, v1Fieldset("personFields", fieldsOf(persons))),
  ...readRoutes(v1Fields, v1Fieldset("organizationFields", fieldsOf(organizations))),
  ...readRoutes(v1Fields, v1Fieldset("dealFields", fieldsOf(deals))),
  // these have no single read; leads have the custom fields of deals
  ...listRoute(v1Fields, v1Fieldset("activityFields", fieldsOf(activities))),
  ...listRoute(v1Fields, v1Fieldset("leadFields", deals.bags?.custom_fields ?? []))
]
