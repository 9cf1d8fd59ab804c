import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { type Checked, fault, idInPath, missingParam, nothing, ok } from "./Answers.ts"
import { isThere } from "./Features.ts"
import { deals, type Pipeline, pipelines, type Stage, stageNamed } from "./Deals.ts"
import type { Field, Module } from "./Fields.ts"
import { fieldsOf, isHidden } from "./Hidden.ts"
import {
  categoryId,
  fieldId,
  fieldNamed,
  layoutId,
  moduleId,
  moduleNamed,
  modules,
  pipelineId,
  valueId
} from "./Modules.ts"
import { me, stampOf, userOf } from "./Stamps.ts"

// Metadata of the organisation: https://www.zoho.com/crm/developer/docs/api/v8/modules-api.html

/** Names of values that JSON has, too; the others are text there. */
const jsonTypes = ["boolean", "double", "integer", "jsonarray", "jsonobject"]

/** Types whose name in the metadata is another. */
const dataTypes: { readonly [type: string]: string } = { tags: "text", participants: "text" }

/** Members of a deal's stage that other pick list values lack. */
const stageOf = (module: Module, { code }: Field, value: string) => {
  const stage = module.name === "Deals" && code === "Stage" ? stageNamed(value) : undefined
  return stage === undefined
    ? {}
    : {
        display_value: stage.label,
        probability: stage.probability,
        forecast_type: stage.forecastType,
        forecast_category: categoryOf(stage)
      }
}

const categories = ["Pipeline", "Closed", "Omitted"]

const categoryOf = ({ forecastCategory: name }: Stage) => ({ name, id: categoryId(categories.indexOf(name)) })

const values = (module: Module, field: Field) =>
  (field.values ?? []).map((value, index) => ({
    display_value: value,
    sequence_number: index + 1,
    reference_value: value,
    colour_code: null,
    actual_value: value,
    id: valueId(module, field, index),
    type: "used",
    ...stageOf(module, field, value)
  }))

const minified = (name: string) => {
  const module = moduleNamed(name)
  return { api_name: name, ...(module === undefined ? {} : { id: moduleId(module) }) }
}

const references = ({ code, name, to, type }: Field) => ({
  lookup:
    type === "lookup"
      ? { display_label: name, api_name: code, module: minified(to?.length === 1 ? (to[0] ?? "") : "se_module") }
      : {},
  multi_module_lookup:
    type === "multi_module_lookup" ? { display_label: name, api_name: code, modules: (to ?? []).map(minified) } : {}
})

const shownField = (module: Module, field: Field) => {
  const isWritten = field.writes !== undefined
  return {
    id: fieldId(module, field),
    api_name: field.code,
    field_label: field.name,
    display_label: field.name,
    data_type: dataTypes[field.type] ?? field.type,
    json_type: jsonTypes.includes(field.value.as) ? field.value.as : "string",
    length: field.length,
    decimal_place: field.type === "double" || field.type === "currency" ? 2 : null,
    system_mandatory: field.isRequired === true,
    read_only: !isWritten,
    field_read_only: !isWritten,
    custom_field: field.custom === true,
    created_source: field.custom === true ? "custom" : "default",
    default_value: field.initial,
    unique: field.isUnique === true ? { casesensitive: "false" } : {},
    pick_list_values: values(module, field),
    ...references(field),
    operation_type: { web_update: isWritten, api_create: isWritten, web_create: isWritten, api_update: isWritten },
    view_type: { view: true, edit: isWritten, quick_create: field.isRequired === true, create: isWritten },
    visible: true,
    type: "used",
    searchable: true,
    sortable: true,
    filterable: field.type !== "participants",
    webhook: true,
    separator: false,
    mass_update: isWritten,
    virtual_field: false,
    display_field: field.code === module.named,
    businesscard_supported: true,
    pick_list_values_sorted_lexically: false,
    history_tracking_enabled: false,
    tooltip: null,
    external: null,
    private: null,
    crypt: null,
    parent_field: null,
    child_fields: null,
    associated_module: null,
    global_picklist: null,
    convert_mapping: null,
    multiselectlookup: {},
    multiuserlookup: {},
    currency: {},
    formula: {},
    rollup_summary: {},
    auto_number: {},
    layout_associations: [layoutName(module)]
  }
}

const layoutName = (module: Module) => ({ api_name: "Standard__s", name: "Standard", id: layoutId(module) })

/** The module a query names. */
const moduleOf = ({ query }: SimulatedRequest): Checked<Module> => {
  const name = query.get("module")
  if (name === null || name === "") return Either.left(missingParam("module"))
  return Either.fromNullable(moduleNamed(name), () =>
    fault("INVALID_MODULE", "the module name given seems to be invalid")
  )
}

export const fields = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(moduleOf(request), (module) =>
    ok({ fields: fieldsOf(org, module).map((field) => shownField(module, field)) })
  )

export const field = (_: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(moduleOf(request), (module) => {
    const found = module.fields.find((one) => fieldId(module, one) === request.params["id"])
    return found === undefined ? nothing : ok({ fields: [shownField(module, found)] })
  })

const profiles = [
  { name: "Administrator", id: "554023000000015972" },
  { name: "Standard", id: "554023000000015975" }
]

const shownModule = (module: Module) => ({
  id: moduleId(module),
  api_name: module.name,
  module_name: module.name,
  singular_label: module.singular,
  plural_label: module.name,
  actual_singular_label: module.singular,
  actual_plural_label: module.name,
  sequence_number: modules.indexOf(module) + 2,
  generated_type: "default",
  status: module.name === "Notes" ? "system_hidden" : "visible",
  visibility: 1,
  api_supported: true,
  creatable: true,
  editable: true,
  deletable: true,
  viewable: true,
  convertable: module.name === "Leads",
  quick_create: true,
  lookupable: module.name !== "Notes",
  show_as_tab: module.name !== "Notes",
  global_search_supported: true,
  recycle_bin_on_delete: true,
  modified_time: null,
  modified_by: null,
  access_type: "org_based",
  profile_count: profiles.length,
  profiles,
  parent_module: {},
  arguments: [],
  description: null,
  web_link: null,
  business_card_field_limit: 5
})

export const allModules = (org: Org): Checked<Reply> =>
  Either.right(ok({ modules: modules.filter(({ name }) => isThere(org, name)).map(shownModule) }))

export const oneModule = (_: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(
    Either.fromNullable(moduleNamed(request.params["module"] ?? ""), () =>
      fault("INVALID_MODULE", "the module name given seems to be invalid", { resource_path_index: 2 })
    ),
    (module) => ok({ modules: [shownModule(module)] })
  )

const shownLayout = (org: Org, module: Module) => ({
  ...layoutName(module),
  display_label: "Standard",
  status: "active",
  visible: true,
  generated_type: "standard",
  source: "crm",
  mode: "view",
  created_time: null,
  created_by: null,
  modified_time: stampOf(org.now),
  modified_by: userOf(org, me(org)),
  has_more_profiles: false,
  show_business_card: true,
  profiles,
  sections: [
    {
      display_label: `${module.singular} Information`,
      api_name: `${module.singular}_Information`,
      name: `${module.singular} Information`,
      sequence_number: 1,
      column_count: 2,
      tab_traversal: 2,
      isSubformSection: false,
      generated_type: "default",
      type: "used",
      fields: fieldsOf(org, module).map((one, index) => ({
        ...shownField(module, one),
        required: one.isRequired === true,
        sequence_number: index + 1
      }))
    }
  ]
})

export const layouts = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(moduleOf(request), (module) => ok({ layouts: [shownLayout(org, module)] }))

export const layout = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(moduleOf(request), (module) =>
    request.params["id"] === layoutId(module) ? ok({ layouts: [shownLayout(org, module)] }) : nothing
  )

/** A stage has the id of its pick list value. */
const shownStage = (stage: Stage, index: number): Doc => {
  const field = fieldNamed(deals, "Stage")
  return {
    display_value: stage.label,
    sequence_number: index + 1,
    colour_code: "#d5ebff",
    forecast_category: categoryOf(stage),
    actual_value: stage.value,
    id: field === undefined ? null : valueId(deals, field, field.values?.indexOf(stage.value) ?? 0),
    forecast_type: stage.forecastType
  }
}

const shownPipeline = ({ isDefault, name, stages }: Pipeline, index: number) => ({
  display_value: name,
  default: isDefault,
  maps: stages.map(shownStage),
  actual_value: name,
  id: pipelineId(index)
})

/** Without the field there is one pipeline, which nobody set up. */
const allPipelines = (
  org: Org,
  { query }: SimulatedRequest
): Checked<ReadonlyArray<ReturnType<typeof shownPipeline>>> => {
  const asked = query.get("layout_id")
  if (asked === null || asked === "") return Either.left(missingParam("layout_id"))
  return asked === layoutId(deals)
    ? Either.right(pipelines.slice(0, isHidden(org, "Pipeline") ? 1 : undefined).map(shownPipeline))
    : Either.left(fault("INVALID_DATA", "Invalid layoutid", { param_name: "layout_id" }))
}

/** https://www.zoho.com/crm/developer/docs/api/v8/get-pipelines.html */
export const pipelineList = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.map(allPipelines(org, request), (all) => ok({ pipeline: all }))

export const pipeline = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.flatMap(allPipelines(org, request), (all) => {
    const found = all.find(({ id }) => id === request.params["id"])
    return found === undefined
      ? Either.left({ ...idInPath, details: { resource_path_index: 2 } })
      : Either.right(ok({ pipeline: [found] }))
  })
