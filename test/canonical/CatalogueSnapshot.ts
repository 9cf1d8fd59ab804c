import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import {
  categories,
  type Category,
  commonFields,
  type Field,
  type Fields,
  isShape,
  type Resource,
  type Shape
} from "../../src/canonical/Resource.ts"
import { toLines } from "../support/FileSnapshots.ts"

const nameShape = (category: Category, { name }: Shape) => `${category}/${name}`

const describeItem = (category: Category, item: Field | Shape) =>
  isShape(item) ? nameShape(category, item) : { kind: item.kind, values: item.values, targets: item.targets }

/** Everything about a field that a client can notice, except its description. Absent members are left out. */
const describeField = (category: Category, field: Field) => ({
  kind: field.kind,
  access: field.access,
  required: field.required || undefined,
  always: field.always,
  matches: field.matches,
  values: field.values,
  targets: field.targets,
  item: field.item && describeItem(category, field.item),
  children: field.children
})

const fieldLines = (category: Category, fields: Fields) =>
  toLines(Object.entries(fields).map(([name, field]) => [name, JSON.stringify(describeField(category, field))]))

/** The fields that a resource adds to the common ones, or declares in another way. */
const ownFields = ({ fields }: Resource): Fields => {
  const common: Fields = commonFields
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => common[name] !== field))
}

const resourceLines = (resource: Resource) =>
  toLines([
    ["class", JSON.stringify(resource.class)],
    ["fields", fieldLines(resource.category, ownFields(resource))],
    ["rules", JSON.stringify(resource.rules)]
  ])

/** The nested objects of a category by name. Two different ones must not share a name. */
const findShapes = (category: Category): ReadonlyMap<string, Shape> => {
  const found = new Map<string, Shape>()
  const visit = (fields: Fields) => {
    for (const { item } of Object.values(fields)) {
      if (!isShape(item)) continue
      const name = nameShape(category, item)
      const known = found.get(name)
      if (known === item) continue
      if (known !== undefined) throw new Error(`Two nested objects are named ${name}. Rename one of them.`)
      found.set(name, item)
      visit(item.fields)
    }
  }
  for (const resource of resourcesOf(category)) visit(resource.fields)
  return found
}

/** The declarations of `src/canonical` as JSON with one field per line. */
export const catalogueSnapshot = (): string => {
  const resources = categories.flatMap((category) =>
    resourcesOf(category).map((resource) => [`${category}/${resource.name}`, resourceLines(resource)] as const)
  )
  const objects = categories.flatMap((category) =>
    [...findShapes(category)].map(([name, shape]) => [name, fieldLines(category, shape.fields)] as const)
  )
  return toLines([
    // the common fields have no nested objects, so the category does not matter
    ["common", fieldLines("crm", commonFields)],
    ["resources", toLines(resources)],
    ["objects", toLines(objects)]
  ])
}
