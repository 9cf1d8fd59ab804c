import type { Account as Org } from "../../simulation/Account.ts"
import { type Field, type FieldType, labelOf, type SObject } from "./Fields.ts"
import { isFilterable } from "./Query.ts"
import { childRelations } from "./Schema.ts"

// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_sobject_describe.htm

const soapTypes: { readonly [type in FieldType]?: string } = {
  id: "tns:ID",
  reference: "tns:ID",
  boolean: "xsd:boolean",
  int: "xsd:int",
  double: "xsd:double",
  currency: "xsd:double",
  percent: "xsd:double",
  date: "xsd:date",
  datetime: "xsd:dateTime",
  address: "urn:address",
  base64: "xsd:base64Binary"
}

const picklistValues = (org: Org, { initial, name, values = [] }: Field) => {
  // stages are records of their own
  const all = name === "StageName" ? org.all("OpportunityStage").map(({ ApiName: stage }) => String(stage)) : values
  return all.map((value) => ({
    active: true,
    defaultValue: value === initial,
    label: value,
    validFor: null,
    value
  }))
}

const isNumber = ({ type }: Field) => type === "double" || type === "currency" || type === "percent"

const fieldOf = (org: Org, field: Field) => {
  const isCustom = field.name.endsWith("__c")
  return {
    aggregatable: field.type !== "boolean" && field.type !== "address",
    autoNumber: false,
    byteLength: (field.length ?? 0) * 3,
    calculated: isCustom && field.compute !== undefined,
    caseSensitive: false,
    compoundFieldName: field.partOf ?? null,
    createable: field.createable,
    custom: isCustom,
    defaultValue: field.type === "boolean" ? field.initial : null,
    defaultedOnCreate: field.initial !== undefined || field.name === "OwnerId",
    deprecatedAndHidden: false,
    digits: field.type === "int" ? 8 : 0,
    externalId: field.externalId === true,
    filterable: isFilterable(field),
    groupable: isFilterable(field) && !isNumber(field) && field.type !== "datetime",
    idLookup: field.type === "id" || field.externalId === true || field.type === "email",
    label: labelOf(field),
    length: field.length ?? 0,
    name: field.name,
    nameField: field.name === "Name" || field.name === "Subject",
    nillable: field.nillable,
    permissionable: field.nillable && field.createable,
    picklistValues: picklistValues(org, field),
    polymorphicForeignKey: (field.to ?? []).length > 1,
    precision: isNumber(field) ? 18 : 0,
    queryByDistance: field.type === "address",
    referenceTo: field.to ?? [],
    relationshipName: field.relation ?? null,
    restrictedPicklist: field.restricted === true,
    scale: field.type === "currency" ? 2 : 0,
    soapType: soapTypes[field.type] ?? "xsd:string",
    sortable: isFilterable(field),
    type: field.type,
    unique: field.externalId === true,
    updateable: field.updateable
  }
}

/** What lists of objects say of one. */
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
    label: object.name.replace(/([a-z])([A-Z])/g, "$1 $2"),
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
    field: field.name,
    junctionIdListNames: [],
    junctionReferenceTo: [],
    relationshipName: relation,
    restrictedDelete: false
  })),
  fields: object.fields.map((field) => fieldOf(org, field)),
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
