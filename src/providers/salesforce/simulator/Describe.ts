import type { Account as Org } from "../../simulation/Account.ts"
import { type Field, isHeldBy, type SObject } from "./Fields.ts"
import { countries, states, validFor } from "./Places.ts"
import { isFilterable } from "./Query.ts"
import { childRelations } from "./Schema.ts"
import { types } from "./Values.ts"

// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_sobject_describe.htm

const soapTypes: { readonly [type: string]: string } = {
  id: "tns:ID",
  reference: "tns:ID",
  int: "xsd:int",
  address: "urn:address",
  base64: "xsd:base64Binary"
}

const choice = (value: string, label: string, valid: string | null = null) => ({
  active: true,
  defaultValue: false,
  label,
  validFor: valid,
  value
})

const picklistValues = (org: Org, { code, initial, values = [] }: Field) => {
  if (code.endsWith("CountryCode")) return countries.map(([value, label]) => choice(value, label))
  if (code.endsWith("StateCode")) return states.map(([of, value, label]) => choice(value, label, validFor(of)))
  // stages are records of their own
  const all = code === "StageName" ? org.all("OpportunityStage").map(({ ApiName: stage }) => String(stage)) : values
  return all.map((value) => ({ ...choice(value, value), defaultValue: value === initial }))
}

const isNumber = ({ type }: Field) => type === "double" || type === "currency" || type === "percent"

const fieldOf = (org: Org, field: Field) => {
  const isCustom = field.code.endsWith("__c")
  return {
    aggregatable: field.type !== "boolean" && field.type !== "address",
    autoNumber: false,
    byteLength: (field.length ?? 0) * 3,
    calculated: isCustom && field.compute !== undefined,
    caseSensitive: false,
    compoundFieldName: field.partOf ?? null,
    createable: field.writes !== undefined,
    custom: isCustom,
    defaultValue: field.type === "boolean" ? field.initial : null,
    defaultedOnCreate: field.initial !== null || field.code === "OwnerId",
    deprecatedAndHidden: false,
    digits: field.type === "int" ? 8 : 0,
    externalId: field.isUnique === true,
    filterable: isFilterable(field),
    groupable: isFilterable(field) && !isNumber(field) && field.type !== "datetime",
    idLookup: field.type === "id" || field.isUnique === true || field.type === "email",
    label: field.name,
    length: field.length ?? 0,
    name: field.code,
    nameField: field.code === "Name" || field.code === "Subject",
    nillable: field.nillable,
    permissionable: field.nillable && field.writes !== undefined,
    picklistValues: picklistValues(org, field),
    polymorphicForeignKey: (field.to ?? []).length > 1,
    precision: isNumber(field) ? 18 : 0,
    queryByDistance: field.type === "address",
    referenceTo: field.to ?? [],
    relationshipName: field.relation ?? null,
    restrictedPicklist: field.restricted === true,
    scale: field.type === "currency" ? 2 : 0,
    soapType: soapTypes[field.type] ?? `xsd:${types[field.type][0]}`,
    sortable: isFilterable(field),
    type: field.type,
    unique: field.isUnique === true,
    updateable: field.writes === "always"
  }
}

/** An object as lists of objects show it. */
export const summary = (version: string, object: SObject) => {
  const at = `/services/data/${version}/sobjects/${object.name}`
  return {
    activateable: false,
    createable: object.can.create,
    custom: false,
    customSetting: false,
    deletable: object.can.delete,
    deprecatedAndHidden: false,
    feedEnabled: false,
    keyPrefix: object.prefix,
    label: object.label,
    labelPlural: object.plural,
    layoutable: true,
    mergeable: false,
    mruEnabled: false,
    name: object.name,
    queryable: true,
    replicateable: true,
    retrieveable: true,
    searchable: true,
    triggerable: true,
    undeletable: object.can.delete,
    updateable: object.can.update,
    urls: { sobject: at, describe: `${at}/describe`, rowTemplate: `${at}/{ID}` }
  }
}

export const describe = (org: Org, version: string, object: SObject) => ({
  ...summary(version, object),
  actionOverrides: [],
  childRelationships: childRelations(object).map(({ field, object: child, relation }) => ({
    cascadeDelete: field.cascade === true,
    childSObject: child.name,
    deprecatedAndHidden: false,
    field: field.code,
    junctionIdListNames: [],
    junctionReferenceTo: [],
    relationshipName: relation,
    restrictedDelete: false
  })),
  fields: object.fields.filter((field) => isHeldBy(org, field)).map((field) => fieldOf(org, field)),
  namedLayoutInfos: [],
  recordTypeInfos: [
    {
      active: true,
      available: true,
      defaultRecordTypeMapping: true,
      developerName: "Master",
      master: true,
      name: "Master"
    }
  ],
  supportedScopes: [{ label: `All ${object.plural.toLowerCase()}`, name: "everything" }]
})
